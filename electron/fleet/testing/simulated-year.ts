import { schedule, type Mover, type Running, type Waiting } from '../schedule.ts';

/** The same numbers in each run. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
}

interface Work extends Waiting {
  readonly minutes: number;
  readonly gibibytes: number;
  readonly pass: number;
}
interface Started extends Running, Pick<Work, 'gibibytes' | 'pass'> {
  readonly endsAt: number;
}

/** One moment of the simulation, as plots show it. */
export interface YearSample {
  readonly day: number;
  readonly waiting: number;
  readonly running: number;
  /** Movers with something to do. */
  readonly busyMovers: number;
  /** The longest that something that waits now has waited, hours. */
  readonly oldestHours: number;
  /** Volumes at the destination that no cut-over has made into a machine yet, TiB. */
  readonly replicatedTebibytes: number;
  /** Since the beginning, hours. */
  readonly workerHours: number;
  readonly moverHours: number;
  /** Since the beginning: TiB of replicated volumes times months. */
  readonly tebibyteMonths: number;
}

export interface Year {
  readonly executions: number;
  readonly done: number;
  /** Moments at which a limit was exceeded. */
  readonly brokenLimits: number;
  /** Moments at which a mover had more than it carries. */
  readonly overloaded: number;
  /** Minutes. */
  readonly longestUrgent: number;
  readonly longest: number;
  readonly mostWaiting: number;
  readonly samples: readonly YearSample[];
}

export const passes = 4;
const stepMinutes = 30;
const day = 1440;
const sites = ['dc1', 'dc2', 'dc3'];
const hostsPerSite = 40;

/**
 * Waves on a clock of its own, with the real scheduler: three sites, each replica copied in full, then twice by its changes, then a last time,
 * urgently. Each week 200 replicas begin, and a mover leaves for a day.
 */
export function simulateYear({
  replicas = 10_000,
  moverCount = 50,
  seed = 7,
}: { readonly replicas?: number; readonly moverCount?: number; readonly seed?: number } = {}): Year {
  const random = numbers(seed);
  const movers: Mover[] = Array.from({ length: moverCount }, (_, index) => ({
    id: `mover-${index}`,
    reaches: new Set([sites[index % 3]!, 'cloud', ...(index % 10 === 0 ? sites : [])]),
    capacity: 4,
    isDraining: false,
  }));
  const limits = new Map<string, number>([
    ['endpoint cloud', 30],
    ...sites.flatMap((site) => [
      [`link ${site} > cloud`, 12] as const,
      ...Array.from({ length: hostsPerSite }, (_, host) => [`host ${site}/${host}`, 2] as const),
    ]),
  ]);
  const arrivals: Work[] = [];
  for (let index = 0; index < replicas; index++) {
    const site = sites[index % 3]!;
    const week = Math.floor(index / 200);
    const host = Math.floor(random() * hostsPerSite);
    const gibibytes = 20 + random() * 380;
    for (let pass = 0; pass < passes; pass++) {
      arrivals.push({
        replica: `vm-${index} ${pass}`,
        wave: `week ${week}`,
        isUrgent: pass === passes - 1,
        since: (week * 7 + pass) * day + Math.floor(random() * 600),
        endpoints: [site, 'cloud'],
        uses: ['endpoint cloud', `link ${site} > cloud`, `host ${site}/${host}`],
        gibibytes,
        pass,
        minutes: pass === 0 ? 60 + gibibytes * 1.5 : 5 + random() * 40,
      });
    }
  }
  arrivals.sort((one, other) => one.since - other.since);
  let [waiting, running]: [Work[], Started[]] = [[], []];
  const samples: YearSample[] = [];
  const seen = { done: 0, brokenLimits: 0, overloaded: 0, longestUrgent: 0, longest: 0, mostWaiting: 0 };
  let [workerHours, moverHours, replicatedGibibytes, tebibyteMonths] = [0, 0, 0, 0];
  for (let now = 0, next = 0; next < arrivals.length || waiting.length > 0 || running.length > 0; now += stepMinutes) {
    const present = movers.map((mover, index) => ({
      ...mover,
      isDraining: Math.floor(now / (7 * day)) % moverCount === index && now % (7 * day) < day,
    }));
    for (const ended of running.filter(({ endsAt }) => endsAt <= now)) {
      seen.done += 1;
      if (ended.pass === 0) replicatedGibibytes += ended.gibibytes;
      if (ended.pass === passes - 1) replicatedGibibytes -= ended.gibibytes;
    }
    running = running.filter(({ endsAt }) => endsAt > now);
    while (next < arrivals.length && arrivals[next]!.since <= now) waiting.push(arrivals[next++]!);
    const assigned = new Map(
      schedule({ waiting, running, movers: present, limits, now, patience: 240 }).map(({ replica, mover }) => [
        replica,
        mover,
      ]),
    );
    for (const { replica, wave, uses, gibibytes, pass, minutes, since, isUrgent } of waiting) {
      const mover = assigned.get(replica);
      if (mover === undefined) continue;
      running.push({ replica, wave, uses, gibibytes, pass, mover, endsAt: now + minutes });
      seen.longest = Math.max(seen.longest, now - since);
      if (isUrgent) seen.longestUrgent = Math.max(seen.longestUrgent, now - since);
    }
    waiting = waiting.filter(({ replica }) => !assigned.has(replica));
    seen.mostWaiting = Math.max(seen.mostWaiting, waiting.length);
    const [used, load] = [new Map<string, number>(), new Map<string, number>()];
    for (const { uses, mover } of running) {
      for (const use of uses) used.set(use, (used.get(use) ?? 0) + 1);
      load.set(mover, (load.get(mover) ?? 0) + 1);
    }
    for (const [use, count] of used) if (count > (limits.get(use) ?? Infinity)) seen.brokenLimits += 1;
    for (const count of load.values()) if (count > 4) seen.overloaded += 1;
    workerHours += (running.length * stepMinutes) / 60;
    moverHours += (moverCount * stepMinutes) / 60;
    tebibyteMonths += (replicatedGibibytes / 1024) * (stepMinutes / (30 * day));
    if (now % (day / 4) === 0) {
      samples.push({
        day: now / day,
        waiting: waiting.length,
        running: running.length,
        busyMovers: load.size,
        oldestHours: waiting.reduce((most, { since }) => Math.max(most, now - since), 0) / 60,
        replicatedTebibytes: replicatedGibibytes / 1024,
        workerHours,
        moverHours,
        tebibyteMonths,
      });
    }
  }
  return { executions: arrivals.length, ...seen, samples };
}
