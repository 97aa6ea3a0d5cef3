import type { calls, events } from './contract.ts';
import type { TableClient } from './tables.ts';

/** The core as everybody sees it, whatever carries the calls. Rejects with `CausewayError`. */
export type CoreClient = TableClient<typeof calls, typeof events>;
