import { JetStreamApiError, type JetStreamManager, type StoredMsg } from '@nats-io/jetstream';

/** JetStream's own code. */
const noMessage = 10_037;

/**
 * The first message of a subject, which may have wildcards, from a sequence on, as the stream's leader has it. Without a consumer: making one is
 * a right to have messages delivered to any subject.
 */
export async function nextMessage(
  manager: JetStreamManager,
  stream: string,
  subject: string,
  from: number,
): Promise<StoredMsg | undefined> {
  try {
    return (await manager.streams.getMessage(stream, { seq: from, next_by_subj: subject } as never)) ?? undefined;
  } catch (error) {
    if (error instanceof JetStreamApiError && error.code === noMessage) return undefined;
    throw error;
  }
}
