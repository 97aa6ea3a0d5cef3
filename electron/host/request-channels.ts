import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { z } from 'zod';
import { mostMessageBytes, type Channel } from '../../shared/contract/channel.ts';
import { receiveMs, requestPaths } from '../../shared/contract/request-channel.ts';

/** Channels over plain requests. Whoever asks has been admitted before. */
export interface RequestChannels {
  /** Answers a POST request to one of `requestPaths`. */
  answer(path: string, request: IncomingMessage, response: ServerResponse): Promise<void>;
}

const bodySchema = z.strictObject({
  channel: z.string(),
  messages: z.array(z.record(z.string(), z.unknown())).optional(),
});
/** Around the longest message. */
const mostBytes = mostMessageBytes + 1024;

/**
 * @param connect takes over each channel
 * @param idleMs a page that asks for no messages for so long is gone
 */
export function requestChannels(
  connect: (channel: Channel) => void,
  { idleMs = 60_000, waitMs = receiveMs } = {},
): RequestChannels {
  const channels = new Map<string, RequestChannel>();
  return {
    async answer(path, request, response) {
      const body = await readBody(request);
      if (body === undefined) return end(response, 413);
      if (path === requestPaths.open) {
        const name = randomBytes(32).toString('base64url');
        const channel = new RequestChannel(idleMs, waitMs);
        channels.set(name, channel);
        channel.onClose(() => channels.delete(name));
        connect(channel);
        return end(response, 200, JSON.stringify({ channel: name }));
      }
      const parsed = bodySchema.safeParse(body);
      const channel = parsed.success ? channels.get(parsed.data.channel) : undefined;
      if (channel === undefined) return end(response, parsed.success ? 410 : 400);
      if (path === requestPaths.receive) return channel.deliverTo(response);
      if (path === requestPaths.close) channel.close();
      else for (const message of parsed.data?.messages ?? []) channel.take(message);
      end(response, 204);
    },
  };
}

class RequestChannel implements Channel {
  readonly #waitMs: number;
  readonly #idleMs: number;
  readonly #listeners = new Set<(message: unknown) => void>();
  readonly #closed = Promise.withResolvers<void>();
  #isClosed = false;
  /** Messages that the page has not asked for yet, as JSON. */
  #outbox: string[] = [];
  #waiting: { readonly response: ServerResponse; readonly timer: NodeJS.Timeout } | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor(idleMs: number, waitMs: number) {
    this.#idleMs = idleMs;
    this.#waitMs = waitMs;
    this.#watch();
  }

  send(message: object): void {
    if (this.#isClosed) return;
    this.#outbox.push(JSON.stringify(message));
    if (this.#waiting !== undefined) this.#deliver();
  }

  onMessage(listener: (message: unknown) => void): void {
    this.#listeners.add(listener);
  }

  onClose(listener: () => void): void {
    void this.#closed.promise.then(listener);
  }

  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    clearTimeout(this.#idle);
    const { response, timer } = this.#waiting ?? {};
    clearTimeout(timer);
    this.#waiting = undefined;
    if (response !== undefined) end(response, 410);
    this.#closed.resolve();
  }

  take(message: unknown): void {
    for (const listener of this.#listeners) listener(message);
  }

  /** With the messages that there are, or as soon as there is one. */
  deliverTo(response: ServerResponse): void {
    // A page asks once at a time.
    if (this.#waiting !== undefined) this.close();
    if (this.#isClosed) return end(response, 410);
    clearTimeout(this.#idle);
    this.#waiting = { response, timer: setTimeout(() => this.#deliver(), this.#waitMs) };
    // What was in an answer that did not arrive is lost: the page has to begin anew.
    response.once('close', () => response.writableFinished || this.close());
    if (this.#outbox.length > 0) this.#deliver();
  }

  #deliver(): void {
    const { response, timer } = this.#waiting!;
    clearTimeout(timer);
    this.#waiting = undefined;
    const messages = this.#outbox;
    this.#outbox = [];
    this.#watch();
    end(response, 200, `{"messages":[${messages.join(',')}]}`);
  }

  #watch(): void {
    this.#idle = setTimeout(() => this.close(), this.#idleMs).unref();
  }
}

/** Undefined where it is too long; null where it is no JSON. */
async function readBody(request: IncomingMessage): Promise<unknown> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > mostBytes) return undefined;
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) as unknown;
  } catch {
    return null;
  }
}

function end(response: ServerResponse, status: number, json?: string): void {
  response.writeHead(status, {
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    ...(json === undefined ? {} : { 'content-type': 'application/json' }),
  });
  response.end(json);
}
