import { randomUUID } from 'node:crypto';
import {
  jetstream,
  jetstreamManager,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { headers, type NatsConnection } from '@nats-io/transport-node';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { systemClock } from '../engine/time/clock.ts';
import type { FleetConfig } from './fleet-config.ts';
import { wrongSequence, type JournalLog } from './journal-log.ts';
import { journalRecordSchema, type StoredRecord } from './journal-record.ts';
import { isForbidden, unreachable } from './nats-connection.ts';
import { nextMessage } from './nats-messages.ts';

const requestMs = 5000;
/** How long servers may need to choose another leader, milliseconds. */
const patienceMs = 60_000;
const pauseMs = 200;
/** How long whoever opens a project waits for the servers, milliseconds. */
const openingMs = 20_000;
/** JetStream's own codes. */
const wrongLastSequence = 10_071;
/** Servers that have just started do not all know each other yet. */
const noPeers = 10_005;
const recordHeader = 'Causeway-Record';

export function journalStream(project: string): string {
  return `CAUSEWAY_JOURNAL_${project}`;
}

/** The journal of a replica is a subject of its own. */
export function journalSubject(project: string, replicaId: string): string {
  return `causeway.${project}.journal.${replicaId}`;
}

/** The journals of a project in JetStream. The stream is made by whoever needs it first. */
export async function natsJournal(
  connection: NatsConnection,
  { project, replicas }: Pick<FleetConfig, 'project' | 'replicas'>,
): Promise<JournalLog> {
  const js: JetStreamClient = jetstream(connection, { timeout: requestMs });
  const jsm: JetStreamManager = await jetstreamManager(connection, { timeout: requestMs, checkAPI: false });
  const stream = journalStream(project);
  await settle(async () => {
    const wanted = {
      name: stream,
      subjects: [`causeway.${project}.journal.*`],
      num_replicas: replicas,
      storage: 'file' as const,
      discard: 'new' as const,
      deny_delete: true,
      deny_purge: true,
    };
    await jsm.streams.info(stream).catch(() => jsm.streams.add(wanted));
  }, AbortSignal.timeout(openingMs)).catch((error: unknown) => Promise.reject(unreachable(error)));

  /** The first message of a subject from a sequence on, from the stream's leader. */
  async function next(subject: string, from: number): Promise<(StoredRecord & { readonly id: string }) | undefined> {
    const message = await nextMessage(jsm, stream, subject, from);
    if (message === undefined) return undefined;
    try {
      return {
        sequence: message.seq,
        record: journalRecordSchema.parse(message.json()),
        id: message.header.get(recordHeader),
      };
    } catch (cause) {
      throw new CausewayError('fleet.journal-unreadable', `${stream}, record ${message.seq}`, { cause });
    }
  }

  return {
    async append(replicaId, record, expected, signal) {
      const subject = journalSubject(project, replicaId);
      const id = randomUUID();
      const header = headers();
      header.set(recordHeader, id);
      return settle(async () => {
        try {
          const { seq } = await js.publish(subject, JSON.stringify(record), {
            expect: { lastSubjectSequence: expected },
            headers: header,
            timeout: requestMs,
          });
          return seq;
        } catch (error) {
          if (!(error instanceof JetStreamApiError) || error.code !== wrongLastSequence) throw error;
          // It may be this record, stored by an attempt whose answer was lost.
          const stored = await next(subject, expected + 1);
          return stored?.id === id ? stored.sequence : wrongSequence;
        }
      }, signal);
    },
    async changed(after, signal) {
      const replicas = new Set<string>();
      if (after === undefined)
        return { replicas, upTo: (await settle(() => jsm.streams.info(stream), signal)).state.last_seq };
      for (let upTo = after; ;) {
        const message = await settle(() => nextMessage(jsm, stream, journalSubject(project, '*'), upTo + 1), signal);
        if (message === undefined) return { replicas, upTo };
        upTo = message.seq;
        replicas.add(message.subject.slice(message.subject.lastIndexOf('.') + 1));
      }
    },
    async read(replicaId, after, signal) {
      const subject = journalSubject(project, replicaId);
      const records: StoredRecord[] = [];
      for (let from = after + 1; ;) {
        const found = await settle(() => next(subject, from), signal);
        if (found === undefined) return records;
        records.push({ sequence: found.sequence, record: found.record });
        from = found.sequence + 1;
      }
    },
  };
}

/** Repeats what failed because servers did not answer: a leader is chosen anew within seconds. */
async function settle<T>(attempt: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (const until = performance.now() + patienceMs; ;) {
    signal.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (performance.now() > until || !isTransient(error)) throw unreachable(error);
      await systemClock.sleep(pauseMs, signal);
    }
  }
}

/** A refusal by permissions does not pass; no leader, no answer and a broken connection do. */
function isTransient(error: unknown): boolean {
  if (error instanceof JetStreamApiError) return error.status >= 500 || error.code === noPeers;
  return error instanceof Error && !isForbidden(error) && !(error instanceof CausewayError);
}
