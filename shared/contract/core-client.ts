import type { CallInput, CallName, CallOutput, EventName, EventPayload } from './contract.ts';

/** The core as everybody sees it, whatever carries the calls. Rejects with `CausewayError`. */
export interface CoreClient {
  call<N extends CallName>(name: N, input: CallInput<N>, options?: { readonly signal?: AbortSignal }): Promise<CallOutput<N>>;
  /** Returns what ends the subscription. */
  subscribe<N extends EventName>(event: N, listener: (payload: EventPayload<N>) => void): () => void;
  close(): Promise<void>;
}
