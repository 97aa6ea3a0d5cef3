import { createConnection } from 'node:net';
import { calls, events, type CallName, type CallOutput, type EventName, type EventPayload } from '../../../shared/contract/contract.ts';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { opened } from '../../../shared/contract/envelope.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { eventHub } from './event-hub.ts';
import { messageSchema, readLines } from './local-protocol.ts';

/** A client of an engine that runs in another process. Rejects when nobody listens there. */
export async function connectLocally(address: string): Promise<CoreClient> {
  const socket = createConnection(address);
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve);
    socket.once('error', reject);
  });
  const hub = eventHub();
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: unknown) => void }>();
  let lost: CausewayError | undefined;
  let nextId = 1;
  const lose = (): void => {
    lost = new CausewayError('engine.connection-lost', 'the engine in the other process has hung up');
    for (const { reject } of waiting.values()) reject(lost);
    waiting.clear();
  };
  socket.on('error', () => socket.destroy());
  socket.on('close', lose);
  readLines(
    socket,
    (value) => {
      const parsed = messageSchema.safeParse(value);
      if (!parsed.success) return void socket.destroy();
      if ('event' in parsed.data) return emit(hub, parsed.data.event, parsed.data.payload);
      const { id, answer } = parsed.data;
      const waiter = waiting.get(id);
      waiting.delete(id);
      try {
        waiter?.resolve(opened(answer));
      } catch (error) {
        waiter?.reject(error);
      }
    },
    () => socket.destroy(),
  );
  const send = (message: object): void => void socket.write(`${JSON.stringify(message)}\n`);

  return {
    async call<N extends CallName>(name: N, input: unknown, { signal }: { readonly signal?: AbortSignal } = {}): Promise<CallOutput<N>> {
      if (lost !== undefined) throw lost;
      signal?.throwIfAborted();
      const id = nextId;
      nextId += 1;
      const abort = (): void => send({ abort: id });
      signal?.addEventListener('abort', abort, { once: true });
      try {
        const value = await new Promise<unknown>((resolve, reject) => {
          waiting.set(id, { resolve, reject });
          send({ id, call: name, input });
        });
        return calls[name].output.parse(value) as CallOutput<N>;
      } finally {
        signal?.removeEventListener('abort', abort);
      }
    },
    subscribe<N extends EventName>(event: N, listener: (payload: EventPayload<N>) => void) {
      send({ subscribe: event });
      return hub.subscribe(event, listener);
    },
    async close() {
      socket.end();
      if (!socket.destroyed) await new Promise<void>((resolve) => socket.once('close', () => resolve()));
    },
  };
}

function emit(hub: ReturnType<typeof eventHub>, name: string, payload: unknown): void {
  if (!Object.hasOwn(events, name)) return;
  const parsed = events[name as EventName].safeParse(payload);
  if (parsed.success) hub.emit(name as EventName, parsed.data as never);
}
