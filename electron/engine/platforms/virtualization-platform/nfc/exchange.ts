import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { DataStream } from './authd.ts';
import { FrameParser, type Extra } from './frame-parser.ts';
import { HostError, goodbye, lost } from './host-errors.ts';
import type { IncomingReads, Piece } from './incoming-reads.ts';
import { Aio, Classic, hostText, readSize, violation } from './protocol.ts';

/** How long the host may say nothing while it owes an answer, and how long one request may take. */
export interface Patience {
  readonly silenceMs: number;
  readonly requestMs: number;
}

interface Call {
  readonly type: number;
  readonly since: number;
  /** Size of the reply's payload. */
  readonly replyBytes: number;
  extraLength(payload: Buffer): number;
  resolve(payload: Buffer, extra: Buffer): void;
  reject(error: unknown): void;
}

const MAX_TEXT = 8192;

/**
 * Messages out and in on one connection: each answer goes to who has asked, in any order. When the connection is lost, or the host says
 * something invalid or nothing at all, `ended` names the reason and nobody is called back any more.
 */
export class Exchange {
  readonly #data: DataStream;
  readonly #patience: Patience;
  readonly #reads: IncomingReads;
  readonly #parser: FrameParser;
  readonly #calls = new Map<number, Call>();
  readonly #timer: NodeJS.Timeout;
  #onEnded: ((error: CausewayError) => void) | undefined;
  #awaited: { readonly type: number; resolve(message: Buffer): void; reject(error: unknown): void } | undefined;
  /** Messages that came before they were waited for: the host may send two in one go. */
  readonly #early: Buffer[] = [];
  readonly #unsent: Buffer[] = [];
  #isWriting = false;
  #opId = 0;
  #lastHeard = performance.now();
  #ended: CausewayError | undefined;

  constructor(data: DataStream, patience: Patience, reads: IncomingReads) {
    this.#data = data;
    this.#patience = patience;
    this.#reads = reads;
    this.#parser = new FrameParser({
      classic: (message) => this.#classic(message),
      checkHead: (type, size, opId) => this.#checkHead(type, size, opId),
      message: (type, opId, payload) => this.#message(type, opId, payload),
    });
    data.onData((bytes) => this.#take(bytes));
    data.stream
      .on('error', (error: Error) => this.end(lost(error.message, error)))
      .on('close', () => this.end(lost('the host closed the connection')))
      .on('end', () => this.end(lost('the host closed the connection')));
    this.#timer = setInterval(
      () => this.#watch(),
      Math.max(10, Math.min(patience.silenceMs, patience.requestMs) / 4),
    ).unref();
  }

  get ended(): CausewayError | undefined {
    return this.#ended;
  }

  /** Called once, when the connection is of no use any more. */
  onEnded(listener: (error: CausewayError) => void): void {
    if (this.#ended !== undefined) listener(this.#ended);
    else this.#onEnded = listener;
  }

  /** Ends the connection with this reason. */
  end(error: CausewayError): void {
    if (this.#ended !== undefined) return;
    this.#ended = error;
    clearInterval(this.#timer);
    this.#data.stream.on('error', () => undefined);
    this.#data.destroy();
    this.#awaited?.reject(error);
    for (const call of this.#calls.values()) call.reject(error);
    this.#calls.clear();
    this.#reads.clear();
    this.#onEnded?.(error);
  }

  /** The next message of the opening; it must be of this type. */
  expect(type: number): Promise<Buffer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#beginAnswer();
    return new Promise((resolve, reject) => {
      this.#awaited = { type, resolve, reject };
      this.#drainClassic();
    });
  }

  /** Sends a request and waits for its answer, which has the request's type and number. */
  call(
    type: number,
    message: (opId: number) => Buffer,
    replyBytes: number,
    extraLength: (payload: Buffer) => number = () => 0,
  ): Promise<{ readonly payload: Buffer; readonly extra: Buffer }> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    const opId = this.#nextId();
    return new Promise((resolve, reject) => {
      const since = this.#beginAnswer();
      this.#calls.set(opId, {
        type,
        since,
        replyBytes,
        extraLength,
        reject,
        resolve: (payload, extra) => resolve({ payload, extra }),
      });
      this.send(message(opId));
    });
  }

  /** Sends a read; its piece is told when it has come. */
  read(piece: Piece, message: (opId: number) => Buffer): void {
    const opId = this.#nextId();
    this.#reads.add(opId, piece, this.#beginAnswer());
    this.send(message(opId));
  }

  /**
   * Hosts take one message from a TLS record. A stream that still has something to send would put the next messages into one, so
   * each waits for the one before it.
   */
  send(message: Buffer): void {
    if (this.#isWriting) this.#unsent.push(message);
    else this.#sendNow(message);
  }

  /** Sends a last message, and the end of the stream. */
  sendLast(message: Buffer): Promise<void> {
    return new Promise((resolve) => this.#data.stream.end(message, resolve));
  }

  #sendNow(message: Buffer): void {
    this.#isWriting = true;
    this.#data.stream.write(message, () => {
      this.#isWriting = false;
      const next = this.#ended === undefined ? this.#unsent.shift() : undefined;
      if (next !== undefined) this.#sendNow(next);
    });
  }

  #drainClassic(): void {
    const awaited = this.#awaited;
    const message = awaited === undefined ? undefined : this.#early.shift();
    if (awaited === undefined || message === undefined) return;
    this.#awaited = undefined;
    const type = message.readUInt32LE(0);
    if (type === awaited.type) awaited.resolve(message);
    else
      awaited.reject(
        type === Classic.complete ? goodbye(awaited.type) : violation(`message ${type} where ${awaited.type} was due`),
      );
  }

  #classic(message: Buffer): Extra | undefined {
    const type = message.readUInt32LE(0);
    if (type === Classic.error) {
      const length = message.readUInt32LE(12);
      if (length > MAX_TEXT) throw violation(`an error text of ${length} bytes`);
      const code = message.readUInt32LE(8);
      return {
        length,
        isWanted: () => true,
        done: (text) => {
          this.end(
            new CausewayError(
              'source.data-session-refused',
              `the host ended the session with error ${code}: ${hostText(Buffer.from(text ?? []))}`,
            ),
          );
        },
      };
    }
    // Whatever follows is of the other kind, even if it comes before the handshake has seen this.
    if (type === Classic.aioOpen) this.#parser.beginAio();
    if (this.#early.length > 4) throw violation('messages that nobody asked for');
    this.#early.push(Buffer.from(message));
    this.#drainClassic();
    return undefined;
  }

  #checkHead(type: number, size: number, opId: number): void {
    if (type === Aio.error) {
      if (size !== 16) throw violation(`an error of ${size} bytes`);
    } else if (type === Aio.io) {
      this.#reads.checkHead(opId, size);
    } else {
      const call = this.#calls.get(opId);
      if (call?.type !== type) throw violation(`message ${type} for request ${opId}, which is not waiting for it`);
      if (size !== call.replyBytes) throw violation(`message ${type} of ${size} bytes`);
    }
  }

  #message(type: number, opId: number, payload: Buffer): Extra {
    if (type === Aio.io) return this.#reads.fragment(opId, payload);
    if (type === Aio.error) return this.#refusal(opId, payload);
    const call = this.#calls.get(opId);
    if (call === undefined) throw violation(`message ${type} for request ${opId}, which is not waiting for it`);
    const head = Buffer.from(payload);
    return {
      length: call.extraLength(head),
      isWanted: () => true,
      done: (bytes) => {
        this.#calls.delete(opId);
        call.resolve(head, Buffer.from(bytes ?? []));
      },
    };
  }

  #refusal(opId: number, payload: Buffer): Extra {
    const length = payload.readUInt32LE(12);
    if (length > MAX_TEXT) throw violation(`an error text of ${length} bytes`);
    const number = readSize(payload, 0);
    return {
      length,
      isWanted: () => true,
      done: (bytes) => {
        const error = new HostError(number, `error ${number}: ${hostText(Buffer.from(bytes ?? []))}`);
        const call = this.#calls.get(opId);
        this.#calls.delete(opId);
        call?.reject(error);
        this.#reads.refused(opId, error.message);
        // What follows a refusal is not known: others ask again on a new connection.
        this.end(lost(`the host refused request ${opId} with ${error.message}`));
      },
    };
  }

  #take(chunk: Uint8Array): void {
    if (this.#ended !== undefined) return;
    this.#lastHeard = performance.now();
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.end(
        error instanceof CausewayError
          ? error
          : new CausewayError('general.bug', 'parsing what the host sent failed', { cause: error }),
      );
    }
  }

  /** Notes that the host owes an answer from now on. */
  #beginAnswer(): number {
    const now = performance.now();
    if (!this.#owesAnswer) this.#lastHeard = now;
    return now;
  }

  get #owesAnswer(): boolean {
    return this.#awaited !== undefined || this.#calls.size > 0 || this.#reads.count > 0;
  }

  #watch(): void {
    if (!this.#owesAnswer) return;
    const now = performance.now();
    const { silenceMs, requestMs } = this.#patience;
    if (now - this.#lastHeard >= silenceMs) return this.end(lost(`the host said nothing for ${silenceMs} ms`));
    // Maps keep the order of insertion: the first is the oldest.
    for (const oldest of [this.#reads.oldest, this.#calls.values().next().value?.since]) {
      if (oldest !== undefined && now - oldest >= requestMs)
        return this.end(lost(`the host did not finish a request within ${requestMs} ms`));
    }
  }

  #nextId(): number {
    const id = this.#opId;
    this.#opId = (id + 1) >>> 0;
    return id;
  }
}
