import { hostname } from 'node:os';
import { randomUUID } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { abortable } from '../engine/concurrency/abortable.ts';
import type { FleetInEngine } from '../engine/ports/replica-fleet.ts';
import type { JoinFleet } from '../engine/store/replica-changes.ts';
import { systemClock } from '../engine/time/clock.ts';
import { openExchange, type DescriptionExchange } from './description-exchange.ts';
import { engineInFleet } from './engine-in-fleet.ts';
import type { FleetConfig } from './fleet-config.ts';
import { FleetMember } from './fleet-member.ts';
import type { ClaimBoard, JournalLog } from './journal-log.ts';
import { natsClaims } from './nats-claims.ts';
import { connectToFleet } from './nats-connection.ts';
import { natsJournal } from './nats-journal.ts';
import { natsLive } from './nats-live.ts';
import { untilReached } from './unreached-fleet.ts';

/** How long the last words of a member may take, milliseconds. */
const lastWordsMs = 500;

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
export async function joinFleet(
  config: FleetConfig,
  {
    takesOver,
    projectFolder,
    retryMs = 10_000,
  }: { readonly takesOver: boolean; readonly projectFolder: string; readonly retryMs?: number },
): Promise<JoinedFleet> {
  const member = { id: randomUUID(), name: `${hostname()} (process ${process.pid})` };
  const connections: NatsConnection[] = [];
  const open = async (): Promise<Connected> => {
    const connection = await connectToFleet(config, member.name);
    try {
      const [log, claims, files] = await Promise.all([
        natsJournal(connection, config),
        natsClaims(connection, config, member),
        openExchange(connection, config, projectFolder),
      ]);
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
      const start = ({ connection, log, claims, files }: Connected): FleetInEngine =>
        engineInFleet({
          self: member,
          member: new FleetMember({
            member,
            log,
            claims,
            changes,
            marks: hooks.marks,
            clock: systemClock,
            onApplying: hooks.applying,
            onApplied: hooks.applied,
          }),
          claims,
          log,
          files,
          hooks,
          takesOver,
          carries: config.carries,
          reaches: config.reaches,
          live: (handlers) => natsLive(connection, config.project, handlers),
        });
      return first instanceof CausewayError
        ? untilReached(first, async () => start(await open()), retryMs)
        : start(first);
    },
    async close() {
      for (const connection of connections) {
        await abortable(connection.flush(), AbortSignal.timeout(lastWordsMs)).catch(() => undefined);
        await connection.close();
      }
    },
  };
}
