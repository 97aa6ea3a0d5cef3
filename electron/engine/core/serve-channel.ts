import { requestSchema, type Channel } from '../../../shared/contract/channel.ts';
import { isEventName, type EventName } from '../../../shared/contract/contract.ts';
import type { Core } from './core.ts';

export interface ServedChannel {
  /** How many calls of this client are under way. */
  readonly underWay: number;
}

/**
 * Serves the core to one client, whatever carries its messages. A client that sends what is no request is cut off; when
 * it goes away its calls are aborted, but executions go on.
 */
export function serveChannel(core: Pick<Core, 'dispatch' | 'subscribe'>, channel: Channel): ServedChannel {
  const calls = new Map<number, AbortController>();
  const subscriptions = new Map<EventName, () => void>();
  let isOpen = true;
  const send = (message: object): void => {
    if (isOpen) channel.send(message);
  };
  const subscribe = <N extends EventName>(name: N): void => {
    if (!subscriptions.has(name)) subscriptions.set(name, core.subscribe(name, (payload) => send({ event: name, payload })));
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
    if ('subscribe' in request) return isEventName(request.subscribe) ? subscribe(request.subscribe) : undefined;
    const controller = new AbortController();
    calls.set(request.id, controller);
    void core.dispatch(request.call, request.input, controller.signal).then((answer) => {
      calls.delete(request.id);
      send({ id: request.id, answer });
    });
  });
  return {
    get underWay() {
      return calls.size;
    },
  };
}
