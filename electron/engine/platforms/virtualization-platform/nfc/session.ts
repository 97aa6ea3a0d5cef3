import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { cancelled, type DataStream } from './authd.ts';
import { decompress } from './decompress.ts';
import { FrameParser, type Extra } from './frame-parser.ts';
import { HostError, closed, explainOpen, goodbye, lost, unreadable } from './host-errors.ts';
import {
  Aio, CLIENT_VERSION, Classic, Compression, IO_BYTES, OPEN_FILE_BYTES, allocatedBlocksMessage, bitmapBytes, classicMessage, closeFileMessage,
  closeSessionMessage, connectionMessage, descriptorGetMessage, hostText, openFileMessage, openSessionMessage, parseOpenReply, readMessage, readSize,
  resourcePoolMessage, socketOptionsMessage, tokenMessage, violation, type CompressionType, type OpenDisk,
} from './protocol.ts';
import { ReceivedRuns } from './received-runs.ts';

/** A part of a read that one request asks for. */
export interface Piece {
  readonly offset: number;
  readonly into: Uint8Array;
  /** False once the caller has given up: its buffer is not written to any more. */
  readonly isWanted: boolean;
  /** Called once, when all bytes have come or the host could not read them; never when the connection was lost. */
  done(error?: CausewayError): void;
}

export interface SessionOptions {
  readonly path: string;
  /** Size of one buffer on the host: a fragment is no larger. */
  readonly bufferBytes: number;
  readonly bufferCount: number;
  /** How long the host may say nothing while it owes an answer. */
  readonly silenceMs: number;
  /** How long one request may take. */
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

interface Read {
  readonly piece: Piece;
  readonly since: number;
  readonly runs: ReceivedRuns;
}

const MAX_TEXT = 8192;
const MAX_VALUE = 8192;
/** Longest packed form of a fragment, over its plain length: what does not shrink comes raw. */
const PACKED_SLACK = 1024;
const CLOSE_GRACE_MS = 2000;

/**
 * One open disk on one connection. Reads overlap and are answered in any order and in any number of parts. When the connection
 * is lost or the host says something invalid, `ended` names the reason and no read is called back any more.
 */
export class NfcSession {
  readonly #data: DataStream;
  readonly #options: SessionOptions;
  readonly #parser: FrameParser;
  readonly #calls = new Map<number, Call>();
  readonly #reads = new Map<number, Read>();
  readonly #timer: NodeJS.Timeout;
  #onEnded: ((error: CausewayError) => void) | undefined;
  #awaited: { readonly type: number; resolve(message: Buffer): void; reject(error: unknown): void } | undefined;
  readonly #unsent: Buffer[] = [];
  #isWriting = false;
  #opId = 0;
  #lastHeard = performance.now();
  #ended: CausewayError | undefined;
  #disk: OpenDisk | undefined;
  #version = 0;
  /** Bytes that came over the wire, and what they were after unpacking. */
  #wireBytes = 0;

  private constructor(data: DataStream, options: SessionOptions) {
    this.#data = data;
    this.#options = options;
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
    this.#timer = setInterval(() => this.#watch(), Math.max(10, Math.min(options.silenceMs, options.requestMs) / 4)).unref();
  }

  /**
   * Opens a session and a disk on a connection that is logged in. Destroys the connection when it fails.
   * @throws CausewayError source.*, general.cancelled
   */
  static async open(data: DataStream, options: SessionOptions, signal: AbortSignal): Promise<NfcSession> {
    const session = new NfcSession(data, options);
    const onAbort = (): void => session.end(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      if (signal.aborted) throw cancelled();
      await session.#handshake();
      await session.#openDisk();
      return session;
    } catch (error) {
      const known = error instanceof HostError ? explainOpen(error, options.path) : error;
      session.end(known instanceof CausewayError ? known : new CausewayError('general.bug', 'opening the disk failed', { cause: known }));
      throw known;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  get disk(): OpenDisk {
    if (this.#disk === undefined) throw new CausewayError('general.bug', 'the disk is not open');
    return this.#disk;
  }

  /** Version of the host's side of the protocol: 11 on ESXi 8, 9 on 7.0.3. */
  get version(): number {
    return this.#version;
  }

  get ended(): CausewayError | undefined {
    return this.#ended;
  }

  get wireBytes(): number {
    return this.#wireBytes;
  }

  /** Called once, when the connection is of no use any more. */
  onEnded(listener: (error: CausewayError) => void): void {
    if (this.#ended !== undefined) listener(this.#ended);
    else this.#onEnded = listener;
  }

  /** Asks for a piece. Its range must consist of whole sectors of the disk. */
  read(piece: Piece, compression: CompressionType): void {
    const opId = this.#nextId();
    this.#reads.set(opId, { piece, since: this.#beginAnswer(), runs: new ReceivedRuns() });
    this.#write(readMessage(opId, this.disk.handle, compression, piece.offset, piece.into.length));
  }

  /**
   * One bit per 64 KiB block, 1 = allocated. Undefined when the host cannot tell, which ends the session.
   */
  async allocatedBlocks(startByte: number, blocks: number): Promise<Buffer | undefined> {
    const bytes = bitmapBytes(blocks);
    const opId = this.#nextId();
    const message = allocatedBlocksMessage(opId, this.disk.handle, startByte, blocks);
    try {
      const { extra } = await this.#call(Aio.allocatedBlocks, opId, message, 48, (payload) => {
        if (readSize(payload, 32) !== blocks) throw violation(`a map of ${readSize(payload, 32)} blocks where ${blocks} were asked for`);
        return bytes;
      });
      return extra;
    } catch (error) {
      if (error instanceof HostError) return undefined;
      throw error;
    }
  }

  /** A value of the disk's descriptor, by its key without `ddb.`. */
  async descriptor(key: string): Promise<string | undefined> {
    const opId = this.#nextId();
    try {
      const { extra } = await this.#call(Aio.descriptorGet, opId, descriptorGetMessage(opId, this.disk.handle, key), 16, (payload) => {
        const length = payload.readUInt32LE(12);
        if (length > MAX_VALUE) throw violation(`a descriptor value of ${length} bytes`);
        return length;
      });
      return extra.length === 0 ? undefined : extra.toString('utf8').replace(/\0+$/, '');
    } catch (error) {
      if (error instanceof HostError) throw new CausewayError('source.request-refused', `the host refused the descriptor key ${key}: ${error.message}`);
      throw error;
    }
  }

  /** Says goodbye as far as the host listens, and closes. */
  async close(): Promise<void> {
    if (this.#ended !== undefined) return;
    const timer = setTimeout(() => this.end(closed()), CLOSE_GRACE_MS);
    try {
      const file = this.#nextId();
      await this.#call(Aio.closeFile, file, closeFileMessage(file, this.disk.handle), 8);
      const aio = this.#nextId();
      await this.#call(Aio.closeSession, aio, closeSessionMessage(aio), 4);
      await new Promise<void>((resolve) => this.#data.stream.end(classicMessage(Classic.complete), resolve));
    } catch {
      // The host may have gone already: there is nothing left to lose.
    } finally {
      clearTimeout(timer);
      this.end(closed());
    }
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

  async #handshake(): Promise<void> {
    const { token } = this.#data;
    // Some hosts answer the parameters only after they have the version.
    if (token !== undefined) this.#write(tokenMessage(token));
    this.#write(classicMessage(Classic.parameters));
    this.#write(classicMessage(Classic.version, CLIENT_VERSION));
    await this.#expect(Classic.parametersReply);
    this.#version = (await this.#expect(Classic.version)).readUInt32LE(4);
    this.#write(connectionMessage('causeway', 'nbdmode'));
    this.#write(classicMessage(Classic.features, 3));
    this.#write(classicMessage(Classic.aioOpen));
    await this.#expect(Classic.aioOpen);
  }

  async #openDisk(): Promise<void> {
    const { path, bufferBytes, bufferCount } = this.#options;
    const session = this.#nextId();
    await this.#call(Aio.openSession, session, openSessionMessage(session, bufferBytes, bufferCount), 16);
    const options = this.#nextId();
    await this.#call(Aio.socketOptions, options, socketOptionsMessage(options), 12);
    const pool = this.#nextId();
    await this.#call(Aio.resourcePool, pool, resourcePoolMessage(pool), 4);
    const file = this.#nextId();
    const { payload } = await this.#call(Aio.openFile, file, openFileMessage(file, path), OPEN_FILE_BYTES);
    this.#disk = parseOpenReply(payload);
  }

  #expect(type: number): Promise<Buffer> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    this.#beginAnswer();
    return new Promise((resolve, reject) => {
      this.#awaited = { type, resolve, reject };
      this.#drainClassic();
    });
  }

  /** Messages that came before they were waited for: the host may send two in one go. */
  readonly #early: Buffer[] = [];

  #drainClassic(): void {
    const awaited = this.#awaited;
    const message = awaited === undefined ? undefined : this.#early.shift();
    if (awaited === undefined || message === undefined) return;
    this.#awaited = undefined;
    const type = message.readUInt32LE(0);
    if (type === awaited.type) awaited.resolve(message);
    else awaited.reject(type === Classic.complete ? goodbye(awaited.type) : violation(`message ${type} where ${awaited.type} was due`));
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
          this.end(new CausewayError('source.data-session-refused', `the host ended the session with error ${code}: ${hostText(Buffer.from(text ?? []))}`));
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
      if (!this.#reads.has(opId)) throw violation(`data for request ${opId}, which is not waiting`);
      if (size !== IO_BYTES) throw violation(`a data message of ${size} bytes`);
    } else {
      const call = this.#calls.get(opId);
      if (call?.type !== type) throw violation(`message ${type} for request ${opId}, which is not waiting for it`);
      if (size !== call.replyBytes) throw violation(`message ${type} of ${size} bytes`);
    }
  }

  #message(type: number, opId: number, payload: Buffer): Extra | undefined {
    if (type === Aio.io) return this.#fragment(opId, payload);
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
        const text = hostText(Buffer.from(bytes ?? []));
        const error = new HostError(number, `error ${number}: ${text}`);
        const read = this.#reads.get(opId);
        const call = this.#calls.get(opId);
        this.#calls.delete(opId);
        this.#reads.delete(opId);
        call?.reject(error);
        if (read?.piece.isWanted === true) read.piece.done(unreadable(read.piece, error.message));
        // What follows a refusal is not known: others ask again on a new connection.
        this.end(lost(`the host refused request ${opId} with ${error.message}`));
      },
    };
  }

  #fragment(opId: number, payload: Buffer): Extra {
    const read = this.#reads.get(opId) as Read;
    const { piece } = read;
    const status = readSize(payload, 0);
    if (status !== 0) {
      this.#reads.delete(opId);
      if (piece.isWanted) piece.done(unreadable(piece, `status ${status}`));
      throw lost(`the host read [${piece.offset}, +${piece.into.length}) with status ${status}`);
    }
    if (readSize(payload, 16) !== piece.offset || payload.readUInt32LE(24) !== piece.into.length) {
      throw violation(`data of [${readSize(payload, 16)}, +${payload.readUInt32LE(24)}) for a read of [${piece.offset}, +${piece.into.length})`);
    }
    const compression = payload.readUInt32LE(12);
    const place = payload.readUInt32LE(28);
    const plain = payload.readUInt32LE(32);
    const wire = payload.readUInt32LE(36);
    if (plain === 0 || plain > this.#options.bufferBytes || place + plain > piece.into.length) {
      throw violation(`a fragment [${place}, +${plain}) of a read of ${piece.into.length} bytes`);
    }
    const isRaw = compression === Compression.none || wire === plain;
    if (compression > Compression.skipz || (isRaw ? wire !== plain : wire === 0 || wire > plain + PACKED_SLACK)) {
      throw violation(`a fragment of ${plain} bytes in ${wire} with compression ${compression}`);
    }
    read.runs.add(place, place + plain);
    this.#wireBytes += wire;
    const target = piece.into.subarray(place, place + plain);
    return {
      length: wire,
      ...(isRaw ? { into: target } : {}),
      isWanted: () => piece.isWanted,
      done: (packed) => {
        if (packed !== undefined && piece.isWanted) decompress(compression, packed, target);
        if (!read.runs.isComplete(piece.into.length)) return;
        this.#reads.delete(opId);
        piece.done();
      },
    };
  }

  #call(
    type: number, opId: number, message: Buffer, replyBytes: number, extraLength: (payload: Buffer) => number = () => 0,
  ): Promise<{ readonly payload: Buffer; readonly extra: Buffer }> {
    if (this.#ended !== undefined) return Promise.reject(this.#ended);
    return new Promise((resolve, reject) => {
      const since = this.#beginAnswer();
      this.#calls.set(opId, { type, since, replyBytes, extraLength, reject, resolve: (payload, extra) => resolve({ payload, extra }) });
      this.#write(message);
    });
  }

  /**
   * Hosts take one message from a TLS record. A stream that still has something to send would put the next messages into one, so
   * each waits for the one before it.
   */
  #write(message: Buffer): void {
    if (this.#isWriting) this.#unsent.push(message);
    else this.#writeNow(message);
  }

  #writeNow(message: Buffer): void {
    this.#isWriting = true;
    this.#data.stream.write(message, () => {
      this.#isWriting = false;
      const next = this.#ended === undefined ? this.#unsent.shift() : undefined;
      if (next !== undefined) this.#writeNow(next);
    });
  }

  #take(chunk: Uint8Array): void {
    if (this.#ended !== undefined) return;
    this.#lastHeard = performance.now();
    try {
      this.#parser.push(chunk);
    } catch (error) {
      this.end(error instanceof CausewayError ? error : new CausewayError('general.bug', 'parsing what the host sent failed', { cause: error }));
    }
  }

  /** Notes that the host owes an answer from now on. */
  #beginAnswer(): number {
    const now = performance.now();
    if (!this.#owesAnswer) this.#lastHeard = now;
    return now;
  }

  get #owesAnswer(): boolean {
    return this.#awaited !== undefined || this.#calls.size > 0 || this.#reads.size > 0;
  }

  #watch(): void {
    if (!this.#owesAnswer) return;
    const now = performance.now();
    if (now - this.#lastHeard >= this.#options.silenceMs) return this.end(lost(`the host said nothing for ${this.#options.silenceMs} ms`));
    // Maps keep the order of insertion: the first is the oldest.
    for (const oldest of [this.#reads.values().next().value, this.#calls.values().next().value]) {
      if (oldest !== undefined && now - oldest.since >= this.#options.requestMs) {
        return this.end(lost(`the host did not finish a request within ${this.#options.requestMs} ms`));
      }
    }
  }

  #nextId(): number {
    const id = this.#opId;
    this.#opId = (id + 1) >>> 0;
    return id;
  }
}
