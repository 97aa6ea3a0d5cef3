import type { OpenRun } from '../engine/ports/replica-fleet.ts';
import type { Here } from './live-messages.ts';
import { schedule, type Mover, type Running, type Waiting } from './schedule.ts';

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
export function placeWork({ self, others, open, holderOf, limits, now }: Placing): readonly string[] {
  const waiting: Waiting[] = [];
  const running: Running[] = [];
  for (const { replicaId: replica, ...run } of open) {
    const mover = holderOf(replica);
    if (mover === undefined) waiting.push({ replica, ...run });
    else running.push({ replica, wave: run.wave, uses: run.uses, mover });
  }
  const movers = [self, ...others].map(moverOf);
  const assigned = schedule({ waiting, running, movers, limits, now, patience: patienceMs });
  return assigned.flatMap(({ replica, mover }) => (mover === self.member.id ? replica : []));
}

function moverOf({ member, carries, isDraining, reaches, refuses }: Here): Mover {
  return { id: member.id, capacity: carries, isDraining, reaches: new Set(reaches), refuses: new Set(refuses) };
}
