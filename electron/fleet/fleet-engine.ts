import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import type { FleetHooks, FleetInEngine } from '../engine/ports/replica-fleet.ts';
import type { JoinFleet } from '../engine/store/replica-changes.ts';
import { systemClock } from '../engine/time/clock.ts';
import { openExchange, type DescriptionExchange } from './description-exchange.ts';
import type { FleetConfig } from './fleet-config.ts';
import { FleetMember } from './fleet-member.ts';
import type { ClaimBoard } from './journal-log.ts';
import { natsClaims } from './nats-claims.ts';
import { connectToFleet } from './nats-connection.ts';
import { natsJournal } from './nats-journal.ts';

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

/**
 * Connects to the servers of a fleet. The engine that is opened with it works on a replica only while it holds its claim, records in the
 * replica's journal before it creates or removes anything, and follows what others record. Rejects with `fleet.unreachable`.
 *
 * @param takesOver whether it continues what other members have left: an engine that stays open
 */
export async function joinFleet(config: FleetConfig, { takesOver, projectFolder }: { readonly takesOver: boolean; readonly projectFolder: string }): Promise<JoinedFleet> {
  const member = { id: randomUUID(), name: `${hostname()} (process ${process.pid})` };
  const connection: NatsConnection = await connectToFleet(config, member.name);
  try {
    const [log, claims, files] = await Promise.all([natsJournal(connection, config), natsClaims(connection, config, member), openExchange(connection, config, projectFolder)]);
    return {
      join: (changes, hooks) => engineInFleet(new FleetMember({ member, log, claims, changes, marks: hooks.marks, clock: systemClock, onApplying: hooks.applying, onApplied: hooks.applied }), claims, files, hooks, takesOver),
      close: () => connection.close(),
    };
  } catch (error) {
    await connection.close();
    throw error;
  }
}

function engineInFleet(member: FleetMember, claims: ClaimBoard, files: DescriptionExchange, hooks: FleetHooks, takesOver: boolean): FleetInEngine {
  const stop = new AbortController();
  const { signal } = stop;
  const everyMs = claims.ttlMs / 4;
  const idle = new Map<string, number>();
  const notBefore = new Map<string, number>();
  const ready = Promise.withResolvers<void>();

  /** What failed is tried again at the next turn. */
  const quietly = (work: Promise<unknown>): Promise<unknown> => work.catch(() => undefined);

  async function look(): Promise<void> {
    const exchanged = await files.turn().catch(() => undefined);
    if (exchanged !== undefined && exchanged.taken.length > 0) hooks.described();
    await quietly(member.renew(signal));
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
      if (hooks.hasOpenRun(replicaId) && !member.held().includes(replicaId)) await quietly(takeOver(replicaId));
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
    async close() {
      stop.abort();
      await watching;
      // What a command has changed in the project's files is for the others before it ends.
      await quietly(files.turn());
      const last = AbortSignal.timeout(claims.ttlMs);
      for (const replicaId of member.held()) await quietly(member.release(replicaId, last));
    },
  };
}
