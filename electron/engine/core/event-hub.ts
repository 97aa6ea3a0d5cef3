import type { EventName, EventPayload } from '../../../shared/contract/contract.ts';

type Listener = (payload: never) => void;

/** Passes events to the listeners in this process. A listener that throws does not affect others. */
export function eventHub() {
  const listeners = new Map<EventName, Set<Listener>>();
  return {
    emit<N extends EventName>(name: N, payload: EventPayload<N>): void {
      for (const listener of listeners.get(name) ?? []) {
        try {
          (listener as (payload: EventPayload<N>) => void)(payload);
        } catch (error) {
          console.error(`a listener of ${name} failed: ${error instanceof Error ? error.message : String(error)}`);
        }
      }
    },
    subscribe<N extends EventName>(name: N, listener: (payload: EventPayload<N>) => void): () => void {
      const set = listeners.get(name) ?? new Set();
      listeners.set(name, set.add(listener));
      return () => void set.delete(listener);
    },
  };
}
export type EventHub = ReturnType<typeof eventHub>;
