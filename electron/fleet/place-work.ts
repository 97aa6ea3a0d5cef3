import type { OpenRun } from '../engine/ports/replica-fleet.ts';
import type { Here } from './live-messages.ts';
import { queue, schedule, type Mover, type Queued, type Running, type Situation, type Waiting } from './schedule.ts';

export interface Placing {
  readonly self: Here;
  readonly others: readonly Here[];
  readonly open: readonly OpenRun[];
  /** The id or name of whoever works on it, if somebody does. */
  holderOf(replicaId: string): string | undefined;
  readonly limits: ReadonlyMap<string, number>;
  /** The same unit as `since` of runs. */
  readonly now: number;
}

/** After so long, milliseconds, what several limits keep waiting gets their next free places. */
const patienceMs = 30 * 60_000;

/** Which of the runs that wait this member takes now. Every member finds the same of the whole, as far as it knows the same. */
export function placeWork(placing: Placing): readonly string[] {
  const { self } = placing;
  return schedule(situationOf(placing)).flatMap(({ replica, mover }) => (mover === self.member.id ? replica : []));
}

/** What waits, in the order in which it starts, and for what. */
export function waitingWork(placing: Placing): readonly Queued[] {
  return queue(situationOf(placing));
}

/** How many executions use something now, of what is limited. */
export function limitsInUse({
  open,
  holderOf,
  limits,
}: Pick<Placing, 'open' | 'holderOf' | 'limits'>): ReadonlyMap<string, number> {
  const counts = new Map([...limits.keys()].map((name) => [name, 0]));
  for (const { replicaId, uses } of open) {
    if (holderOf(replicaId) === undefined) continue;
    for (const use of new Set(uses)) if (counts.has(use)) counts.set(use, counts.get(use)! + 1);
  }
  return counts;
}

function situationOf({ self, others, open, holderOf, limits, now }: Placing): Situation {
  const waiting: Waiting[] = [];
  const running: Running[] = [];
  for (const { replicaId: replica, ...run } of open) {
    const mover = holderOf(replica);
    if (mover === undefined) waiting.push({ replica, ...run });
    else running.push({ replica, wave: run.wave, uses: run.uses, mover });
  }
  return { waiting, running, movers: [self, ...others].map(moverOf), limits, now, patience: patienceMs };
}

function moverOf({ member, carries, isDraining, reaches, refuses }: Here): Mover {
  return { id: member.id, capacity: carries, isDraining, reaches: new Set(reaches), refuses: new Set(refuses) };
}
