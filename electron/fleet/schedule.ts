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

/** What keeps an execution from being started. */
export type Obstacle =
  /** No member carries anything out. */
  | { readonly kind: 'nobody' }
  /** No member reaches both endpoints; these are the ones that nobody reaches, or both where each is reached by somebody. */
  | { readonly kind: 'reach'; readonly endpoints: readonly string[] }
  /** Whoever reaches them is leaving. */
  | { readonly kind: 'draining' }
  /** Whoever reaches them could not continue it. */
  | { readonly kind: 'refused' }
  | { readonly kind: 'limit'; readonly limits: readonly string[] }
  /** Whoever reaches them has as many as it carries. */
  | { readonly kind: 'room' };

type Decision = { readonly replica: string } & ({ readonly mover: string } | { readonly obstacle: Obstacle });

/**
 * Which waiting executions start now, and where. The same for every member that knows the same, in whatever order: urgent ones first, then the
 * wave that has the fewest under way, then the oldest. One that cannot start holds up nobody, until its patience is over.
 */
export function schedule(situation: Situation): Assignment[] {
  return decide(situation).flatMap((decision) => ('mover' in decision ? decision : []));
}

/** One that waits, in the order in which people see it. */
export interface Queued {
  readonly replica: string;
  /** The member that takes it within seconds. */
  readonly mover?: string;
  readonly obstacle?: Obstacle;
}

/** What waits, in the order in which it starts as places become free, and for what. */
export function queue(situation: Situation): Queued[] {
  const decisions = new Map(decide(situation).map((decision) => [decision.replica, decision]));
  const underWay = countOf(situation.running.map(({ wave }) => wave));
  const found: Queued[] = [];
  for (const next of inFairOrder(situation, underWay)) {
    // As if each of them had started when the next one is chosen.
    underWay.add(next.wave);
    found.push(decisions.get(next.replica) ?? { replica: next.replica });
  }
  return found;
}

/** The caller counts what it starts before it asks for the next one. */
function* inFairOrder({ waiting, running }: Situation, underWay: Count): Generator<Waiting, void> {
  const busy = new Set(running.map(({ replica }) => replica));
  for (const isUrgent of [true, false]) {
    const queues = queuesOf(waiting.filter((one) => one.isUrgent === isUrgent && !busy.has(one.replica)));
    while (queues.size > 0) {
      const wave = [...queues.keys()].reduce((best, each) => (isAhead(each, best) ? each : best));
      const next = queues.get(wave)!.shift()!;
      if (queues.get(wave)!.length === 0) queues.delete(wave);
      if (busy.has(next.replica)) continue;
      busy.add(next.replica);
      yield next;
    }
    function isAhead(one: string, other: string): boolean {
      const [a, b] = [queues.get(one)![0]!, queues.get(other)![0]!];
      return (
        underWay.get(one) - underWay.get(other) < 0 || (underWay.get(one) === underWay.get(other) && byAge(a, b) < 0)
      );
    }
  }
}

/** What becomes of each waiting execution now, in the order in which they are looked at. */
function decide(situation: Situation): Decision[] {
  const { running, movers, limits, now, patience } = situation;
  const used = countOf(running.flatMap(({ uses }) => [...new Set(uses)]));
  const underWay = countOf(running.map(({ wave }) => wave));
  const load = countOf(running.map(({ mover }) => mover));
  const able = movers.filter(({ capacity }) => capacity > 0).toSorted(byId);
  const open = able.filter(({ isDraining }) => !isDraining);
  const decisions: Decision[] = [];
  for (const next of inFairOrder(situation, underWay)) {
    const { replica } = next;
    const reaching = open.filter((mover) => reachesAll(mover, next));
    const willing = reaching.filter(({ refuses }) => refuses?.has(replica) !== true);
    if (willing.length === 0) {
      decisions.push({ replica, obstacle: reaching.length > 0 ? { kind: 'refused' } : whyNobody(next) });
      continue;
    }
    const uses = [...new Set(next.uses)];
    const full = uses.filter((use) => used.get(use) >= (limits.get(use) ?? Infinity));
    const mover = full.length > 0 ? undefined : leastLoaded(willing);
    if (mover === undefined)
      decisions.push({ replica, obstacle: full.length > 0 ? { kind: 'limit', limits: full } : { kind: 'room' } });
    else {
      decisions.push({ replica, mover: mover.id });
      load.add(mover.id);
      underWay.add(next.wave);
    }
    if (mover !== undefined || (full.length > 0 && now - next.since > patience)) for (const use of uses) used.add(use);
  }
  return decisions;

  function whyNobody(next: Waiting): Obstacle {
    if (able.some((mover) => reachesAll(mover, next))) return { kind: 'draining' };
    if (open.length === 0) return { kind: able.length > 0 ? 'draining' : 'nobody' };
    const reachedByNone = next.endpoints.filter((endpoint) => !open.some(({ reaches }) => reaches.has(endpoint)));
    return { kind: 'reach', endpoints: reachedByNone.length > 0 ? reachedByNone : next.endpoints };
  }

  function leastLoaded(among: readonly Mover[]): Mover | undefined {
    const free = among.filter(({ id, capacity }) => load.get(id) < capacity);
    return free.reduce<Mover | undefined>(
      (best, each) =>
        best === undefined || load.get(each.id) / each.capacity < load.get(best.id) / best.capacity ? each : best,
      undefined,
    );
  }
}

function reachesAll({ reaches }: Mover, { endpoints }: Waiting): boolean {
  return endpoints.every((endpoint) => reaches.has(endpoint));
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
  const count: Count = {
    get: (name) => counts.get(name) ?? 0,
    add: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
  };
  for (const name of names) count.add(name);
  return count;
}
