import { z } from 'zod';
import { envelopeSchema } from './envelope.ts';

/**
 * What carries the contract between two processes: a message port, a WebSocket, a local socket. Messages are plain
 * data, arrive whole and in order, or the channel closes.
 */
export interface Channel {
  send(message: object): void;
  onMessage(listener: (message: unknown) => void): void;
  /** Called once, whoever closed it and for whatever reason. */
  onClose(listener: () => void): void;
  close(): void;
}

/** What a client sends. */
export const requestSchema = z.union([
  z.strictObject({ id: z.int(), call: z.string(), input: z.unknown() }),
  z.strictObject({ abort: z.int() }),
  z.strictObject({ subscribe: z.string() }),
]);

/** What the core sends. */
export const messageSchema = z.union([
  z.object({ id: z.int(), answer: envelopeSchema }),
  z.object({ event: z.string(), payload: z.unknown() }),
]);
