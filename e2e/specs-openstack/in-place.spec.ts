import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { DeploymentDetail, DeploymentOptions } from '../../shared/model/deployment.ts';
import { pretendedPreparation } from '../rigs/guests/pretended-preparation.ts';
import { talkingBootSector } from '../rigs/guests/talking-boot-sector.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';

const mib = 2 ** 20;
const byConsole: DeploymentOptions = { inPlace: true, bootCheck: { mode: 'console', deadlineSeconds: 300 } };

/** Guests that are a talking boot sector, so that what is seen is the cloud's part of it. */
describe('a deployment in place on the open-source cloud', () => {
  const preparation = pretendedPreparation('Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ');
  let lab: OpenSourceLab;
  let files: Record<string, string>;
  let volumes: readonly string[];

  beforeAll(async () => {
    lab = await startOpenSourceLab({ guests: preparation.guests });
    const vm = join(lab.images, 'web');
    await mkdir(vm);
    files = { 'a.raw': join(vm, 'a.raw'), 'b.raw': join(vm, 'b.raw') };
    const heads = {
      'a.raw': talkingBootSector('Gave up waiting for root file system device.\r\n(initramfs) '),
      'b.raw': randomBytes(mib),
    };
    for (const [name, head] of Object.entries(heads)) {
      await writeFile(files[name] ?? '', head);
      await truncate(files[name] ?? '', 64 * mib);
    }
    await writeFile(
      join(vm, 'vm.yaml'),
      'name: web\nvcpus: 1\nmemory_mb: 256\ndisks: [a.raw, b.raw]\nnics:\n  - network: default\n    mac_address: 52:54:00:aa:00:31\n',
    );
    await lab.createReplica('web', 'web');
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    volumes = await volumeIds();
  });
  afterAll(async () => lab?.close());

  const deploy = (options: DeploymentOptions = {}): Promise<DeploymentDetail> =>
    lab.deploy('web', { ...byConsole, ...options });
  const volumeIds = async (): Promise<string[]> =>
    (await lab.use((core) => core.call('replica.show', { replica: 'web' }))).disks.map(
      ({ volumeId }) => volumeId ?? '',
    );
  const set = (hypervisor_type: string) =>
    lab.use((core) =>
      core.call('replica.update', { replica: 'web', destinationEnvironment: { ...lab.environment, hypervisor_type } }),
    );

  async function expectReplicaAlone(): Promise<void> {
    expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume', 'volume']);
    expect(await volumeIds()).toEqual(volumes);
    expect(
      (await lab.use((core) => core.call('ledger.list', {}))).filter((item) => item.lifetime !== 'replica'),
    ).toEqual([]);
    expect(await lab.difference('web', files)).toBeUndefined();
  }

  it('that is none leaves nothing but the replica when no host takes the server', async () => {
    await set('hyperv');
    const failed = await deploy({ inPlace: false, skipMorphing: true });
    expect(failed).toMatchObject({
      state: 'failed',
      error: { code: 'cloud.operation-failed' },
      leftBehind: 0,
      resources: [],
    });
    await expectReplicaAlone();
  });

  it('gives the replica its content back when no host takes the server of a prepared guest', async () => {
    const failed = await deploy();
    expect(failed).toMatchObject({
      state: 'failed',
      error: { code: 'cloud.operation-failed', message: expect.stringMatching(/No valid host/) as unknown },
      leftBehind: 0,
      resources: [],
    });
    expect(preparation.requests).toHaveLength(1);
    await set('qemu');
    await expectReplicaAlone();
  });

  it('does so when the guest does not come up', async () => {
    const failed = await deploy({ skipMorphing: true });
    expect(failed).toMatchObject({
      state: 'failed',
      error: { code: 'deployment.boot-failed' },
      leftBehind: 0,
      resources: [],
    });
    expect(failed.boot?.console).toContain('Gave up waiting for root file system device');
    await expectReplicaAlone();
  });

  it('can be followed by another execution of the replica', async () => {
    await using disk = await open(files['b.raw'] ?? '', 'r+');
    await disk.write(randomBytes(mib), 0, mib, 32 * mib);
    expect(await lab.execute('web')).toMatchObject({ state: 'completed', leftBehind: 0 });
    await expectReplicaAlone();
  });

  it("boots from the replica's own volumes, which are the server's then", async () => {
    const deployment = await deploy();
    expect(deployment, deployment.error?.message).toMatchObject({
      state: 'completed',
      leftBehind: 0,
      boot: { outcome: 'up' },
    });
    const path = `/servers/${deployment.server?.id}`;
    const { server } = await lab.api.call<{
      server: { status: string; 'os-extended-volumes:volumes_attached': { id: string }[] };
    }>('compute', 'GET', path);
    expect(server['os-extended-volumes:volumes_attached'].map(({ id }) => id)).toEqual(volumes);
    await lab.use((core) => core.call('replica.delete', { replica: 'web' }));
    expect((await lab.api.call<{ server: { status: string } }>('compute', 'GET', path)).server.status).toBe('ACTIVE');
    await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
    expect(await lab.leftovers()).toEqual([]);
  });
});
