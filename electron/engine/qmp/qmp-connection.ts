import net from 'node:net';
import type { Duplex } from 'node:stream';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { RemoteStream, SocketPlace } from '../nbd/address.ts';
import { LineReader } from './json-lines.ts';
import { QmpError } from './qmp-error.ts';

export interface QmpEvent {
  readonly name: string;
  readonly data: JsonObject;
}

interface Waiting {
  readonly command: string;
  resolve(value: JsonValue): void;
  reject(error: Error): void;
}

const MAX_LINE = 32 * 1024 * 1024;
const DEFAULT_TIMEOUT = 60_000;
/** Events that arrived before they were awaited. */
const MAX_KEPT_EVENTS = 256;

/** One connection to a QMP socket, past the greeting. Commands may overlap; each answer is matched by its id. */
export class QmpConnection {
  readonly #socket: Duplex;
  readonly #path: string;
  readonly #closed: Promise<void>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #events: QmpEvent[] = [];
  readonly #listeners = new Set<(event: QmpEvent) => void>();
  readonly #lostListeners = new Set<(error: CausewayError) => void>();
  #lastId = 0;
  #lost: CausewayError | undefined;
  #onGreeting: (() => void) | undefined;

  private constructor(socket: Duplex, path: string, wayLost: RemoteStream['lost']) {
    this.#socket = socket;
    this.#path = path;
    this.#closed = new Promise((resolve) => socket.once('close', resolve));
    const lines = new LineReader(MAX_LINE);
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const line of lines.take(chunk)) this.#take(line);
      } catch (error) {
        this.#fail(
          new CausewayError(
            'source.protocol',
            `${path} is not a QMP socket: ${error instanceof Error ? error.message.slice(0, 200) : ''}`,
          ),
        );
      }
    });
    socket.on('error', (error) =>
      this.#fail(
        wayLost() ??
          new CausewayError('source.connection-lost', `QMP socket ${path}: ${error.message}`, { cause: error }),
      ),
    );
    socket.on('close', () =>
      this.#fail(wayLost() ?? new CausewayError('source.connection-lost', `QMP socket ${path} was closed`)),
    );
  }

  /** @throws CausewayError source.unreachable, source.protocol, general.cancelled; what a remote socket's `open` throws */
  static async connect(place: SocketPlace, signal: AbortSignal, timeoutMs = 10_000): Promise<QmpConnection> {
    const { stream: socket, lost }: RemoteStream =
      typeof place === 'string'
        ? { stream: net.connect({ path: place }), lost: () => undefined }
        : await place.open(signal);
    const connection = new QmpConnection(socket, typeof place === 'string' ? place : place.name, lost);
    try {
      await connection.#greeting(signal, timeoutMs);
      await connection.execute('qmp_capabilities', {}, signal, timeoutMs);
    } catch (error) {
      socket.destroy();
      throw error;
    }
    return connection;
  }

  get lost(): CausewayError | undefined {
    return this.#lost;
  }

  execute(command: string, args: JsonObject, signal: AbortSignal, timeoutMs = DEFAULT_TIMEOUT): Promise<JsonValue> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (signal.aborted) return Promise.reject(cancelled(command));
    const id = ++this.#lastId;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(late(command, this.#path, timeoutMs))), timeoutMs);
      const onAbort = () => settle(() => reject(cancelled(command)));
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(id);
        finish();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(id, {
        command,
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
      });
      this.#socket.write(`${JSON.stringify({ execute: command, arguments: args, id })}\n`);
    });
  }

  /**
   * The first event that matches, including earlier ones that were not awaited.
   * @throws CausewayError general.deadline, general.cancelled, source.connection-lost
   */
  waitEvent(matches: (event: QmpEvent) => boolean, signal: AbortSignal, timeoutMs: number): Promise<QmpEvent> {
    const kept = this.#events.findIndex(matches);
    const early = kept === -1 ? undefined : this.#events.splice(kept, 1)[0];
    if (early !== undefined) return Promise.resolve(early);
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => settle(() => reject(late('an event', this.#path, timeoutMs))), timeoutMs);
      const onAbort = () => settle(() => reject(cancelled('waiting for an event')));
      const onLost = (error: CausewayError) => settle(() => reject(error));
      const onEvent = (event: QmpEvent) => {
        if (!matches(event)) return;
        this.#events.splice(this.#events.indexOf(event), 1);
        settle(() => resolve(event));
      };
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#listeners.delete(onEvent);
        this.#lostListeners.delete(onLost);
        finish();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#listeners.add(onEvent);
      this.#lostListeners.add(onLost);
      if (signal.aborted) onAbort();
    });
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.#closed;
  }

  #greeting(signal: AbortSignal, timeoutMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#lostListeners.delete(onLost);
        this.#onGreeting = undefined;
        finish();
      };
      const onAbort = () => settle(() => reject(cancelled('connecting')));
      const onLost = (error: CausewayError) =>
        settle(() =>
          reject(
            error.code === 'source.connection-lost'
              ? new CausewayError('source.unreachable', error.message, { cause: error })
              : error,
          ),
        );
      const timer = setTimeout(() => {
        const evidence = `QMP socket ${this.#path}: no greeting within ${timeoutMs} ms (another client may be using it)`;
        settle(() => reject(new CausewayError('source.unreachable', evidence)));
      }, timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      this.#lostListeners.add(onLost);
      this.#onGreeting = () => settle(resolve);
      if (signal.aborted) onAbort();
    });
  }

  #take(line: string): void {
    const message: unknown = JSON.parse(line);
    if (typeof message !== 'object' || message === null || Array.isArray(message)) throw new TypeError('not an object');
    const object = message as JsonObject;
    if ('QMP' in object) return this.#onGreeting?.();
    if (typeof object['event'] === 'string')
      return this.#deliver({ name: object['event'], data: asObject(object['data']) });
    const waiting = typeof object['id'] === 'number' ? this.#waiting.get(object['id']) : undefined;
    // An answer to a request that was cancelled or timed out.
    if (waiting === undefined) return;
    if (object['error'] !== undefined) waiting.reject(new QmpError(waiting.command, object['error']));
    else waiting.resolve(object['return'] ?? {});
  }

  #deliver(event: QmpEvent): void {
    this.#events.push(event);
    if (this.#events.length > MAX_KEPT_EVENTS) this.#events.shift();
    for (const listener of [...this.#listeners]) listener(event);
  }

  #fail(error: CausewayError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    this.#socket.destroy();
    for (const waiting of [...this.#waiting.values()]) waiting.reject(error);
    for (const listener of [...this.#lostListeners]) listener(error);
  }
}

function asObject(value: JsonValue | undefined): JsonObject {
  return value !== undefined && isJsonObject(value) ? value : {};
}

function cancelled(what: string): CausewayError {
  return new CausewayError('general.cancelled', `QMP ${what} was cancelled`);
}

function late(what: string, path: string, timeoutMs: number): CausewayError {
  return new CausewayError('general.deadline', `QMP socket ${path}: no response to ${what} within ${timeoutMs} ms`);
}
