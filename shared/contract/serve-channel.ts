import { toErrorRecord } from '../model/causeway-error.ts';
import { requestSchema, type Channel } from './channel.ts';
import type { Envelope } from './envelope.ts';
import type { EventTable } from './tables.ts';

/** What can be served: the core itself, or the workbench in front of it. */
export interface Served {
  /** An input from outside in, an answer as data out. Never rejects. */
  dispatch(name: string, input: unknown, signal: AbortSignal): Promise<Envelope<unknown>>;
  /** Returns what ends the subscription. */
  subscribe(name: never, listener: (payload: never) => void): () => void;
}

export interface ServedChannel {
  /** How many calls of this client are under way. */
  readonly underWay: number;
}

/**
 * Serves calls and events to one client, whatever carries its messages. A client that sends what is no request is cut
 * off; when it goes away its calls are aborted, but executions go on.
 */
export function serveChannel(served: Served, events: EventTable, channel: Channel): ServedChannel {
  const calls = new Map<number, AbortController>();
  const subscriptions = new Map<string, () => void>();
  let isOpen = true;
  const send = (message: object): void => {
    if (isOpen) channel.send(message);
  };
  const subscribe = (name: string): void => {
    if (!Object.hasOwn(events, name) || subscriptions.has(name)) return;
    subscriptions.set(
      name,
      served.subscribe(name as never, (payload) => {
        try {
          send({ event: name, payload });
        } catch {
          // Too large. Whoever told it must not fail for one client; the next event or call tells this client more.
        }
      }),
    );
  };
  channel.onClose(() => {
    isOpen = false;
    for (const stop of subscriptions.values()) stop();
    for (const call of calls.values()) call.abort();
  });
  channel.onMessage((message) => {
    const parsed = requestSchema.safeParse(message);
    if (!parsed.success) return channel.close();
    const request = parsed.data;
    if ('abort' in request) return calls.get(request.abort)?.abort();
    if ('subscribe' in request) return subscribe(request.subscribe);
    const controller = new AbortController();
    calls.set(request.id, controller);
    void served.dispatch(request.call, request.input, controller.signal).then((answer) => {
      calls.delete(request.id);
      try {
        send({ id: request.id, answer });
      } catch (error) {
        send({ id: request.id, answer: { ok: false, error: toErrorRecord(error) } satisfies Envelope<unknown> });
      }
    });
  });
  return {
    get underWay() {
      return calls.size;
    },
  };
}
