import { jetstream, JetStreamApiError } from '@nats-io/jetstream';
import { Kvm, type KV, type KvOptions } from '@nats-io/kv';
import type { NatsConnection } from '@nats-io/transport-node';
import { unreachable } from './nats-connection.ts';

/** JetStream's own code: somebody else has written since. */
const wrongLastSequence = 10_071;

/** A key-value bucket, which is made where there is none; only owners may. Rejects with `fleet.*`. */
export async function openBucket(connection: NatsConnection, name: string, options: Partial<KvOptions>): Promise<KV> {
  const kvm = new Kvm(jetstream(connection, { checkAPI: false }));
  try {
    const opened = await kvm.open(name);
    await opened.status();
    return opened;
  } catch {
    // Answers come from the leader: a claim that a follower does not know yet is a claim.
    return kvm
      .create(name, { ...options, allow_direct: false })
      .catch((error: unknown) => Promise.reject(unreachable(error)));
  }
}

/** Whether a write was refused because the entry has another revision than the writer knows. */
export function isOtherRevision(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === wrongLastSequence;
}
