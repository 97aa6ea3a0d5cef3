import { copyBytes } from '../../../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Extent } from '../../../../../shared/model/extent.ts';
import { abortable } from '../../../concurrency/abortable.ts';
import type { DiskContent } from '../disk-access/disk-content.ts';
import { allocatedExtents } from './allocated-extents.ts';
import { cancelled } from './authd.ts';
import { CompressionChoice } from './compression-choice.ts';
import {
  Connector,
  asKnown,
  isPassing,
  type ConnectorEvent,
  type ConnectorOptions,
  type OpenLink,
} from './connector.ts';
import type { Piece } from './incoming-reads.ts';
import { Compression, SECTOR, type CompressionType } from './protocol.ts';
import type { NfcSession } from './session.ts';

/** What happened to a disk's connection, for logs and progress. */
export type NfcEvent =
  | ConnectorEvent
  | {
      readonly kind: 'opened';
      readonly host: string;
      readonly version: number;
      readonly bufferBytes: number;
      readonly isEncrypted: boolean;
    }
  /** The link is slow, and content comes faster when it is packed like this. */
  | {
      readonly kind: 'packing';
      readonly host: string;
      readonly compression: CompressionType;
      readonly linkBytesPerSecond: number;
    }
  | { readonly kind: 'lost'; readonly host: string; readonly reason: CausewayError };

export interface NfcDiskOptions extends ConnectorOptions {
  /** Default: by what the host is known to have and the link brings. */
  readonly compression?: CompressionType;
  /** Reads under way on this disk, of up to 1 MiB each. Default 16. */
  readonly depth?: number;
  readonly onEvent?: (event: NfcEvent) => void;
}

const PIECE_BYTES = 2 ** 20;
const DEFAULT_DEPTH = 16;
/** So many reads that the host still has to answer keep the link busy. */
const BUSY_READS = 4;
/** Hosts from this version on were seen to answer with SkipZ. */
const SKIPZ_VERSION = 9;

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
  /** How it was asked for last. */
  compression: CompressionType;
  /** The host could not read it, and it was asked for again without compression. */
  wasRefused: boolean;
}

interface Connection extends OpenLink {
  readonly inFlight: Set<Waiting>;
}

/** One disk, over as many connections one after another as it takes. */
export class NfcDisk implements DiskContent {
  readonly #options: NfcDiskOptions;
  readonly #connector: Connector;
  readonly #depth: number;
  /** Ends everything. */
  readonly #life = new AbortController();
  /** Pieces that no connection was asked for yet, oldest first. */
  readonly #queue: Waiting[] = [];
  readonly #callers = new Set<Waiting>();
  #connection: Connection | undefined;
  #connecting: Promise<Connection> | undefined;
  #failure: CausewayError | undefined;
  /** Unset before the first connection, and where the compression is given. */
  #choice: CompressionChoice | undefined;
  #wireBytes = 0;

  constructor(options: NfcDiskOptions) {
    this.#options = options;
    this.#depth = options.depth ?? DEFAULT_DEPTH;
    this.#connector = new Connector(options, (event) => options.onEvent?.(event));
  }

  get sizeBytes(): number {
    const { sizeBytes } = this.#connector;
    if (sizeBytes === undefined) throw new CausewayError('general.bug', 'the disk is not open');
    return sizeBytes;
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
      throw new CausewayError(
        'general.bug',
        `[${offset}, +${into.length}) is outside the disk of ${this.sizeBytes} bytes`,
      );
    }
    if (signal.aborted) throw cancelled();
    if (this.#failure !== undefined) throw this.#failure;
    if (into.length === 0) return;
    const before = offset % SECTOR;
    const after = (SECTOR - ((offset + into.length) % SECTOR)) % SECTOR;
    if (before === 0 && after === 0) return this.#readSectors(offset, into, signal);
    const sectors = new Uint8Array(before + into.length + after);
    await this.#readSectors(offset - before, sectors, signal);
    copyBytes(sectors.subarray(before, before + into.length), into);
  }

  allocated(signal: AbortSignal, fromBytes: number): AsyncGenerator<Extent, void, undefined> {
    return allocatedExtents(this.sizeBytes, fromBytes, (startByte, blocks) =>
      this.#ask((session) => session.allocatedBlocks(startByte, blocks), signal),
    );
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
      this.#wireBytes += connection.session.wireBytes;
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
          compression: Compression.none,
          wasRefused: false,
          done: (error, wireBytes) => {
            if (error?.code === 'source.read-failed' && piece.isWanted && piece.compression !== Compression.none) {
              // Hosts may refuse a compression that they don't know like a sector that they can't read.
              piece.wasRefused = true;
              this.#choice?.refused(piece.compression);
              this.#queue.unshift(piece);
              this.#ended(piece);
              return;
            }
            if (error === undefined) this.#took(piece, wireBytes);
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

  #took(piece: Waiting, wireBytes: number): void {
    const isBusy = (this.#connection?.inFlight.size ?? 0) > BUSY_READS;
    this.#choice?.took({ compression: piece.compression, plainBytes: piece.into.length, wireBytes, isBusy });
  }

  /** A piece has come, or can't be read: its place in the queue of the host is free. */
  #ended(piece: Waiting): void {
    const connection = this.#connection;
    this.#connector.noteProgress();
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
    if (connection === undefined || piece === undefined)
      throw new CausewayError('general.bug', 'a read was started that nobody waits for');
    connection.inFlight.add(piece);
    piece.compression = piece.wasRefused
      ? Compression.none
      : (this.#options.compression ?? this.#choice?.next() ?? Compression.none);
    connection.session.read(piece, piece.compression);
  }

  /** Asks the session something, again on the next connection if this one is lost. */
  async #ask<T>(question: (session: NfcSession) => Promise<T>, signal: AbortSignal): Promise<T> {
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const { session } = await abortable(this.#connected(), signal, cancelled);
      try {
        return await abortable(question(session), signal, cancelled);
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
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure;
      const link = await this.#connector.connect(this.#life.signal).catch((error: unknown) => {
        throw this.#fail(asKnown(error));
      });
      if (this.#failure !== undefined) {
        link.session.end(this.#failure);
        link.slot.release();
        throw this.#failure;
      }
      const connection: Connection = { ...link, inFlight: new Set() };
      const {
        session: { version, bufferBytes },
        host,
        isEncrypted,
      } = link;
      this.#options.onEvent?.({ kind: 'opened', host, version, bufferBytes, isEncrypted });
      this.#choose(version);
      // It may have been lost again by now.
      if (this.#adopt(connection)) return connection;
    }
  }

  /** SkipZ leaves out zeros at next to no cost; what it can't shorten comes as it is. */
  #choose(version: number): void {
    if (this.#options.compression !== undefined) return;
    this.#choice?.reconnected();
    this.#choice ??= new CompressionChoice(
      version >= SKIPZ_VERSION ? Compression.skipz : Compression.none,
      (compression, linkBytesPerSecond) =>
        this.#options.onEvent?.({ kind: 'packing', host: this.host ?? '', compression, linkBytesPerSecond }),
    );
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
    // Only what is not complete is asked for again, before what was never asked for.
    this.#queue.unshift(...[...connection.inFlight].filter((piece) => piece.isWanted));
    if (!this.#connector.noteLoss(error)) this.#fail(error);
    else if (this.#queue.length > 0) this.#wake();
  }

  /** The disk can't be read any more: everybody who waits is told so. */
  #fail(error: CausewayError): CausewayError {
    if (this.#failure !== undefined) return this.#failure;
    this.#failure = error;
    this.#life.abort(error);
    this.#queue.length = 0;
    for (const piece of [...this.#callers]) piece.done(error, 0);
    return error;
  }
}
