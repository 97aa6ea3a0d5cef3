import { CausewayError } from '../model/causeway-error.ts';
import { messageSchema, type Channel } from './channel.ts';
import { calls, events, isEventName, type CallName, type CallOutput, type EventName, type EventPayload } from './contract.ts';
import type { CoreClient } from './core-client.ts';
import { opened } from './envelope.ts';
import { eventHub } from './event-hub.ts';

/**
 * The core as seen through a channel. When the channel closes, calls that wait reject with `engine.connection-lost`,
 * and so does every later one.
 */
export function channelClient(channel: Channel): CoreClient {
  const hub = eventHub();
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  const closed = Promise.withResolvers<void>();
  let lost: CausewayError | undefined;
  let nextId = 1;

  channel.onClose(() => {
    lost = new CausewayError('engine.connection-lost', 'the engine has hung up');
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
    closed.resolve();
  });
  channel.onMessage((message) => {
    const parsed = messageSchema.safeParse(message);
    if (!parsed.success) return channel.close();
    if ('event' in parsed.data) return emit(parsed.data.event, parsed.data.payload);
    const { id, answer } = parsed.data;
    const waiter = waiting.get(id);
    waiting.delete(id);
    try {
      waiter?.resolve(opened(answer));
    } catch (error) {
      waiter?.reject(error);
    }
  });

  function emit(name: string, payload: unknown): void {
    if (!isEventName(name)) return;
    const parsed = events[name].safeParse(payload);
    if (parsed.success) hub.emit(name, parsed.data as never);
  }

  return {
    async call<N extends CallName>(name: N, input: unknown, { signal }: { readonly signal?: AbortSignal } = {}): Promise<CallOutput<N>> {
      if (lost !== undefined) throw lost;
      signal?.throwIfAborted();
      const id = nextId;
      nextId += 1;
      const abort = (): void => channel.send({ abort: id });
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const value = await new Promise<unknown>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          channel.send({ id, call: name, input });
        });
        return calls[name].output.parse(value) as CallOutput<N>;
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
    subscribe<N extends EventName>(event: N, listener: (payload: EventPayload<N>) => void) {
      channel.send({ subscribe: event });
      return hub.subscribe(event, listener);
    },
    async close() {
      channel.close();
      await closed.promise;
    },
  };
}
