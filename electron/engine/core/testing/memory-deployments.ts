import type { DeploymentPlatform, DeploymentRun, VolumeSnapshot } from '../../ports/deployment-platform.ts';
import type { Volume } from '../../ports/destination-platform.ts';
import type { LedgerEntry, ResourceKind } from '../../ports/ledger.ts';

/** What a cloud in memory has: volumes have bytes, everything else none. */
export interface MemoryThings {
  readonly things: Map<string, { readonly name: string; bytes?: Buffer; readonly serial: string }>;
  /** Text of the console of every server. */
  consoleText: string;
  step(name: string): void;
  beforeAnswer(step: string): Promise<void>;
  make(entry: LedgerEntry, bytes?: Buffer): { id: string };
}

/** Makes servers in memory. Keys and lifetimes are those that the port asks for. */
export function memoryDeployments(cloud: MemoryThings): DeploymentPlatform {
  const find = async (entry: LedgerEntry) =>
    [...cloud.things].filter(([, thing]) => thing.name === entry.name).map(([id]) => ({ id }))[0];
  const get = async (id: string) => (cloud.things.has(id) ? { id } : undefined);
  const gone = {
    findId: async (entry: LedgerEntry) => (await find(entry))?.id,
    remove: async (id: string) => void cloud.things.delete(id),
  };
  const letGo = { findId: async () => undefined, remove: async () => undefined };
  const key = (run: DeploymentRun, part: string): string => `deployment/${run.deploymentId}/${part}`;
  const own = async (
    run: DeploymentRun,
    kind: ResourceKind,
    part: string,
    signal: AbortSignal,
    bytes?: () => Buffer,
  ): Promise<string> => {
    const create = async (entry: LedgerEntry) => cloud.make(entry, bytes?.());
    const { resource } = await run.ledger.ensure(
      { kind, key: key(run, part), lifetime: 'deployment' },
      { find, get, create },
      signal,
    );
    return resource.id;
  };
  const bytesOf = (id: string): Buffer => Buffer.from(cloud.things.get(id)?.bytes ?? Buffer.alloc(0));
  const volume = (id: string, diskId: string): Volume => ({
    id,
    diskId,
    sizeBytes: cloud.things.get(id)?.bytes?.length ?? 0,
    createdByThisCall: false,
  });
  const removeAll = async (
    run: DeploymentRun,
    signal: AbortSignal,
    isMeant: (entry: LedgerEntry) => boolean,
  ): Promise<void> => {
    const mine = run.ledger
      .list({ lifetime: 'deployment' })
      .filter((entry) => entry.key.startsWith(key(run, '')) && isMeant(entry));
    for (const entry of mine.toReversed()) await run.ledger.release(entry, gone, signal);
  };
  const platform: DeploymentPlatform = {
    agentPackage: { url: 'http://169.254.169.254/agent.deb', architecture: 'x86_64' },
    async plan() {
      cloud.step('plan');
      return { machineType: 'g1.1', state: {} };
    },
    async snapshotVolumes(run, volumes, signal) {
      cloud.step('snapshot volumes');
      const snapshots: VolumeSnapshot[] = [];
      for (const { id, diskId } of volumes) {
        snapshots.push({
          id: await own(run, 'volume-snapshot', `snapshot/${diskId}`, signal, () => bytesOf(id)),
          diskId,
          volumeId: id,
        });
      }
      return snapshots;
    },
    async volumesFromSnapshots(run, snapshots, signal) {
      cloud.step('volumes from snapshots');
      const volumes: Volume[] = [];
      for (const { id, diskId } of snapshots)
        volumes.push(volume(await own(run, 'volume', `disk/${diskId}`, signal, () => bytesOf(id)), diskId));
      return volumes;
    },
    async restoreVolumes(_run, snapshots) {
      cloud.step('restore volumes');
      return snapshots.map(({ id, diskId, volumeId }) => {
        const thing = cloud.things.get(volumeId);
        // A repetition after the snapshots went finds it done.
        if (thing !== undefined && cloud.things.has(id)) thing.bytes = bytesOf(id);
        return volume(volumeId, diskId);
      });
    },
    async transferVolumesToDeployment(run, volumes, signal) {
      cloud.step('adopt volumes');
      for (const { id, diskId } of volumes) {
        const take = { find: async () => ({ id }), get, create: async () => ({ id }) };
        await run.ledger.ensure(
          { kind: 'volume', key: key(run, `disk/${diskId}`), lifetime: 'deployment' },
          take,
          signal,
        );
        const former = run.ledger.find('volume', diskId);
        if (former !== undefined) await run.ledger.release(former, letGo, signal);
      }
    },
    async createNics(run, _plan, signal) {
      cloud.step('create nics');
      const nics = [];
      for (const { id, network } of run.vm.nics) {
        nics.push({
          id: await own(run, 'nic', `nic/${id}`, signal),
          sourceNicId: id,
          networkId: network,
          macAddress: 'fa:16:3e:00:00:01',
          ipAddress: '10.0.0.5',
          prefixLength: 24,
          gateway: '10.0.0.1',
        });
      }
      return nics;
    },
    async createServer(run, _plan, _volumes, nics, signal) {
      cloud.step('create server');
      const id = await own(run, 'server', 'server', signal);
      return { id, name: run.vm.name, addresses: nics.flatMap((nic) => nic.ipAddress ?? []) };
    },
    consoleLog: async () => cloud.consoleText,
    async deleteSnapshots(run, signal) {
      cloud.step('delete snapshots');
      await removeAll(run, signal, (entry) => entry.kind === 'volume-snapshot');
    },
    async rollBack(run, signal) {
      cloud.step('roll back');
      await removeAll(run, signal, () => true);
    },
  };
  return { ...platform, ...answering(platform, cloud) };
}

/** The steps that change something, each of which may lose its answer. */
function answering(platform: DeploymentPlatform, cloud: MemoryThings): Partial<DeploymentPlatform> {
  const after = async <T>(step: string, work: Promise<T>): Promise<T> => {
    const result = await work;
    await cloud.beforeAnswer(step);
    return result;
  };
  return {
    snapshotVolumes: (...input) => after('snapshot volumes', platform.snapshotVolumes(...input)),
    volumesFromSnapshots: (...input) => after('volumes from snapshots', platform.volumesFromSnapshots(...input)),
    createNics: (...input) => after('create nics', platform.createNics(...input)),
    createServer: (...input) => after('create server', platform.createServer(...input)),
    transferVolumesToDeployment: async (...input) =>
      after('adopt volumes', platform.transferVolumesToDeployment?.(...input) ?? Promise.resolve()),
    deleteSnapshots: (...input) => after('delete snapshots', platform.deleteSnapshots(...input)),
    restoreVolumes: (...input) => after('restore volumes', platform.restoreVolumes(...input)),
    rollBack: (...input) => after('roll back', platform.rollBack(...input)),
  };
}
