import { z } from 'zod';
import { CausewayError } from '../model/causeway-error.ts';
import { envelopeSchema } from './envelope.ts';

/**
 * What carries the contract between two processes: a message port, a WebSocket, a local socket. Messages are plain
 * data, arrive whole and in order, or the channel closes.
 */
export interface Channel {
  /** @throws CausewayError `engine.message-too-large` where the other end would not take it; the channel stays open */
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

const MiB = 1024 * 1024;

/**
 * The longest message that a socket carries. An inventory of 100,000 VMs is saved by one call, and has some hundred bytes for each.
 * Who sends a longer one is disconnected.
 */
export const mostMessageBytes = 128 * MiB;

/**
 * A message as the text that a socket carries.
 * @throws CausewayError `engine.message-too-large`
 */
export function messageText(message: object, mostBytes = mostMessageBytes): string {
  const text = JSON.stringify(message);
  // No character takes more than three bytes, so that only few texts have to be encoded for their length.
  const bytes =
    text.length * 3 <= mostBytes ? 0 : text.length > mostBytes ? text.length : new TextEncoder().encode(text).length;
  if (bytes > mostBytes)
    throw new CausewayError(
      'engine.message-too-large',
      `a message of ${sizeText(bytes)}, the limit is ${sizeText(mostBytes)}`,
    );
  return text;
}

function sizeText(bytes: number): string {
  return bytes < MiB ? `${bytes} bytes` : `${Math.ceil(bytes / MiB)} MiB`;
}
