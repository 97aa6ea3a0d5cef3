import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../shared/model/extent.ts';
import type { DiskContent, NfcTicket } from '../disk-access/disk-content.ts';
import { cancelled, logIn, type NfcEncryption } from './authd.ts';
import { sharedHostSlots, type HostSlot, type HostSlots } from './host-slots.ts';
import { BLOCK_BYTES, Classic, Compression, MAX_BLOCKS, SECTOR, blockRuns, type CompressionType } from './protocol.ts';
import { NfcSession, type Piece } from './session.ts';

/** What happened to a disk's connection, for logs and progress. */
export type NfcEvent =
  | { readonly kind: 'opened'; readonly host: string; readonly version: number; readonly bufferBytes: number; readonly compression: CompressionType; readonly isEncrypted: boolean }
  | { readonly kind: 'waiting'; readonly host: string }
  | { readonly kind: 'lost'; readonly host: string; readonly reason: CausewayError }
  | { readonly kind: 'retrying'; readonly reason: CausewayError; readonly inMs: number };

export interface NfcDiskOptions {
  /** Asks the platform for a ticket of the VM: one for each connection. After a vMotion it names another host. */
  ticket(signal: AbortSignal): Promise<NfcTicket>;
  /** The disk's file of the snapshot, as the platform names it now: `[datastore] folder/name.vmdk`. */
  path(signal: AbortSignal): Promise<string>;
  /** Default `required`. */
  readonly encryption?: NfcEncryption;
  /** Default: what costs least and the host is known to have. */
  readonly compression?: CompressionType;
  /** Reads under way on this disk, of up to 1 MiB each. Default 16. */
  readonly depth?: number;
  /** Default: shared by all disks of this process. */
  readonly slots?: HostSlots;
  /** How often in a row a connection may fail before any byte has come over it. Default 8; 2 for a port that nothing could ever connect to. */
  readonly attempts?: number;
  readonly timeouts?: Partial<NfcTimeouts>;
  readonly onEvent?: (event: NfcEvent) => void;
}

export interface NfcTimeouts {
  readonly connectMs: number;
  /** Silence while an answer is due. */
  readonly silenceMs: number;
  readonly requestMs: number;
  /** First pause before another connection; it doubles. */
  readonly firstPauseMs: number;
  readonly longestPauseMs: number;
}

const usualTimeouts: NfcTimeouts = { connectMs: 10_000, silenceMs: 60_000, requestMs: 600_000, firstPauseMs: 500, longestPauseMs: 15_000 };
const MIB = 2 ** 20;
const PIECE_BYTES = MIB;
const BUFFER_COUNT = 4;
const SMALLEST_BUFFER = 65_536;
const DEFAULT_DEPTH = 16;
const DEFAULT_ATTEMPTS = 8;
/** For a port that nothing can connect to, before the disk was ever open: with packets that are dropped, each takes ten seconds. */
const ATTEMPTS_AT_CLOSED_PORT = 2;
/** Hosts from this version on were seen to answer with SkipZ. */
const SKIPZ_VERSION = 9;

/** Whether another connection may get over it. Asking the platform for a ticket may fail in its own ways. */
const isPassing = (error: CausewayError): boolean => error.retryable && error.code !== 'source.disk-replaced';

/**
 * Opens a disk on the data port of the host that serves it. A lost connection is replaced, on another host if the VM has
 * moved, and only what had not come yet is asked for again.
 *
 * @throws CausewayError source.host-unreachable, source.host-certificate-mismatch, source.host-encryption-missing, source.host-too-old,
 *   source.data-session-refused, source.disk-access-denied, source.disk-locked, source.host-busy, source.connection-lost, source.protocol,
 *   general.cancelled
 */
export async function openNfcDisk(options: NfcDiskOptions, signal: AbortSignal): Promise<NfcDisk> {
  const disk = new NfcDisk(options);
  const onAbort = (): void => disk.abandon(cancelled());
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    if (signal.aborted) throw cancelled();
    await disk.connect();
    return disk;
  } catch (error) {
    await disk.close();
    throw signal.aborted ? cancelled() : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

interface Waiting extends Piece {
  isWanted: boolean;
  /** The host could not read it, and it was asked for again without compression. */
  wasRefused: boolean;
}

interface Connection {
  readonly session: NfcSession;
  readonly slot: HostSlot;
  readonly host: string;
  readonly compression: CompressionType;
  readonly inFlight: Set<Waiting>;
}

/** One disk, over as many connections one after another as it takes. */
export class NfcDisk implements DiskContent {
  readonly #options: NfcDiskOptions;
  readonly #timeouts: NfcTimeouts;
  readonly #slots: HostSlots;
  readonly #depth: number;
  /** Ends everything. */
  readonly #life = new AbortController();
  /** Pieces that no connection was asked for yet, oldest first. */
  readonly #queue: Waiting[] = [];
  readonly #callers = new Set<Waiting>();
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failure: CausewayError | undefined;
  #sizeBytes: number | undefined;
  /** What the host's memory allowed last; halved when it refuses. */
  #largestBuffer = PIECE_BYTES;
  #withoutToken = false;
  #compressionRefused = false;
  #failuresInARow = 0;
  #wireBytes = 0;

  constructor(options: NfcDiskOptions) {
    this.#options = options;
    this.#timeouts = { ...usualTimeouts, ...options.timeouts };
    this.#slots = options.slots ?? sharedHostSlots;
    this.#depth = options.depth ?? DEFAULT_DEPTH;
  }

  get sizeBytes(): number {
    if (this.#sizeBytes === undefined) throw new CausewayError('general.bug', 'the disk is not open');
    return this.#sizeBytes;
  }

  /** Bytes of disk content that came over the network, packed as they were. */
  get wireBytes(): number {
    return this.#wireBytes + (this.#connection?.session.wireBytes ?? 0);
  }

  /** Host that serves the disk now. */
  get host(): string | undefined {
    return this.#connection?.host;
  }

  async connect(): Promise<void> {
    await this.#connected();
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    if (!Number.isSafeInteger(offset) || offset < 0 || offset + into.length > this.sizeBytes) {
      throw new CausewayError('general.bug', `[${offset}, +${into.length}) is outside the disk of ${this.sizeBytes} bytes`);
    }
    if (signal.aborted) throw cancelled();
    if (this.#failure !== undefined) throw this.#failure;
    if (into.length === 0) return;
    const before = offset % SECTOR;
    const after = (SECTOR - ((offset + into.length) % SECTOR)) % SECTOR;
    if (before === 0 && after === 0) return this.#readSectors(offset, into, signal);
    const sectors = new Uint8Array(before + into.length + after);
    await this.#readSectors(offset - before, sectors, signal);
    into.set(sectors.subarray(before, before + into.length));
  }

  async *allocated(signal: AbortSignal, fromBytes: number): AsyncGenerator<Extent, void, undefined> {
    const { sizeBytes } = this;
    const whole = Math.floor(sizeBytes / BLOCK_BYTES);
    let run: Extent | undefined;
    let knows = true;
    for (let block = Math.floor(fromBytes / BLOCK_BYTES); block < whole; ) {
      const count = Math.min(MAX_BLOCKS, whole - block);
      const bitmap: Buffer | undefined = knows ? await this.#askAllocated(block * BLOCK_BYTES, count, signal) : undefined;
      // A host that can't tell: everything may hold data.
      knows = bitmap !== undefined;
      for (const [first, length, isData] of bitmap === undefined ? [[0, count, true] as const] : blockRuns(bitmap, count)) {
        const next: Extent = { offset: (block + first) * BLOCK_BYTES, length: length * BLOCK_BYTES, kind: isData ? 'data' : 'zero' };
        if (run?.kind === next.kind) {
          run = { ...run, length: run.length + next.length };
        } else {
          if (run !== undefined) yield* from(run, fromBytes);
          run = next;
        }
      }
      block += count;
    }
    // What is shorter than a block can't be asked after.
    const tail = whole * BLOCK_BYTES;
    if (tail < sizeBytes && fromBytes < sizeBytes) {
      if (run?.kind === 'data') run = { ...run, length: run.length + sizeBytes - tail };
      else {
        if (run !== undefined) yield* from(run, fromBytes);
        run = { offset: tail, length: sizeBytes - tail, kind: 'data' };
      }
    }
    if (run !== undefined) yield* from(run, fromBytes);
  }

  /** A value of the disk's descriptor, by its key without `ddb.`. */
  async descriptor(key: string, signal: AbortSignal): Promise<string | undefined> {
    return this.#ask((session) => session.descriptor(key), signal);
  }

  async close(): Promise<void> {
    const connection = this.#connection;
    const connecting = this.#connecting;
    this.#connection = undefined;
    this.#fail(new CausewayError('source.connection-lost', 'the disk was closed'));
    if (connection !== undefined) {
      await connection.session.close();
      connection.slot.release();
    }
    await connecting?.catch(() => undefined);
  }

  /** Ends everything with this reason. */
  abandon(error: CausewayError): void {
    this.#fail(error);
    this.#connection?.session.end(error);
  }

  #readSectors(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const pieces: Waiting[] = [];
      let left = 0;
      const settle = (error?: CausewayError): void => {
        signal.removeEventListener('abort', onAbort);
        for (const piece of pieces) {
          piece.isWanted = false;
          this.#callers.delete(piece);
        }
        if (error === undefined) return resolve();
        this.#dropUnwanted();
        reject(error);
      };
      const onAbort = (): void => settle(cancelled());
      for (let at = 0; at < into.length; at += PIECE_BYTES) {
        left += 1;
        const piece: Waiting = {
          offset: offset + at,
          into: into.subarray(at, Math.min(at + PIECE_BYTES, into.length)),
          isWanted: true,
          wasRefused: false,
          done: (error) => {
            if (error?.code === 'source.read-failed' && piece.isWanted && !piece.wasRefused) {
              // Hosts may refuse a compression that they don't know like a sector that they can't read.
              piece.wasRefused = true;
              this.#compressionRefused = true;
              this.#queue.unshift(piece);
              this.#ended(piece);
              return;
            }
            this.#ended(piece);
            if (!piece.isWanted) return;
            piece.isWanted = false;
            this.#callers.delete(piece);
            left -= 1;
            if (error !== undefined) settle(error);
            else if (left === 0) settle();
          },
        };
        pieces.push(piece);
        this.#callers.add(piece);
        this.#queue.push(piece);
      }
      signal.addEventListener('abort', onAbort, { once: true });
      this.#wake();
    });
  }

  /** A piece has come, or can't be read: its place in the queue of the host is free. */
  #ended(piece: Waiting): void {
    const connection = this.#connection;
    this.#failuresInARow = 0;
    if (connection?.inFlight.delete(piece) === true) connection.slot.readEnded();
  }

  #dropUnwanted(): void {
    const wanted = this.#queue.filter((piece) => piece.isWanted);
    this.#queue.splice(0, this.#queue.length, ...wanted);
  }

  /** Sees to it that what waits is asked for. */
  #wake(): void {
    if (this.#connection !== undefined) this.#connection.slot.wake();
    else this.#connected().catch((error: unknown) => this.#fail(asKnown(error)));
  }

  #start(): void {
    const connection = this.#connection;
    const piece = this.#queue.shift();
    if (connection === undefined || piece === undefined) throw new CausewayError('general.bug', 'a read was started that nobody waits for');
    connection.inFlight.add(piece);
    connection.session.read(piece, connection.compression);
  }

  async #askAllocated(startByte: number, blocks: number, signal: AbortSignal): Promise<Buffer | undefined> {
    return this.#ask((session) => session.allocatedBlocks(startByte, blocks), signal);
  }

  /** Asks the session something, again on the next connection if this one is lost. */
  async #ask<T>(question: (session: NfcSession) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const { session } = await abortable(this.#connected(), signal);
      try {
        return await abortable(question(session), signal);
      } catch (error) {
        const wasLost = session.ended !== undefined && session.ended === error;
        if (!wasLost || this.#failure !== undefined || !isPassing(session.ended)) throw error;
      }
    }
  }

  #connected(): Promise<Connection> {
    if (this.#connection !== undefined) return Promise.resolve(this.#connection);
    this.#connecting ??= this.#connectAgain().finally(() => {
      this.#connecting = undefined;
    });
    return this.#connecting;
  }

  async #connectAgain(): Promise<Connection> {
    const limit = this.#options.attempts ?? DEFAULT_ATTEMPTS;
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      // After a loss, the same host usually answers again at once; only then pauses begin.
      if (this.#failuresInARow > 1) await this.#pause();
      try {
        const connection = await this.#connectOnce();
        if (this.#failure !== undefined) {
          connection.session.end(this.#failure);
          connection.slot.release();
          throw this.#failure;
        }
        // It may have been lost again by now.
        if (this.#adopt(connection)) return connection;
      } catch (error) {
        const known = asKnown(error);
        this.#learn(known);
        this.#failuresInARow += 1;
        if (this.#failure !== undefined) throw this.#failure;
        const isClosed = this.#sizeBytes === undefined && known.code === 'source.host-unreachable';
        if (!isPassing(known) || this.#failuresInARow >= (isClosed ? Math.min(limit, ATTEMPTS_AT_CLOSED_PORT) : limit)) throw this.#fail(known);
        this.#lastReason = known;
      }
    }
  }

  #lastReason: CausewayError | undefined;

  async #pause(): Promise<void> {
    const { firstPauseMs, longestPauseMs } = this.#timeouts;
    const ms = Math.min(longestPauseMs, firstPauseMs * 2 ** (this.#failuresInARow - 2)) * (0.75 + Math.random() / 4);
    if (this.#lastReason !== undefined) this.#options.onEvent?.({ kind: 'retrying', reason: this.#lastReason, inMs: Math.round(ms) });
    const { signal } = this.#life;
    await new Promise<void>((resolve) => {
      const end = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
        resolve();
      };
      const timer = setTimeout(end, ms);
      signal.addEventListener('abort', end, { once: true });
      if (signal.aborted) end();
    });
  }

  /** What a refusal says about how to ask the next time. */
  #learn(error: CausewayError): void {
    if (error.code === 'source.host-busy') this.#largestBuffer = Math.max(SMALLEST_BUFFER, this.#largestBuffer / 2);
    // Hosts before 7.0 end the session at a message that they don't know.
    if (error.code === 'source.data-session-refused' && error.details['due'] === Classic.parametersReply) this.#withoutToken = true;
  }

  async #connectOnce(): Promise<Connection> {
    const { signal } = this.#life;
    let ticket = await this.#options.ticket(signal);
    let slot = this.#slots.tryAcquire(ticket.host);
    while (slot === undefined) {
      this.#options.onEvent?.({ kind: 'waiting', host: ticket.host });
      const place = await this.#slots.acquire(ticket.host, signal);
      // The wait may have outlasted the ticket, or the VM may have moved.
      const { host } = ticket;
      try {
        ticket = await this.#options.ticket(signal);
      } catch (error) {
        place.release();
        throw error;
      }
      if (ticket.host.toLowerCase() === host.toLowerCase()) slot = place;
      else {
        place.release();
        slot = this.#slots.tryAcquire(ticket.host);
      }
    }
    try {
      const path = await this.#options.path(signal);
      const { connectMs, silenceMs, requestMs } = this.#timeouts;
      const data = await logIn(ticket, this.#options.encryption ?? 'required', { connectMs, answerMs: silenceMs }, signal);
      const bufferBytes = Math.min(this.#largestBuffer, slot.bufferBytes / BUFFER_COUNT);
      const session = await NfcSession.open(
        this.#withoutToken ? { ...data, token: undefined } : data,
        { path, bufferBytes, bufferCount: BUFFER_COUNT, silenceMs, requestMs },
        signal,
      );
      const { sizeBytes } = session.disk;
      if (this.#sizeBytes !== undefined && this.#sizeBytes !== sizeBytes) {
        const error = new CausewayError('source.disk-replaced', `${path} has ${sizeBytes} bytes on ${ticket.host}, it had ${this.#sizeBytes}`);
        session.end(error);
        throw error;
      }
      this.#sizeBytes = sizeBytes;
      const compression = this.#options.compression ?? this.#usualCompression(session.version);
      this.#options.onEvent?.({ kind: 'opened', host: ticket.host, version: session.version, bufferBytes, compression, isEncrypted: data.isEncrypted });
      return { session, slot, host: ticket.host, compression, inFlight: new Set() };
    } catch (error) {
      slot.release();
      throw error;
    }
  }

  /** SkipZ leaves out zeros at next to no cost; what it can't shorten comes as it is. */
  #usualCompression(version: number): CompressionType {
    return version >= SKIPZ_VERSION && !this.#compressionRefused ? Compression.skipz : Compression.none;
  }

  #adopt(connection: Connection): boolean {
    this.#connection = connection;
    connection.session.onEnded((error) => this.#lost(connection, error));
    if (this.#connection !== connection) return false;
    connection.slot.serve({
      ready: () => this.#connection === connection && this.#queue.length > 0 && connection.inFlight.size < this.#depth,
      start: () => this.#start(),
    });
    return this.#connection === connection;
  }

  #lost(connection: Connection, error: CausewayError): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#wireBytes += connection.session.wireBytes;
    connection.slot.release();
    if (this.#failure !== undefined) return;
    this.#options.onEvent?.({ kind: 'lost', host: connection.host, reason: error });
    if (!isPassing(error)) {
      this.#fail(error);
      return;
    }
    this.#lastReason = error;
    this.#failuresInARow += 1;
    // Only what is not complete is asked for again, before what was never asked for.
    this.#queue.unshift(...[...connection.inFlight].filter((piece) => piece.isWanted));
    if (this.#failuresInARow >= (this.#options.attempts ?? DEFAULT_ATTEMPTS)) this.#fail(error);
    else if (this.#queue.length > 0) this.#wake();
  }

  /** The disk can't be read any more: everybody who waits is told so. */
  #fail(error: CausewayError): CausewayError {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = error;
    this.#life.abort(error);
    this.#queue.length = 0;
    for (const piece of [...this.#callers]) piece.done(error);
    return error;
  }
}

function* from(run: Extent, fromBytes: number): Generator<Extent, void, undefined> {
  const end = run.offset + run.length;
  if (end > fromBytes) yield run.offset >= fromBytes ? run : { ...run, offset: fromBytes, length: end - fromBytes };
}

function asKnown(error: unknown): CausewayError {
  return error instanceof CausewayError ? error : new CausewayError('general.bug', 'reading from the host failed', { cause: error });
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  if (signal.aborted) {
    promise.catch(() => undefined);
    throw cancelled();
  }
  return new Promise<T>((resolve, reject) => {
    const onAbort = (): void => reject(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort)).catch(() => undefined);
  });
}
