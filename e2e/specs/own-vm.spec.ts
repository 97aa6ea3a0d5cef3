// needs: native workers
// A mover that is a VM of the destination: its engine has the volumes attached to that VM and writes to their devices by an agent there, as a user with
// sudo. No worker is started, what was killed there is taken back, and the VM stays.
import { randomBytes } from 'node:crypto';
import { mkdir, open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { commandLineIn } from '../rigs/project/command-line-in.ts';
import { startOwnVm, type OwnVmRig } from '../rigs/project/own-vm.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MiB = 1024 * 1024;

describe('an engine on a VM of the destination', () => {
  let lab: ProjectLab;
  let here: OwnVmRig;
  const image = (disk: number): string => join(lab.images, 'web', `${disk}.raw`);
  let ofUsers = 0;
  const workersStarted = (): number =>
    lab.cloud.calls.filter(({ operation }) => operation === 'CreateServer').length - ofUsers;
  const attachedTo = (vmId: string): number => (lab.cloud.world.servers.get(vmId)?.attachments.size ?? 0) - 1;

  beforeAll(async () => {
    lab = await startProjectLab({ workers: 'native', patience: { checkpointMs: 200, agentMs: 6_000 } });
    await mkdir(join(lab.images, 'web'));
    await writeFile(image(0), Buffer.concat([randomBytes(12 * MiB), Buffer.alloc(4 * MiB)]));
    await writeFile(image(1), randomBytes(3 * MiB));
    await lab.createReplica('web', 'web', 'HTTPS');
    here = await startVm('mover');
    // From here on, the engines of the lab are on that VM.
    Object.assign(lab.project, { agentHere: here.agentHere });
  });
  afterAll(() => lab?.close());

  async function startVm(name: string): Promise<OwnVmRig> {
    ofUsers += 1;
    return startOwnVm(lab, name);
  }

  async function expectEqualDisks(): Promise<void> {
    const { disks } = await lab.use((core) => core.call('replica.show', { replica: 'web' }));
    expect(
      await lab.difference('web', Object.fromEntries(disks.map(({ diskId }, index) => [diskId, image(index)]))),
    ).toBeUndefined();
  }

  async function change(): Promise<void> {
    const file = await open(image(0), 'r+');
    await file.write(randomBytes(4 * MiB), 0, 4 * MiB, 2 * MiB);
    await file.close();
  }

  async function expectNothingLeft(): Promise<void> {
    expect([
      attachedTo(here.vmId),
      lab.cloud.world.servers.get(here.vmId)?.status,
      await here.devices(),
      await here.agents(),
    ]).toEqual([0, 'ACTIVE', [], []]);
    expect(lab.cloud.world.volumes.size - lab.cloud.world.servers.size).toBe(2);
    expect(
      (await lab.use((core) => core.call('ledger.list', {}))).filter(({ lifetime }) => lifetime === 'temporary'),
    ).toEqual([]);
  }

  it('writes to volumes that are attached to it, starts no worker, and says which way the data went', async () => {
    await lab.use((core) => core.call('workers.setOwnVm', { endpoint: 'cloud', vm: here.vmId }));
    const execution = await lab.execute('web', { verify: 'all' });
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    await expectEqualDisks();
    await expectNothingLeft();
    expect(workersStarted()).toBe(0);
    const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
    expect(events.map(({ message }) => message)).toContainEqual(
      expect.stringContaining('attached to VM mover, on which Causeway runs'),
    );
    const evidence = await lab.use((core) => core.call('evidence.list', { replica: 'web' }));
    expect(evidence.find(({ kind }) => kind === 'execution')?.data).toMatchObject({
      ownVm: { id: here.vmId, name: 'mover' },
    });
    // What changed, too.
    await change();
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    await expectEqualDisks();
  });

  it('an engine elsewhere takes the volumes over when it was killed, and starts a worker', async () => {
    await change();
    const engine = lab.start('web', { bandwidthLimit: MiB });
    await new Promise<void>((resolve, reject) => {
      engine.onProgress = ({ disks }) => disks.some(({ bytesSent }) => bytesSent > MiB / 2) && resolve();
      void engine.ended.then(() => reject(new Error('it ended early')));
    });
    expect([attachedTo(here.vmId), (await here.agents()).length > 0]).toEqual([2, true]);
    await engine.kill();
    // Its agent ends with it, and the volumes stay where they are.
    await expect.poll(() => here.agents(), { timeout: 20_000 }).toEqual([]);
    expect(attachedTo(here.vmId)).toBe(2);
    const causeway = commandLineIn(lab.project);
    expect((await causeway('worker', 'here')).output).toContain(here.vmId);
    // This machine is no VM of the lab's cloud, whatever its metadata service and its firmware say.
    expect((await causeway('worker', 'here', '--endpoint', 'cloud')).status).not.toBe(0);
    await expect(lab.use((core) => core.call('workers.setOwnVm', { endpoint: 'cloud' }))).rejects.toMatchObject({
      code: 'engine.own-vm-not-found',
    });
    expect(await causeway('worker', 'here', '--endpoint', 'cloud', '--off')).toMatchObject({
      status: 0,
      output: expect.stringContaining('workers are started for each execution') as string,
    });
    expect(await lab.execute('web', { bandwidthLimit: 64 * MiB })).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(workersStarted()).toBe(1);
    await expectEqualDisks();
    await expectNothingLeft();
  });

  it('another VM than the one that it runs on gets no byte', async () => {
    const other = await startVm('other');
    await lab.use((core) => core.call('workers.setOwnVm', { endpoint: 'cloud', vm: other.vmId }));
    expect(await lab.execute('web')).toMatchObject({
      state: 'failed',
      leftBehind: 0,
      error: { code: 'engine.volume-not-matched' },
    });
    expect([attachedTo(other.vmId), lab.cloud.world.servers.get(other.vmId)?.status]).toEqual([0, 'ACTIVE']);
  });
});
