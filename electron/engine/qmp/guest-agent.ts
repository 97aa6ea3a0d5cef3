import { randomInt } from 'node:crypto';
import net from 'node:net';
import type { Duplex } from 'node:stream';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { RemoteStream, SocketPlace } from '../nbd/address.ts';
import { LineReader } from './json-lines.ts';

const MAX_LINE = 1024 * 1024;
const SYNC_TIMEOUT = 5000;
const FREEZE_TIMEOUT = 30_000;

/** A connection to the guest agent's channel. One request at a time; the guest is not trusted with more than answers. */
export class GuestAgent {
  readonly #socket: Duplex;
  readonly #lines: JsonObject[] = [];
  #wake: (() => void) | undefined;
  #broken: CausewayError | undefined;

  private constructor(socket: Duplex, wayLost: RemoteStream['lost']) {
    this.#socket = socket;
    const reader = new LineReader(MAX_LINE);
    socket.on('data', (chunk: Buffer) => {
      try {
        for (const line of reader.take(chunk)) {
          // A resynchronised stream begins with 0xFF, which is no UTF-8.
          const value = JSON.parse(line.replaceAll('\ufffd', '')) as JsonValue;
          if (isJsonObject(value)) this.#lines.push(value);
        }
      } catch (error) {
        this.#broken = channelFailed(error instanceof Error ? error.message.slice(0, 200) : 'not JSON');
      }
      this.#wake?.();
    });
    const gone = (why: string) => {
      this.#broken ??= wayLost() ?? channelFailed(why);
      this.#wake?.();
    };
    socket.on('error', (error) => gone(error.message));
    socket.on('close', () => gone('the channel was closed'));
  }

  /**
   * @throws CausewayError source.quiesce-failed when no agent answers in the guest; what a remote socket's `open` throws when its
   *   machine is not reached
   */
  static async connect(place: SocketPlace, signal: AbortSignal): Promise<GuestAgent> {
    const { stream, lost } = await channelTo(place, signal);
    const agent = new GuestAgent(stream, lost);
    try {
      const token = randomInt(1, 2 ** 31);
      await agent.#request('guest-sync', { id: token }, (answer) => answer['return'] === token, signal, SYNC_TIMEOUT);
      return agent;
    } catch (error) {
      agent.close();
      throw error;
    }
  }

  /**
   * A question that changes nothing in the guest.
   * @throws CausewayError source.quiesce-failed when it does not answer or refuses
   */
  async ask(command: 'guest-get-osinfo' | 'guest-network-get-interfaces', signal: AbortSignal): Promise<JsonValue> {
    return (await this.#request(command, {}, () => true, signal, SYNC_TIMEOUT))['return'] ?? null;
  }

  /** Freezes the file systems; resolves with how many. */
  async freeze(signal: AbortSignal): Promise<number> {
    const answer = await this.#request('guest-fsfreeze-freeze', {}, () => true, signal, FREEZE_TIMEOUT);
    return typeof answer['return'] === 'number' ? answer['return'] : 0;
  }

  /** Thaws the file systems. Not cancellable: a guest must not stay frozen. */
  async thaw(): Promise<void> {
    await this.#request('guest-fsfreeze-thaw', {}, () => true, new AbortController().signal, FREEZE_TIMEOUT);
  }

  close(): void {
    this.#socket.destroy();
  }

  async #request(
    command: string,
    args: JsonObject,
    isAnswer: (answer: JsonObject) => boolean,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<JsonObject> {
    this.#socket.write(`${JSON.stringify({ execute: command, arguments: args })}\n`);
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      for (let answer = this.#lines.shift(); answer !== undefined; answer = this.#lines.shift()) {
        const { error } = answer;
        if (error !== undefined && isJsonObject(error))
          throw failed(`the guest agent rejected ${command}: ${String(error['desc'] ?? '')}`);
        if (isAnswer(answer)) return answer;
      }
      if (this.#broken !== undefined) throw this.#broken;
      if (signal.aborted) throw new CausewayError('general.cancelled', `${command} was cancelled`);
      const left = deadline - performance.now();
      if (left <= 0) throw failed(`the guest agent did not respond to ${command} within ${timeoutMs} ms`);
      await this.#somethingHappens(left, signal);
    }
  }

  #somethingHappens(timeoutMs: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        this.#wake = undefined;
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal.addEventListener('abort', done, { once: true });
      this.#wake = done;
    });
  }
}

async function channelTo(place: SocketPlace, signal: AbortSignal): Promise<RemoteStream> {
  if (typeof place === 'string') return { stream: net.connect({ path: place }), lost: () => undefined };
  return place.open(signal).catch((error: unknown) => {
    throw error instanceof CausewayError && error.code === 'source.unreachable' ? channelFailed(error.message) : error;
  });
}

function channelFailed(why: string): CausewayError {
  return failed(`the guest agent’s channel: ${why}`);
}

function failed(why: string): CausewayError {
  return new CausewayError('source.quiesce-failed', why);
}
