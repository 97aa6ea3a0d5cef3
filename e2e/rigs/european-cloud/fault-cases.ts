import type { FaultEffect } from './faults.ts';
import type { CallRecord } from './http-server.ts';
import type { World } from './world.ts';

/** One call that goes wrong once: the `nth` of its operation. */
export interface FaultCase {
  readonly operation: string;
  readonly nth: number;
  readonly effect: FaultEffect;
}

/** What can happen to any call; what a call was to do is done, or not. */
const anyCall: readonly FaultEffect[] = ['500', '429', '502-before', '502-after', 'connection-reset', 'connection-reset-after'];

/** Changes that are accepted first and done later: they can fail, or never end, after the answer. */
const doneLater: readonly string[] = [
  'CreateVolume', 'ResizeVolume', 'DeleteVolume', 'CreateServer', 'DeleteServer', 'StartServer', 'AddVolumeToServer', 'RemoveVolumeFromServer',
  'CreateSnapshot', 'DeleteSnapshot',
];

/**
 * Every fault that can hit one of these calls. A call that only reads is refused, throttled, or loses its answer; one
 * that changes something may also never be answered.
 */
export function faultCases(calls: readonly CallRecord[]): FaultCase[] {
  const counted = new Map<string, number>();
  return calls.flatMap(({ operation, method }) => {
    const nth = (counted.get(operation) ?? 0) + 1;
    counted.set(operation, nth);
    const changes = method !== 'GET' && operation !== 'CreateShortLivedAccessToken';
    const effects: readonly FaultEffect[] = changes
      ? [...anyCall, 'no-answer', ...(doneLater.includes(operation) ? (['status-error', 'hang'] as const) : [])]
      : anyCall.filter((effect) => effect !== '502-before');
    return effects.map((effect) => ({ operation, nth, effect }));
  });
}

/** How many of each kind there are at this moment. */
export function census(world: World): Readonly<Record<string, number>> {
  const { volumes, snapshots, publicIps, nics, securityGroups, securityGroupRules } = world.usage();
  return { servers: world.servers.size, volumes, snapshots, publicIps, nics, securityGroups, securityGroupRules };
}

/** Keeps the most that there ever was of each kind: something made twice shows, even when both are removed at the end. */
export class Peaks {
  #most: Record<string, number> = {};

  look(world: World): void {
    for (const [kind, count] of Object.entries(census(world))) this.#most[kind] = Math.max(this.#most[kind] ?? 0, count);
  }

  /** What was more than in `allowed`, as text. */
  beyond(allowed: Readonly<Record<string, number>>): string[] {
    return Object.entries(this.#most)
      .filter(([kind, count]) => count > (allowed[kind] ?? 0))
      .map(([kind, count]) => `${count} ${kind} at once, ${allowed[kind] ?? 0} are enough`);
  }

  /** The numbers since the last call, and a new beginning. */
  take(): Readonly<Record<string, number>> {
    const most = this.#most;
    this.#most = {};
    return most;
  }
}

/** Lets what hangs in an intermediate status come to its end, and resets volumes that failed to grow, as a cloud's operators would. */
export async function endHanging(world: World): Promise<void> {
  for (const volume of world.volumes.values()) {
    if (volume.status === 'CREATING') {
      // What it is made of may be gone by now: roll-backs remove what they can.
      if (volume.source?.type === 'snapshot' && world.snapshots.has(volume.source.id)) await world.setup.files.copy(volume.source.id, volume.id);
      else await world.setup.files.createBlank(volume.id, volume.size);
      volume.status = 'AVAILABLE';
    }
    if (volume.status === 'RESIZING' || volume.status === 'ERROR_RESIZING') volume.status = 'AVAILABLE';
    if (volume.status === 'DELETING') {
      await world.setup.files.remove(volume.id);
      world.volumes.delete(volume.id);
    }
  }
  for (const snapshot of world.snapshots.values()) {
    if (snapshot.status === 'DELETING') {
      await world.setup.files.remove(snapshot.id);
      world.snapshots.delete(snapshot.id);
    }
    if (snapshot.status !== 'CREATING') continue;
    await world.setup.files.copy(snapshot.volumeId, snapshot.id);
    snapshot.status = 'AVAILABLE';
  }
}
