import type { NatsConnection } from '@nats-io/transport-node';
import type { FleetConfig } from './fleet-config.ts';
import type { ClaimBoard } from './journal-log.ts';
import { memberSchema, type Member } from './journal-record.ts';
import { isOtherRevision, openBucket } from './nats-bucket.ts';
import { unreachable } from './nats-connection.ts';

export function claimBucket(project: string): string {
  return `causeway-claims-${project}`;
}

/** Claims in a key-value bucket whose entries end by themselves. */
export async function natsClaims(
  connection: NatsConnection,
  { project, replicas, claimSeconds }: Pick<FleetConfig, 'project' | 'replicas' | 'claimSeconds'>,
  member: Member,
): Promise<ClaimBoard> {
  const ttlMs = claimSeconds * 1000;
  const kv = await openBucket(connection, claimBucket(project), { replicas, ttl: ttlMs, history: 1 });
  const revisions = new Map<string, number>();
  const value = JSON.stringify(member);

  async function holderOf(key: string): Promise<{ readonly member: Member; readonly revision: number } | undefined> {
    const entry = await kv.get(key);
    if (entry === null || entry.operation !== 'PUT') return undefined;
    return { member: memberSchema.parse(JSON.parse(entry.string())), revision: entry.revision };
  }

  return {
    ttlMs,
    async take(key, signal) {
      for (;;) {
        signal.throwIfAborted();
        try {
          const known = revisions.get(key);
          revisions.set(key, known === undefined ? await kv.create(key, value) : await kv.update(key, value, known));
          return 'held';
        } catch (error) {
          if (!isOtherRevision(error)) throw unreachable(error);
          revisions.delete(key);
          const holder = await holderOf(key);
          if (holder === undefined) continue; // it has ended since
          if (holder.member.id !== member.id) return { holder: holder.member.name };
          revisions.set(key, holder.revision);
        }
      }
    },
    async renew(key, signal) {
      for (;;) {
        signal.throwIfAborted();
        const known = revisions.get(key);
        if (known === undefined) return 'ended';
        try {
          revisions.set(key, await kv.update(key, value, known));
          return 'held';
        } catch (error) {
          if (!isOtherRevision(error)) throw unreachable(error);
          // It has ended, or the answer to a renewal was lost.
          const holder = await holderOf(key).catch((reason: unknown) => Promise.reject(unreachable(reason)));
          if (holder?.member.id === member.id) {
            revisions.set(key, holder.revision);
            continue;
          }
          revisions.delete(key);
          return holder === undefined ? 'ended' : { holder: holder.member.name };
        }
      }
    },
    async release(key) {
      const revision = revisions.get(key);
      revisions.delete(key);
      if (revision !== undefined) await kv.delete(key, { previousSeq: revision }).catch(() => undefined); // it ends by itself
    },
    async holder(key) {
      return (await holderOf(key).catch((error: unknown) => Promise.reject(unreachable(error))))?.member.name;
    },
  };
}
