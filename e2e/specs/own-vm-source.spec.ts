// needs: native workers
// A mover that is a VM of the source: copies of disks are attached to that VM and read by an agent there, as a user with sudo. No export worker is
// started, what was killed there is taken back, and the VM stays.
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startReplicationLab, type ReplicationLab } from '../rigs/large-public-cloud/replication-lab.ts';
import { commandLineIn } from '../rigs/project/command-line-in.ts';
import type { OwnVmRig } from '../rigs/project/own-vm.ts';

const MiB = 1024 * 1024;
const vmReport = async (source: ReplicationLab): Promise<string> =>
  (await source.lab.use((core) => core.call('evidence.report', { replica: 'web' }))).html;

describe('an engine on a VM of the source', () => {
  let source: ReplicationLab;
  let here: OwnVmRig;
  const workersStarted = (): number => source.aws.calls.filter(({ operation }) => operation === 'RunInstances').length;
  const attachedTo = (vmId: string): readonly string[] => source.aws.world.volumesOf(vmId).map(({ id }) => id);

  beforeAll(async () => {
    source = await startReplicationLab(2, { workers: 'native', patience: { checkpointMs: 200, agentMs: 6_000 } });
    await source.createReplica(
      'web',
      { disk_access: 'worker' },
      { migr_image_map: { linux: 'ami-0a1b2c3d4e5f60718' }, worker_instance_type: 't3.medium' },
    );
    // In another zone than the VM that is migrated: the copies have to be made there.
    here = await source.startOwnVm('mover', { subnetId: 'subnet-0918273645f5e4d3c' });
    Object.assign(source.lab.project, { agentHere: here.agentHere });
    await source.fill(0, 3 * MiB, 5 * MiB + 4096, 0x41);
    await source.fill(1, 700 * MiB, MiB, 0x42);
  });
  afterAll(() => source?.close());

  async function expectNothingLeft(): Promise<void> {
    expect([
      attachedTo(here.vmId),
      source.aws.world.instances.get(here.vmId)?.state,
      await here.devices(),
      await here.agents(),
    ]).toEqual([[], 'running', [], []]);
    expect(source.leftovers().filter((id) => !id.startsWith('snap-'))).toEqual([]);
    const ledger = await source.lab.use((core) => core.call('ledger.list', {}));
    expect(ledger.filter(({ kind, lifetime }) => lifetime === 'temporary' || kind === 'attachment')).toEqual([]);
  }

  it('refuses a VM that is not there, and one whose devices cannot be told apart', async () => {
    const set = (vm: string) => source.lab.use((core) => core.call('workers.setOwnVm', { endpoint: 'web-source', vm }));
    const xen = await source.startOwnVm('old', { type: 't2.medium' });
    await expect(set('i-0aaaaaaaaaaaaaaaa')).rejects.toMatchObject({
      code: 'engine.own-vm-unusable',
      message: 'there is no VM i-0aaaaaaaaaaaaaaaa',
    });
    await expect(set(xen.vmId)).rejects.toMatchObject({
      code: 'engine.own-vm-unusable',
      message: expect.stringContaining('is a t2.medium, the devices of which have no serials') as string,
    });
  });

  it('reads copies that are attached to it, starts no export worker, and says which way the data went', async () => {
    const causeway = commandLineIn(source.lab.project);
    expect(await causeway('worker', 'here', '--endpoint', 'web-source', '--vm', here.vmId)).toMatchObject({
      status: 0,
      output: expect.stringContaining('mover') as string,
    });
    expect(await source.execute('web')).toMatchObject({
      state: 'completed',
      error: '',
      leftBehind: 0,
      messages: expect.stringContaining('attached to VM mover of the source, on which Causeway runs') as string,
    });
    expect(await source.difference('web')).toBeUndefined();
    expect(workersStarted()).toBe(0);
    await expectNothingLeft();
    const evidence = await source.lab.use((core) => core.call('evidence.list', { replica: 'web' }));
    expect(evidence.find(({ kind }) => kind === 'execution')?.data).toMatchObject({
      sourceVm: { id: here.vmId, name: 'mover' },
    });
    expect(await vmReport(source)).toMatch(/copies at the source, attached to VM mover \([\d.]+ [KMG]iB\/s\) → /);
    // What changed, too: told by what was hashed there.
    await source.fill(0, 600 * MiB, MiB, 0x51);
    const changed = await source.execute('web');
    expect(changed).toMatchObject({ state: 'completed', error: '', leftBehind: 0 });
    expect(changed.bytesRead).toBeLessThan(4 * MiB);
    expect(await source.difference('web')).toBeUndefined();
    expect(workersStarted()).toBe(0);
  });

  it('an engine elsewhere takes the copies over when it was killed, and starts a worker', async () => {
    const [disk] = source.aws.world.volumesOf(source.instanceId);
    await source.aws.world.ground.files.write(disk!.id, 100 * MiB, randomBytes(6 * MiB));
    const engine = source.lab.start('web', { bandwidthLimit: MiB });
    await new Promise<void>((resolve, reject) => {
      engine.onProgress = ({ disks }) => disks.some(({ bytesSent }) => bytesSent > MiB / 2) && resolve();
      void engine.ended.then(() => reject(new Error('it ended early')));
    });
    expect([attachedTo(here.vmId).length > 0, (await here.agents()).length > 0]).toEqual([true, true]);
    await engine.kill();
    await expect.poll(() => here.agents(), { timeout: 20_000 }).toEqual([]);
    expect(attachedTo(here.vmId)).not.toEqual([]);
    const causeway = commandLineIn(source.lab.project);
    expect(await causeway('worker', 'here', '--endpoint', 'web-source', '--off')).toMatchObject({
      status: 0,
      output: expect.stringContaining('workers are started for each execution') as string,
    });
    expect(await source.execute('web')).toMatchObject({ state: 'completed', error: '', leftBehind: 0 });
    expect(workersStarted()).toBe(1);
    expect(await source.difference('web')).toBeUndefined();
    await expectNothingLeft();
  });

  it('starts a worker where there is no room for all copies', async () => {
    await source.lab.use((core) =>
      core.call('workers.setOwnVm', { endpoint: 'web-source', vm: here.vmId, volumes: 1 }),
    );
    const before = workersStarted();
    expect(await source.execute('web')).toMatchObject({
      state: 'completed',
      error: '',
      leftBehind: 0,
      messages: expect.stringContaining('starting an export worker') as string,
    });
    expect(workersStarted()).toBe(before + 1);
  });

  it('nothing is read from another VM than the one that it runs on', async () => {
    const other = await source.startOwnVm('other');
    await source.lab.use((core) => core.call('workers.setOwnVm', { endpoint: 'web-source', vm: other.vmId }));
    const failed = await source.execute('web');
    expect(failed).toMatchObject({
      state: 'failed',
      leftBehind: 0,
      error: expect.stringContaining('engine.volume-not-matched') as string,
    });
    expect([attachedTo(other.vmId), source.aws.world.instances.get(other.vmId)?.state]).toEqual([[], 'running']);
  });
});
