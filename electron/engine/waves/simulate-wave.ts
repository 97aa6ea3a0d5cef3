import type { MemberState } from '../../../shared/model/wave.ts';
import { nextSteps } from './next-steps.ts';

/** What a member has to do, in this order. */
export interface SimulatedMember {
  readonly id: string;
  readonly group: number;
  /** Ids of members that have to be completed before. */
  readonly after: readonly string[];
  /** Before data moves: a snapshot, a worker. */
  readonly beforeSeconds: number;
  /** Bytes that cross the link. */
  readonly bytes: number;
  /** How fast it is alone. */
  readonly mostBytesPerSecond: number;
  /** After data has moved: a deployment with its checks. */
  readonly afterSeconds: number;
}

export interface SimulationLimits {
  readonly atOnce: number;
  /** Of the link, for all members together; undefined: there is none. */
  readonly bytesPerSecond?: number | undefined;
}

/** Seconds since the wave began. */
export interface SimulatedTimes {
  readonly start: number;
  readonly end: number;
}

interface Running {
  readonly member: SimulatedMember;
  readonly start: number;
  phase: 'before' | 'copying' | 'after';
  /** Seconds, or bytes while it copies. */
  left: number;
}

/**
 * When each member of a wave starts and ends, if nothing fails and every go is given immediately. The order is decided by the very
 * function that starts the members of a real wave. Members that can never start are not in the answer.
 */
export function simulateWave(
  members: readonly SimulatedMember[],
  { atOnce, bytesPerSecond }: SimulationLimits,
): ReadonlyMap<string, SimulatedTimes> {
  const states = new Map<string, MemberState>(members.map(({ id }) => [id, 'waiting']));
  const byId = new Map(members.map((member) => [member.id, member]));
  const ended = new Map<string, SimulatedTimes>();
  const running: Running[] = [];
  // Who is completed holds nobody back; whatever still starts does so when another one ends.
  let left = members;
  let isDue = true;
  for (let now = 0; ;) {
    const decided = isDue
      ? left.map(({ id, group, after }) => ({ replicaId: id, group, after, state: states.get(id)! }))
      : [];
    isDue = false;
    for (const id of nextSteps({ state: 'running', atOnce, groups: [], released: Number.MAX_SAFE_INTEGER }, decided)
      .start) {
      states.set(id, 'running');
      const member = byId.get(id)!;
      running.push(advanced({ member, start: now, phase: 'before', left: member.beforeSeconds }));
    }
    if (running.length === 0) return ended;
    const rates = ratesOf(running, bytesPerSecond);
    const secondsLeft = running.map((one, index) => (one.phase === 'copying' ? one.left / rates[index]! : one.left));
    const step = Math.min(...secondsLeft);
    if (!Number.isFinite(step)) return ended;
    now += step;
    for (const [index, one] of running.entries()) {
      // Those that are next end exactly, whatever rounding says.
      one.left = secondsLeft[index] === step ? 0 : one.left - step * (one.phase === 'copying' ? rates[index]! : 1);
      advanced(one);
    }
    for (const one of running.filter(isDone)) {
      ended.set(one.member.id, { start: one.start, end: now });
      states.set(one.member.id, 'completed');
      running.splice(running.indexOf(one), 1);
      isDue = true;
    }
    if (isDue) left = left.filter(({ id }) => states.get(id) !== 'completed');
  }
}

const isDone = ({ phase, left }: Running): boolean => phase === 'after' && left <= 0;

/** On to the first phase that takes time. */
function advanced(one: Running): Running {
  if (one.phase === 'before' && one.left <= 0) [one.phase, one.left] = ['copying', one.member.bytes];
  if (one.phase === 'copying' && one.left <= 0) [one.phase, one.left] = ['after', one.member.afterSeconds];
  return one;
}

/** The link is shared evenly; what one cannot use, because it is slower alone, the others have. */
function ratesOf(running: readonly Running[], link: number | undefined): readonly number[] {
  const rates = running.map(() => 0);
  const copying = [...running.keys()]
    .filter((index) => running[index]!.phase === 'copying')
    .sort((one, other) => running[one]!.member.mostBytesPerSecond - running[other]!.member.mostBytesPerSecond);
  let free = link ?? Infinity;
  for (const [place, index] of copying.entries()) {
    rates[index] = Math.min(running[index]!.member.mostBytesPerSecond, free / (copying.length - place));
    free -= rates[index];
  }
  return rates;
}
