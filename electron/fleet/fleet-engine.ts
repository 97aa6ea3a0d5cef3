import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { DescriptionConflict, NotShared } from '../../shared/model/fleet.ts';
import type { FleetHooks, FleetInEngine } from '../engine/ports/replica-fleet.ts';
import type { JoinFleet } from '../engine/store/replica-changes.ts';
import { systemClock } from '../engine/time/clock.ts';
import { openExchange, type DescriptionExchange } from './description-exchange.ts';
import type { FleetConfig } from './fleet-config.ts';
import { FleetMember } from './fleet-member.ts';
import type { ClaimBoard, JournalLog } from './journal-log.ts';
import { natsClaims } from './nats-claims.ts';
import { connectToFleet } from './nats-connection.ts';
import { natsJournal } from './nats-journal.ts';
import { untilReached } from './unreached-fleet.ts';

/** How long calls wait for what others have recorded before, milliseconds. */
const readyMs = 10_000;

/** After a replica could not be continued, this member leaves it to others for so many times the length of a claim. */
const turnsAfterFailure = 10;

/** A connection to a fleet, with which an engine is opened. */
export interface JoinedFleet {
  readonly join: JoinFleet;
  /** After the engine was closed. */
  close(): Promise<void>;
}

/** What a member works with while it is connected. */
interface Connected {
  readonly connection: NatsConnection;
  readonly log: JournalLog;
  readonly claims: ClaimBoard;
  readonly files: DescriptionExchange;
}

/**
 * Connects to the servers of a fleet. The engine that is opened with it works on a replica only while it holds its claim, records in the
 * replica's journal before it creates or removes anything, and follows what others record. Where no server is reached the project can be read,
 * and the servers are tried again. Rejects with `fleet.forbidden`.
 *
 * @param takesOver whether it continues what other members have left: an engine that stays open
 */
export async function joinFleet(config: FleetConfig, { takesOver, projectFolder, retryMs = 10_000 }: { readonly takesOver: boolean; readonly projectFolder: string; readonly retryMs?: number }): Promise<JoinedFleet> {
  const member = { id: randomUUID(), name: `${hostname()} (process ${process.pid})` };
  const connections: NatsConnection[] = [];
  const open = async (): Promise<Connected> => {
    const connection = await connectToFleet(config, member.name);
    try {
      const [log, claims, files] = await Promise.all([natsJournal(connection, config), natsClaims(connection, config, member), openExchange(connection, config, projectFolder)]);
      connections.push(connection);
      return { connection, log, claims, files };
    } catch (error) {
      await connection.close();
      throw error;
    }
  };
  const first = await open().catch((error: unknown) => {
    if (error instanceof CausewayError && error.code === 'fleet.unreachable') return error;
    throw error;
  });
  return {
    join(changes, hooks) {
      const start = ({ log, claims, files }: Connected): FleetInEngine =>
        engineInFleet(new FleetMember({ member, log, claims, changes, marks: hooks.marks, clock: systemClock, onApplying: hooks.applying, onApplied: hooks.applied }), claims, files, hooks, takesOver);
      return first instanceof CausewayError ? untilReached(first, async () => start(await open()), retryMs) : start(first);
    },
    async close() {
      for (const connection of connections) await connection.close();
    },
  };
}

function engineInFleet(member: FleetMember, claims: ClaimBoard, files: DescriptionExchange, hooks: FleetHooks, takesOver: boolean): FleetInEngine {
  const stop = new AbortController();
  const { signal } = stop;
  const everyMs = claims.ttlMs / 4;
  const idle = new Map<string, number>();
  const notBefore = new Map<string, number>();
  const ready = Promise.withResolvers<void>();
  let conflicts: readonly DescriptionConflict[] = [];
  let notShared: readonly NotShared[] = [];

  /** What failed is tried again at the next turn. */
  const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

  async function exchange(): Promise<void> {
    const { taken, ...found } = await files.turn();
    const isNew = JSON.stringify([found.conflicts, found.notShared]) !== JSON.stringify([conflicts, notShared]);
    ({ conflicts, notShared } = found);
    if (taken.length > 0 || isNew) hooks.described();
  }

  async function look(): Promise<void> {
    await quietly(exchange());
    const held = new Set(member.held());
    for (const replicaId of hooks.replicas()) {
      signal.throwIfAborted();
      if (held.has(replicaId)) {
        await quietly(member.settled(replicaId, signal));
        await quietly(releaseIdle(replicaId));
      } else {
        await quietly(member.follow(replicaId, signal));
      }
    }
    ready.resolve();
    if (!takesOver) return;
    for (const replicaId of hooks.replicas()) {
      signal.throwIfAborted();
      // A run of this engine that still stops must not keep it from looking after other replicas.
      if (hooks.hasOpenRun(replicaId) && !hooks.isBusy(replicaId) && !member.held().includes(replicaId)) await quietly(takeOver(replicaId));
    }
  }

  async function releaseIdle(replicaId: string): Promise<void> {
    if (hooks.isBusy(replicaId)) return void idle.delete(replicaId);
    const since = idle.get(replicaId) ?? performance.now();
    idle.set(replicaId, since);
    // Whoever has started one thing often starts the next one.
    if (performance.now() - since < claims.ttlMs / 2) return;
    idle.delete(replicaId);
    await member.release(replicaId, signal);
  }

  async function takeOver(replicaId: string): Promise<void> {
    if ((notBefore.get(replicaId) ?? 0) > performance.now()) return;
    if ((await claims.holder(replicaId, signal)) !== undefined) return;
    try {
      await hooks.resume(replicaId);
    } catch (error) {
      // Whoever cannot continue it, for example because its vault is locked, leaves it to others.
      notBefore.set(replicaId, performance.now() + claims.ttlMs * turnsAfterFailure);
      await member.release(replicaId, signal);
      throw error;
    }
  }

  // After a sleep, what runs stops as soon as timers have their turn. What arrives before that finds out when it sends something (`claimed`).
  const expiring = setInterval(() => member.expire(), everyMs / 2).unref();
  const renewing = (async () => {
    while (!signal.aborted) {
      await quietly(member.renew(signal));
      await systemClock.sleep(everyMs, signal).catch(() => undefined);
    }
  })();
  // Servers that do not answer must not keep anybody from reading.
  void systemClock.sleep(readyMs, signal).then(ready.resolve, ready.resolve);
  const watching = (async () => {
    while (!signal.aborted) {
      await quietly(look());
      ready.resolve();
      await systemClock.sleep(everyMs, signal).catch(() => undefined);
    }
  })();
  return {
    ready: ready.promise,
    claim: (replicaId, within) => member.claim(replicaId, within),
    settled: (replicaId, within) => member.settled(replicaId, within),
    claimed: (replicaId) => member.claimed(replicaId),
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
      clearInterval(expiring);
      await Promise.all([watching, renewing]);
      // What a command has changed in the project's files is for the others before it ends.
      await quietly(exchange());
      const last = AbortSignal.timeout(claims.ttlMs);
      for (const replicaId of member.held()) await quietly(member.release(replicaId, last));
    },
  };
}
