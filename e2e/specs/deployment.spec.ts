// needs: booted volumes
import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { recordingMorph } from '../../electron/engine/core/testing/recording-morph.ts';
import { guestPreparation } from '../../electron/engine/deployments/guest-preparation.ts';
import type { MorphRequest } from '../../electron/engine/osmorphing/index.ts';
import { connectWorker } from '../../electron/engine/transport/connect-worker.ts';
import { shellQuoted } from '../../electron/engine/transport/ssh-connection.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { bootText, talkingBootSector, textOffset } from '../rigs/guests/talking-boot-sector.ts';
import { commandLineIn } from '../rigs/project/command-line-in.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { contentDigest } from '../rigs/sparse-files.ts';

const MiB = 1024 * 1024;
const everyStep = process.env['CAUSEWAY_EVERY_STEP'] === '1';
const unprepared = 'Gave up waiting for root file system device.\r\n(initramfs) ';
const prepared = 'Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ';
const byConsole: DeploymentOptions = { bootCheck: { mode: 'console', deadlineSeconds: 90 } };

let lab: ProjectLab;
let causeway: ReturnType<typeof commandLineIn>;
let inGuest: (request: MorphRequest) => Promise<void>;
let files: Record<string, string>;
let replicaVolumes: readonly string[];

/** Writes into the guest's boot disk through the worker, as the real preparation does. */
async function makeBootable({ ssh, devices, signal }: MorphRequest): Promise<void> {
  expect(devices).toHaveLength(2);
  const result = await ssh.exec(
    `sudo -n dd of=${shellQuoted(devices[0] ?? '')} bs=1 seek=${textOffset} conv=notrunc,fsync`,
    {
      signal,
      timeoutMs: 60_000,
      input: bootText(prepared),
    },
  );
  expect(result).toMatchObject({ code: 0 });
}

beforeAll(async () => {
  const morph = recordingMorph((request) => inGuest(request));
  const own = guestPreparation((access, mechanism, signal) => connectWorker(access, mechanism, {}, signal));
  lab = await startProjectLab({
    patience: { boot: 'quick' },
    core: { guests: { morphOf: morph.guests.morphOf, openSsh: own.openSsh } },
  });
  causeway = commandLineIn(lab.project);
  const folder = join(lab.images, 'web');
  await mkdir(folder);
  files = { 'a.raw': join(folder, 'a.raw'), 'b.raw': join(folder, 'b.raw') };
  for (const [name, head] of [
    ['a.raw', talkingBootSector(unprepared)],
    ['b.raw', randomBytes(MiB)],
  ] as const) {
    const path = files[name] ?? '';
    const handle = await open(path, 'w');
    await handle.write(head, 0, head.length, 0);
    await handle.close();
    await truncate(path, 64 * MiB);
  }
  await lab.createReplica('web', 'web', 'SSH');
  expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
  const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
  replicaVolumes = disks.map((disk) => disk.volumeId ?? '');
});
afterAll(() => lab.close());

async function deploy(options: DeploymentOptions): Promise<DeploymentDetail> {
  // The project's engine runs in here, so that closing it waits for the deployment.
  const { id } = await lab.use((core) => core.call('deployment.create', { replica: 'web', options }));
  return lab.use((core) => core.call('deployment.show', { deployment: id }));
}

/** Of whole volumes. */
async function digests(): Promise<string[]> {
  return Promise.all(replicaVolumes.map((volume) => contentDigest(lab.cloud.volumePath(volume))));
}

/** Nothing in the cloud but the volumes of the replica. */
async function expectReplicaAlone(): Promise<void> {
  expect(lab.cloud.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume', 'volume']);
  expect([...lab.cloud.world.volumes.keys()].sort()).toEqual([...replicaVolumes].sort());
  expect((await lab.use((core) => core.call('ledger.list', {}))).filter((item) => item.lifetime !== 'replica')).toEqual(
    [],
  );
}

describe('a deployment in the lab', () => {
  it('boots what was prepared, from volumes of its own, and tells all about it', async () => {
    inGuest = makeBootable;
    const before = await digests();
    const deployment = await deploy(byConsole);
    expect(deployment, deployment.error?.message).toMatchObject({
      state: 'completed',
      leftBehind: 0,
      boot: { outcome: 'up', evidence: 'the console shows: web login:' },
      server: { name: 'web' },
    });
    expect(deployment.boot?.console).toContain('Debian GNU/Linux 12');
    expect(deployment.tasks.every((task) => task.state === 'completed')).toBe(true);
    expect(await digests()).toEqual(before);
    const server = lab.cloud.world.servers.get(deployment.server?.id ?? '');
    expect(server).toMatchObject({ status: 'ACTIVE', machineType: 'g1.1' });
    expect(replicaVolumes).not.toContain(server?.bootVolume?.id);
    expect(await lab.use((core) => core.call('ledger.list', { orphansOnly: true }))).toEqual([]);
  });

  it('is shown by the command line, which deletes nothing before it has said what', async () => {
    const { status, output } = await causeway('deployment', 'show', 'web', '--events');
    expect(status).toBe(0);
    for (const text of [
      'Prepare the guest',
      '  | web login:',
      '+ package cloud-init',
      'the console shows',
      'Debian GNU/Linux 12 (x86_64, bios, grub-bios)',
    ]) {
      expect(output).toContain(text);
    }
    expect((await causeway('deployment', 'list')).output).toMatch(/^ID .*\ndep-\w+ +web +1 +completed +web/);
    const told = await causeway('deployment', 'delete', 'web');
    expect(told.status).toBe(2);
    expect(told.output).toMatch(/^Would be deleted/);
    expect(told.output.match(/^(server|nic|volume) /gm)?.sort()).toEqual(['nic ', 'server ', 'volume ', 'volume ']);
    const [shown] = (await causeway('deployment', 'show', 'web', '--json')).output.split('\n');
    expect(JSON.parse(shown ?? '')).toMatchObject({
      state: 'completed',
      boot: { outcome: 'up' },
      guest: { diff: { services: { enabled: ['cloud-init'] } } },
    });
  });

  it('can be had twice, and both can be deleted', async () => {
    inGuest = makeBootable;
    const deployment = await deploy(byConsole);
    expect(deployment, deployment.error?.message).toMatchObject({ state: 'completed', number: 2 });
    expect(lab.cloud.world.servers.size).toBe(2);
    await lab.use(async (core) => {
      for (const { id } of await core.call('deployment.list', { replica: 'web' }))
        await core.call('deployment.delete', { deployment: id, dryRun: false });
    });
    await expectReplicaAlone();
  });

  it('of an unprepared guest fails with what the console says, and is undone', async () => {
    const before = await digests();
    const deployment = await deploy({ ...byConsole, skipMorphing: true });
    expect(deployment).toMatchObject({ state: 'failed', error: { code: 'deployment.boot-failed' }, leftBehind: 0 });
    expect(deployment.boot?.console).toContain('Gave up waiting for root file system device');
    await expectReplicaAlone();
    expect(await digests()).toEqual(before);
  });

  it('in place that fails after its guest was changed gives the replica its content back', async () => {
    const before = await digests();
    inGuest = async (request) => {
      await makeBootable(request);
      throw new CausewayError('osmorphing.initramfs', 'no room');
    };
    expect(await deploy({ ...byConsole, inPlace: true })).toMatchObject({
      state: 'failed',
      error: { code: 'osmorphing.initramfs' },
      leftBehind: 0,
    });
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    replicaVolumes = disks.map((disk) => disk.volumeId ?? '');
    expect(await digests()).toEqual(before);
    await expectReplicaAlone();
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    expect(await lab.difference('web', await byDisk())).toBeUndefined();
  });

  it.each(
    everyStep
      ? ['CreateSnapshot', 'CreateVolume', 'CreateNic', 'CreateServer', 'AddVolumeToServer', 'UpdateVolume']
      : ['CreateVolume', 'AddVolumeToServer'],
  )('is undone when the cloud refuses %s, and the replica stays as it is', async (operation) => {
    inGuest = makeBootable;
    const before = await digests();
    const known = lab.cloud.calls.length;
    lab.cloud.faults.add({ operation, nth: 1, times: 50, effect: '500' });
    const deployment = await deploy(byConsole);
    lab.cloud.faults.clear();
    expect(lab.cloud.calls.slice(known).map((call) => call.operation)).toContain(operation);
    expect(deployment).toMatchObject({ state: 'failed', leftBehind: 0, resources: [] });
    await expectReplicaAlone();
    expect(await digests()).toEqual(before);
  });

  it("in place gives the replica's volumes to the virtual machine", async () => {
    inGuest = makeBootable;
    const deployment = await deploy({ ...byConsole, inPlace: true });
    expect(deployment, deployment.error?.message).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(lab.cloud.world.servers.get(deployment.server?.id ?? '')?.bootVolume?.id).toBe(replicaVolumes[0]);
    await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
    expect([...lab.cloud.world.volumes.keys()].sort()).toEqual([...replicaVolumes].sort());
    await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
    expect(lab.cloud.world.leftovers()).toEqual([]);
  });
});

/** The images by the ids of their disks. */
async function byDisk(): Promise<Record<string, string>> {
  const { disks } = await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm: 'web' }));
  return Object.fromEntries(
    disks.map((disk) => [disk.id, (disk.id.includes('a.raw') ? files['a.raw'] : files['b.raw']) ?? '']),
  );
}
