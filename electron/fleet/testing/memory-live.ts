import type { FleetLive, LiveHandlers, LiveMessage } from '../live-messages.ts';

/** What members tell each other, in one process. */
export class MemoryLive {
  readonly #handlers = new Map<string, LiveHandlers>();
  /** Members that nothing is heard of, and that hear nothing. */
  readonly silent = new Set<string>();
  /** Members that may only listen. */
  readonly viewers = new Set<string>();
  /** All that was told. */
  readonly told: LiveMessage[] = [];

  connect(member: string, handlers: LiveHandlers): FleetLive {
    this.#handlers.set(member, handlers);
    return {
      mayTell: () => !this.viewers.has(member),
      tell: (message) => {
        if (this.silent.has(member) || this.viewers.has(member)) return;
        this.told.push(message);
        // As servers do: whoever tells it hears it as well, and nobody before it is told.
        for (const [other, { hear }] of this.#handlers)
          if (!this.silent.has(other)) queueMicrotask(() => hear(structuredClone(message)));
      },
      ask: async (asked) => {
        for (const [other, { asked: answer }] of this.#handlers) {
          const answering = this.silent.has(other) ? undefined : answer(structuredClone(asked));
          if (answering !== undefined) return answering;
        }
        return undefined;
      },
    };
  }
}
