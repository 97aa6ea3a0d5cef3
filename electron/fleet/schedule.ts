import type { OpenRun } from '../engine/ports/replica-fleet.ts';

/** An execution that waits for somebody to carry it out. */
export interface Waiting extends Omit<OpenRun, 'replicaId'> {
  readonly replica: string;
}

export interface Mover {
  readonly id: string;
  readonly reaches: ReadonlySet<string>;
  /** Executions at the same time. */
  readonly capacity: number;
  /** It ends what it has, and gets nothing new. */
  readonly isDraining: boolean;
  /** Replicas that it could not continue. */
  readonly refuses?: ReadonlySet<string>;
}

export interface Running extends Pick<Waiting, 'replica' | 'wave' | 'uses'> {
  readonly mover: string;
}

export interface Assignment {
  readonly replica: string;
  readonly mover: string;
}

export interface Situation {
  readonly waiting: readonly Waiting[];
  readonly running: readonly Running[];
  readonly movers: readonly Mover[];
  /** How many executions may use something at the same time; what has no limit is not named. */
  readonly limits: ReadonlyMap<string, number>;
  readonly now: number;
  /** After so long an execution that several limits keep waiting gets their next free places, although they stay empty meanwhile. */
  readonly patience: number;
}

/**
 * Which waiting executions start now, and where. The same for every member that knows the same, in whatever order: urgent ones first, then the
 * wave that has the fewest under way, then the oldest. One that cannot start holds up nobody, until its patience is over.
 */
export function schedule({ waiting, running, movers, limits, now, patience }: Situation): Assignment[] {
  const used = countOf(running.flatMap(({ uses }) => [...new Set(uses)]));
  const underWay = countOf(running.map(({ wave }) => wave));
  const load = countOf(running.map(({ mover }) => mover));
  const busy = new Set(running.map(({ replica }) => replica));
  const open = movers.filter(({ isDraining }) => !isDraining).toSorted(byId);
  const assignments: Assignment[] = [];
  for (const isUrgent of [true, false]) {
    const queues = queuesOf(waiting.filter((one) => one.isUrgent === isUrgent && !busy.has(one.replica)));
    while (queues.size > 0) {
      const wave = [...queues.keys()].reduce((best, each) => (isAhead(each, best) ? each : best));
      const queue = queues.get(wave)!;
      const next = queue.shift()!;
      if (queue.length === 0) queues.delete(wave);
      if (busy.has(next.replica)) continue;
      const reaching = open.filter(({ reaches, refuses, capacity }) => capacity > 0 && refuses?.has(next.replica) !== true && next.endpoints.every((endpoint) => reaches.has(endpoint)));
      if (reaching.length === 0) continue;
      const uses = [...new Set(next.uses)];
      const isLimited = uses.some((use) => used.get(use) >= (limits.get(use) ?? Infinity));
      const mover = isLimited ? undefined : leastLoaded(reaching);
      if (mover !== undefined) {
        assignments.push({ replica: next.replica, mover: mover.id });
        busy.add(next.replica);
        load.add(mover.id);
        underWay.add(wave);
      }
      if (mover !== undefined || (isLimited && now - next.since > patience)) for (const use of uses) used.add(use);
    }
    function isAhead(one: string, other: string): boolean {
      const [a, b] = [queues.get(one)![0]!, queues.get(other)![0]!];
      return underWay.get(one) - underWay.get(other) < 0 || (underWay.get(one) === underWay.get(other) && byAge(a, b) < 0);
    }
  }
  return assignments;

  function leastLoaded(reaching: readonly Mover[]): Mover | undefined {
    const free = reaching.filter(({ id, capacity }) => load.get(id) < capacity);
    return free.reduce<Mover | undefined>((best, each) => (best === undefined || load.get(each.id) / each.capacity < load.get(best.id) / best.capacity ? each : best), undefined);
  }
}

/** The oldest first in each wave. */
function queuesOf(waiting: readonly Waiting[]): Map<string, Waiting[]> {
  const queues = new Map<string, Waiting[]>();
  for (const one of waiting.toSorted(byAge)) {
    const queue = queues.get(one.wave);
    if (queue === undefined) queues.set(one.wave, [one]);
    else queue.push(one);
  }
  return queues;
}

/** Not by the language of a computer: all members have to come to the same order. */
function byText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function byAge(one: Waiting, other: Waiting): number {
  return one.since - other.since || byText(one.replica, other.replica);
}

function byId(one: Mover, other: Mover): number {
  return byText(one.id, other.id);
}

interface Count {
  get(name: string): number;
  add(name: string): void;
}

function countOf(names: readonly string[]): Count {
  const counts = new Map<string, number>();
  const count: Count = { get: (name) => counts.get(name) ?? 0, add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1) };
  for (const name of names) count.add(name);
  return count;
}
