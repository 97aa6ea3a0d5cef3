import type { DescriptionConflict, NotShared } from '../../shared/model/fleet.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { wavesJournal, type FleetHooks, type FleetInEngine } from '../engine/ports/replica-fleet.ts';
import { systemClock, type Clock } from '../engine/time/clock.ts';
import type { DescriptionExchange } from './description-exchange.ts';
import type { FleetMember } from './fleet-member.ts';
import { fleetView } from './fleet-view.ts';
import { replicaHistory } from './history.ts';
import type { ClaimBoard, JournalLog } from './journal-log.ts';
import type { Member } from './journal-record.ts';
import type { FleetLive, LiveHandlers } from './live-messages.ts';
import { memberTalk } from './member-talk.ts';
import { placeWork, type Placing } from './place-work.ts';

/** How long calls wait for what others have recorded before, milliseconds. */
const readyMs = 10_000;
/** How long whoever has just come waits for the numbers of what others carry out, milliseconds. */
const introductionMs = 500;
/** After a replica could not be continued, this member leaves it to others for so many times the length of a claim. */
const turnsAfterFailure = 10;
/** What was recorded is in the journal at the latest after so long, milliseconds, and numbers are told no more often. */
const tellMs = 1000;

export interface EngineInFleetOptions {
  readonly self: Member;
  readonly member: FleetMember;
  readonly claims: ClaimBoard;
  readonly log: Pick<JournalLog, 'changed' | 'read'>;
  readonly files: DescriptionExchange;
  readonly hooks: FleetHooks;
  live(handlers: LiveHandlers): FleetLive;
  /** Whether this engine stays, and carries out what waits. */
  readonly takesOver: boolean;
  /** As the membership says it. */
  readonly carries?: number | undefined;
  readonly reaches?: readonly string[] | undefined;
  readonly clock?: Clock | undefined;
}

/** What an engine does while it is a member: follows, is followed, renews, and takes what the fleet has for it. */
export function engineInFleet({
  self,
  member,
  claims,
  log,
  files,
  hooks,
  live: connectLive,
  takesOver,
  carries,
  reaches: names,
  clock = systemClock,
}: EngineInFleetOptions): FleetInEngine {
  const stop = new AbortController();
  const { signal } = stop;
  const everyMs = claims.ttlMs / 4;
  const idle = new Map<string, number>();
  const notBefore = new Map<string, number>();
  /** Who has a replica of which something is open, as the claims said it last. */
  const asked = new Map<string, string>();
  const dirty = new Set<string>();
  const followed = new Set<string>();
  const toTell = new Set<string>();
  const ready = Promise.withResolvers<void>();
  let reached: readonly string[] = [];
  let journalsUpTo: number | undefined;
  let conflicts: readonly DescriptionConflict[] = [];
  let notShared: readonly NotShared[] = [];
  let wake: () => void = () => undefined;
  let lookedAt = -Infinity;
  let exchangedAt = -Infinity;
  let lastHolders = '[]';

  /** What failed is tried again at the next turn. */
  const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);
  const talk = memberTalk({
    self,
    lastingMs: claims.ttlMs,
    now: () => clock.monotonic(),
    hooks,
    connect: connectLive,
    own: () => ({
      carries: takesOver ? (carries ?? hooks.carries()) : 0,
      reaches: [...reached],
      works: member.held().filter((id) => hooks.isBusy(id)),
      refuses: [...notBefore].flatMap(([id, until]) => (until > clock.monotonic() ? id : [])),
    }),
    holds: (replicaId) => member.held().includes(replicaId),
    wake: () => wake(),
    asked({ replica, call, input }) {
      if (!member.held().includes(replica)) return undefined;
      // What was described a moment ago may be what the call is about.
      return quietly(exchange()).then(async () => {
        const answer = await hooks.asked(call, input);
        // Whoever asked sees what became of it.
        await quietly(flush(replica));
        return answer;
      });
    },
  });
  const { others } = talk;

  async function exchange(): Promise<void> {
    const { taken, ...found } = await files.turn();
    const isNew = JSON.stringify([found.conflicts, found.notShared]) !== JSON.stringify([conflicts, notShared]);
    ({ conflicts, notShared } = found);
    if (taken.length > 0 || isNew) hooks.described();
  }

  /** Brings the store to where the journals are. After the first time only those that have grown are asked for. */
  async function follow(): Promise<void> {
    const { replicas, upTo } = await log.changed(journalsUpTo, signal);
    journalsUpTo = upTo;
    const held = new Set(member.held());
    const ids = [...hooks.replicas(), wavesJournal];
    for (const id of ids) if (!followed.has(id) || replicas.has(id)) dirty.add(id);
    for (const id of ids) {
      signal.throwIfAborted();
      if (held.has(id) || !dirty.has(id)) continue;
      dirty.delete(id);
      await member.follow(id, signal).then(
        () => followed.add(id),
        () => dirty.add(id),
      );
    }
  }

  async function look(): Promise<void> {
    // What others have recorded wakes this member up more often than files need to be compared.
    const isDue = clock.monotonic() - exchangedAt >= everyMs;
    lookedAt = clock.monotonic();
    if (isDue) {
      exchangedAt = lookedAt;
      await quietly(exchange());
    }
    for (const replicaId of member.held()) {
      await quietly(flush(replicaId));
      await quietly(releaseIdle(replicaId));
    }
    await quietly(follow());
    await quietly(askHolders());
    ready.resolve();
    // Whoever leads waves asks once more for what could not be asked for.
    hooks.looked();
    if (!takesOver) return;
    if (isDue) {
      reached = await hooks.reaches(names).catch(() => []);
      talk.tellHere();
    }
    await quietly(takeUpWaves());
    await takeWork();
  }

  /** Claims say for certain who has what is open; whoever was just heard of need not be asked about. */
  async function askHolders(): Promise<void> {
    const before = lastHolders;
    const held = new Set(member.held());
    const open = hooks.openRuns().map(({ replicaId }) => replicaId);
    const keys = hooks.hasOpenWave() ? [...open, wavesJournal] : open;
    for (const key of asked.keys()) if (!keys.includes(key)) asked.delete(key);
    for (const key of keys) {
      const holder = held.has(key) ? undefined : (others.holder(key)?.name ?? (await claims.holder(key, signal)));
      if (holder === undefined) asked.delete(key);
      else asked.set(key, holder);
    }
    lastHolders = JSON.stringify([...asked]);
    if (lastHolders !== before) hooks.moved();
  }

  function placing(): Placing {
    const held = new Set(member.held());
    const holderOf = (id: string): string | undefined =>
      held.has(id) || hooks.isBusy(id) ? self.id : (others.holder(id)?.id ?? asked.get(id));
    return {
      self: talk.here(),
      others: others.list(),
      open: hooks.openRuns(),
      holderOf,
      limits: hooks.limits(),
      now: clock.wallTime(),
    };
  }

  async function takeWork(): Promise<void> {
    const mine = placeWork(placing());
    await Promise.all(
      mine.map(async (replicaId) => {
        // A run of this engine that still stops must not keep it from looking after other replicas.
        if (!signal.aborted && !hooks.isBusy(replicaId)) await quietly(takeOver(replicaId));
      }),
    );
    if (mine.length > 0) talk.tellHere();
  }

  /** What carries out actions on waves is gone: any member that stays can go on, as it does nothing but ask for executions. */
  async function takeUpWaves(): Promise<void> {
    if (
      !talk.isDraining() &&
      hooks.hasOpenWave() &&
      !member.held().includes(wavesJournal) &&
      asked.get(wavesJournal) === undefined
    )
      await takeOver(wavesJournal);
  }

  async function releaseIdle(replicaId: string): Promise<void> {
    if (hooks.isBusy(replicaId)) return void idle.delete(replicaId);
    const since = idle.get(replicaId) ?? clock.monotonic();
    idle.set(replicaId, since);
    // Whoever has started one thing often starts the next one.
    if (clock.monotonic() - since < claims.ttlMs / 2) return;
    idle.delete(replicaId);
    await member.release(replicaId, signal);
  }

  async function takeOver(replicaId: string): Promise<void> {
    if ((notBefore.get(replicaId) ?? 0) > clock.monotonic()) return;
    try {
      await hooks.resume(replicaId);
    } catch (error) {
      // Somebody was faster.
      if (error instanceof CausewayError && error.code === 'fleet.claimed-elsewhere') return;
      // Whoever cannot continue it, for example because its vault is locked, leaves it to others.
      notBefore.set(replicaId, clock.monotonic() + claims.ttlMs * turnsAfterFailure);
      await member.release(replicaId, signal);
      throw error;
    }
  }

  async function flush(replicaId: string): Promise<void> {
    await member.settled(replicaId, signal);
    talk.recorded(replicaId);
  }

  async function release(replicaId: string, within: AbortSignal): Promise<void> {
    // What runs here runs under this claim.
    if (hooks.isBusy(replicaId) && !signal.aborted) return;
    await member.release(replicaId, within);
    talk.recorded(replicaId);
    wake();
  }

  /** Until this member leaves. */
  async function every(ms: number, work: () => unknown): Promise<void> {
    while (!signal.aborted) {
      await clock.sleep(ms, signal).catch(() => undefined);
      if (!signal.aborted) await work();
    }
  }

  function nextLook(): Promise<void> {
    return new Promise<void>((resolve) => {
      wake = resolve;
      void clock.sleep(everyMs, signal).then(resolve, resolve);
    }).then(() => clock.sleep(Math.max(0, lookedAt + tellMs - clock.monotonic()), signal).catch(() => undefined));
  }

  // After a sleep, what runs stops as soon as timers have their turn. What arrives before that finds out when it sends something (`claimed`).
  const expiring = every(everyMs / 2, () => member.expire());
  const telling = every(tellMs, () => {
    for (const replicaId of toTell) if (member.held().includes(replicaId)) void quietly(flush(replicaId));
    toTell.clear();
    talk.tellChanges();
  });
  const renewing = quietly(member.renew(signal)).then(() => every(everyMs, () => quietly(member.renew(signal))));
  // Servers that do not answer must not keep anybody from reading.
  void clock.sleep(readyMs, signal).then(ready.resolve, ready.resolve);
  const watching = (async () => {
    while (!signal.aborted) {
      const next = nextLook();
      await quietly(look());
      ready.resolve();
      await next;
    }
  })();
  const isReady = ready.promise.then(async () => {
    // Others carry something out, and say how far it is.
    if (asked.size > 0)
      await Promise.race([
        talk.introduced(() => asked.keys()),
        clock.sleep(introductionMs, signal).catch(() => undefined),
      ]);
  });

  return {
    ready: isReady,
    claim: (replicaId, within) => member.claim(replicaId, within),
    settled: (replicaId, within) => member.settled(replicaId, within),
    claimed: (replicaId) => member.claimed(replicaId),
    epoch: (replicaId) => member.epoch(replicaId),
    holder: (replicaId) =>
      member.held().includes(replicaId) ? undefined : (others.holder(replicaId)?.name ?? asked.get(replicaId)),
    release,
    async forward(replicaId, call, input, within) {
      await quietly(exchange());
      const answer = await talk.ask({ replica: replicaId, call, input }, within);
      if (answer === undefined)
        throw new CausewayError(
          'fleet.claimed-elsewhere',
          `${asked.get(replicaId) ?? 'the member that works on it'} does not answer`,
        );
      await quietly(member.follow(replicaId, within));
      return answer;
    },
    noted: (replicaId) => void toTell.add(replicaId),
    publish: (replicaId, progress) => talk.publish(replicaId, progress),
    view: (queueLimit) => fleetView({ placing: placing(), asked, talk, queueLimit }),
    mayChange: () => talk.mayTell(),
    history: async (replicaId, within) => ({ replicaId, ...replicaHistory(await log.read(replicaId, 0, within)) }),
    drain: (name, drains) => talk.drain(name, drains),
    leave: () => talk.leave(),
    isLeaving: () => talk.isDraining(),
    conflicts: () => conflicts,
    notShared: () => notShared,
    async decide(file, side, revision) {
      try {
        await files.resolve(file, side, revision);
      } finally {
        // Of what has come since, too, the difference has to be shown.
        await quietly(exchange());
        hooks.described();
      }
    },
    async close() {
      stop.abort();
      await Promise.all([watching, renewing, expiring, telling]);
      // What a command has changed in the project's files is for the others before it ends.
      await quietly(exchange());
      const last = AbortSignal.timeout(claims.ttlMs);
      for (const replicaId of member.held()) await quietly(release(replicaId, last));
      talk.gone();
    },
  };
}
