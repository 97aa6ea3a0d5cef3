import { CensusPeaks, faultCasesOf } from '../cloud-kit/fault-cases.ts';
import type { FaultCase } from '../cloud-kit/fault-cases.ts';
import type { CallRecord } from '../cloud-kit/http-server.ts';
import { gibibyte } from '../cloud-kit/volume-files.ts';
import type { World } from './world.ts';

export type { FaultCase } from '../cloud-kit/fault-cases.ts';

/** Changes that are accepted first and done later: they can fail, or never end, after the answer. */
const doneLater: readonly string[] = [
  'CreateVolume',
  'ResizeVolume',
  'DeleteVolume',
  'CreateServer',
  'DeleteServer',
  'StartServer',
  'AddVolumeToServer',
  'RemoveVolumeFromServer',
  'CreateSnapshot',
  'DeleteSnapshot',
];

/** Every fault that can hit one of these calls. */
export const faultCases = (calls: readonly CallRecord[]): FaultCase[] =>
  faultCasesOf(calls, {
    isDoneLater: (operation) => doneLater.includes(operation),
    isRead: ({ method, operation }) => method === 'GET' || operation === 'CreateShortLivedAccessToken',
  });

/** How many of each kind there are at this moment. */
export function census(world: World): Readonly<Record<string, number>> {
  const { volumes, snapshots, publicIps, nics, securityGroups, securityGroupRules } = world.usage();
  return { servers: world.servers.size, volumes, snapshots, publicIps, nics, securityGroups, securityGroupRules };
}

/** Keeps the most that there ever was of each kind. */
export class Peaks extends CensusPeaks<World> {
  constructor() {
    super(census);
  }
}

/** Lets what hangs in an intermediate status come to its end, and resets volumes that failed to grow, as a cloud's operators would. */
export async function endHanging(world: World): Promise<void> {
  for (const volume of world.volumes.values()) {
    if (volume.status === 'CREATING') {
      // What it is made of may be gone by now: roll-backs remove what they can.
      if (volume.source?.type === 'snapshot' && world.snapshots.has(volume.source.id))
        await world.ground.files.copy(volume.source.id, volume.id);
      else await world.ground.files.createBlank(volume.id, volume.size * gibibyte);
      volume.status = 'AVAILABLE';
    }
    if (volume.status === 'RESIZING' || volume.status === 'ERROR_RESIZING') volume.status = 'AVAILABLE';
    if (volume.status === 'DELETING') {
      await world.ground.files.remove(volume.id);
      world.volumes.delete(volume.id);
    }
  }
  for (const snapshot of world.snapshots.values()) {
    if (snapshot.status === 'DELETING') {
      await world.ground.files.remove(snapshot.id);
      world.snapshots.delete(snapshot.id);
    }
    if (snapshot.status !== 'CREATING') continue;
    await world.ground.files.copy(snapshot.volumeId, snapshot.id);
    snapshot.status = 'AVAILABLE';
  }
}
