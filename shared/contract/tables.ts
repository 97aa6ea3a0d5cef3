import type { z } from 'zod';

/** Calls by name with the shapes of what goes in and what comes out. */
export type CallTable = Readonly<Record<string, { readonly input: z.ZodType; readonly output: z.ZodType }>>;
export type EventTable = Readonly<Record<string, z.ZodType>>;

/** Whoever can be called by such tables, whatever carries the calls. Rejects with `CausewayError`. */
export interface TableClient<C extends CallTable, E extends EventTable> {
  call<N extends keyof C & string>(
    name: N,
    input: z.input<C[N]['input']>,
    options?: { readonly signal?: AbortSignal },
  ): Promise<z.output<C[N]['output']>>;
  /** Returns what ends the subscription. */
  subscribe<N extends keyof E & string>(event: N, listener: (payload: z.output<E[N]>) => void): () => void;
  close(): Promise<void>;
}
