import { CausewayError } from '../model/causeway-error.ts';
import { messageSchema, type Channel } from './channel.ts';
import { opened } from './envelope.ts';
import type { CallTable, EventTable, TableClient } from './tables.ts';

type Listener = (payload: never) => void;

export interface ClientOptions {
  /**
   * Whoever is at the other end has checked its answers against the tables. The page's host has: to check thousands of rows again,
   * without compiled checks, would keep the page busy for longer than it takes to draw them.
   */
  readonly answersAreChecked?: boolean;
}

/**
 * What serves the tables on the other end of a channel. When the channel closes, calls that wait reject with
 * `engine.connection-lost`, and so does every later one.
 */
export function channelClient<C extends CallTable, E extends EventTable>(
  channel: Channel,
  calls: C,
  events: E,
  { answersAreChecked = false }: ClientOptions = {},
): TableClient<C, E> {
  const listeners = new Map<string, Set<Listener>>();
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
    const parsed = Object.hasOwn(events, name) ? events[name]!.safeParse(payload) : undefined;
    if (parsed?.success !== true) return;
    for (const listener of listeners.get(name) ?? []) listener(parsed.data as never);
  }

  return {
    async call(name, input, { signal } = {}) {
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
        return (answersAreChecked ? value : calls[name]!.output.parse(value)) as never;
      } finally {
        waiting.delete(id);
        signal?.removeEventListener('abort', abort);
      }
    },
    subscribe(event, listener) {
      if (!listeners.has(event)) channel.send({ subscribe: event });
      const set = listeners.get(event) ?? new Set<Listener>();
      listeners.set(event, set.add(listener as Listener));
      return () => void set.delete(listener as Listener);
    },
    async close() {
      channel.close();
      await closed.promise;
    },
  };
}
