import { randomBytes } from 'node:crypto';
import { copyBytes } from '../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { allSettledOrThrow } from '../concurrency/all-settled-or-throw.ts';
import { addressText } from './address.ts';
import type { ExportInfo } from './handshake.ts';
import { cancelled, type Link } from './link.ts';
import { negotiate, type NbdConnectOptions, type NbdServerOptions } from './negotiate.ts';
import { PendingRequest, type StatusRun } from './pending-request.ts';
import { Command, CommandFlag, TransmissionFlag, type CommandType } from './protocol.ts';
import { ReplyParser } from './reply-parser.ts';
import { requestHead } from './request-head.ts';

const MAX_IN_FLIGHT = 64;
/** Larger reads are cut into requests of this size, which then run in parallel. */
const READ_PIECE = 2 * 1024 * 1024;
const DEFAULT_INACTIVITY = 120_000;
/** How long a cancelled read may wait for the rest of a chunk that is just being received into its buffer. */
const ABANDON_GRACE = 2000;
const MAX_STATUS_LENGTH = 0xfffff000;

/**
 * A connection to one export of an NBD server, in its transmission phase. Calls may overlap. When the connection is
 * lost, every call in flight rejects with a `source.*` code; a rejected read's buffer is not written to any more.
 */
export class NbdClient {
  readonly info: ExportInfo;
  readonly #link: Link;
  readonly #parser: ReplyParser;
  readonly #pending = new Map<number, PendingRequest>();
  readonly #waiting: (() => void)[] = [];
  readonly #cookieHigh = randomBytes(4).readUInt32BE();
  readonly #inactivityMs: number;
  readonly #readFlags: number;
  #cookie = 0;
  #lastActivity = 0;
  #timer: NodeJS.Timeout | undefined;

  private constructor(link: Link, info: ExportInfo, options: NbdConnectOptions) {
    this.#link = link;
    this.info = info;
    this.#inactivityMs = options.inactivityMs ?? DEFAULT_INACTIVITY;
    // Without structured replies there are no pieces.
    this.#readFlags = options.wholeReads === true && info.structuredReplies ? CommandFlag.dontFragment : 0;
    if (this.#readFlags !== 0) this.#need(TransmissionFlag.sendDf, 'DF flag');
    const pending = this.#pending;
    const parser = new ReplyParser({
      structuredReplies: info.structuredReplies,
      contextIds: new Set(info.contexts.values()),
      find: (high, low) => (high === this.#cookieHigh ? pending.get(low) : undefined),
      finished: (cookie) => this.#finished(cookie),
    });
    this.#parser = parser;
    link.sink = {
      nextTarget: () => parser.nextTarget(),
      filled: (count) => {
        this.#lastActivity = performance.now();
        parser.filled(count);
      },
    };
    link.onFailed((error) => this.#failAll(error));
  }

  /**
   * Connects, negotiates and enters the export.
   * @throws CausewayError source.unreachable, source.tls-refused, source.disk-not-found, source.protocol, general.cancelled
   */
  static async connect(options: NbdConnectOptions, signal: AbortSignal): Promise<NbdClient> {
    return negotiate(options, signal, async (handshake, link) => {
      const info = await handshake.go(options.exportName, options.contexts ?? []);
      return new NbdClient(link, info, options);
    });
  }

  /** Names of the exports that the server tells. */
  static async listExports(options: NbdServerOptions, signal: AbortSignal): Promise<readonly string[]> {
    return negotiate(options, signal, async (handshake, link) => {
      const names = await handshake.list();
      await link.end();
      return names;
    });
  }

  /** The reason why the connection is of no use any more. */
  get failed(): CausewayError | undefined {
    return this.#link.failed;
  }

  /** Fills `into` with the bytes at `offset`. The range must lie within the export. */
  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    this.#checkRange(offset, into.length);
    const block = this.info.minimumBlock;
    if (offset % block !== 0 || into.length % block !== 0) return this.#readUnaligned(offset, into, signal);
    const piece = Math.min(this.info.maximumBlock, READ_PIECE - (READ_PIECE % block) || block);
    if (into.length <= piece) return this.#read(offset, into, signal);
    const pieces: Promise<void>[] = [];
    for (let at = 0; at < into.length; at += piece) {
      pieces.push(this.#read(offset + at, into.subarray(at, Math.min(at + piece, into.length)), signal));
    }
    // All of them have to end before the caller may have the buffer back.
    await allSettledOrThrow(pieces);
  }

  /**
   * Runs of each granted context from `offset` on. They may cover less than `length` (at least one run), or more by
   * the rest of their last run.
   */
  async blockStatus(
    offset: number,
    length: number,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<string, readonly StatusRun[]>> {
    this.#checkRange(offset, length);
    if (this.info.contexts.size === 0)
      throw new CausewayError('source.unsupported', 'the NBD server granted no metadata context');
    const pending = await this.#submit(Command.blockStatus, 0, offset, Math.min(length, MAX_STATUS_LENGTH), signal);
    const byName = new Map<string, readonly StatusRun[]>();
    for (const [name, id] of this.info.contexts) {
      const runs = pending.statuses.get(id);
      if (runs === undefined)
        throw new CausewayError('source.protocol', `the NBD server did not send the status of context ${name}`);
      byName.set(name, runs);
    }
    return byName;
  }

  async write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    this.#checkRange(offset, bytes.length);
    const piece = this.info.maximumBlock;
    for (let at = 0; at < bytes.length; at += piece) {
      const part = bytes.subarray(at, Math.min(at + piece, bytes.length));
      await this.#submit(Command.write, 0, offset + at, part.length, signal, undefined, part);
    }
  }

  /** Makes the range read as zeros; the server may free its space. */
  async writeZeroes(offset: number, length: number, signal: AbortSignal): Promise<void> {
    this.#checkRange(offset, length);
    this.#need(TransmissionFlag.sendWriteZeroes, 'WRITE_ZEROES');
    await this.#submit(Command.writeZeroes, 0, offset, length, signal);
  }

  async trim(offset: number, length: number, signal: AbortSignal): Promise<void> {
    this.#checkRange(offset, length);
    this.#need(TransmissionFlag.sendTrim, 'TRIM');
    await this.#submit(Command.trim, 0, offset, length, signal);
  }

  async flush(signal: AbortSignal): Promise<void> {
    if ((this.info.flags & TransmissionFlag.sendFlush) !== 0) await this.#submit(Command.flush, 0, 0, 0, signal);
  }

  /** Says goodbye and closes; calls in flight reject. */
  async close(): Promise<void> {
    if (this.#link.failed !== undefined) return;
    this.#link.write(this.#head(Command.disconnect, 0, 0, 0, 0));
    await this.#link.end();
  }

  async #read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    if (into.length > 0) await this.#submit(Command.read, this.#readFlags, offset, into.length, signal, into);
  }

  async #readUnaligned(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    const block = this.info.minimumBlock;
    const start = offset - (offset % block);
    const end = Math.min(Math.ceil((offset + into.length) / block) * block, this.info.sizeBytes);
    if ((end - start) % block !== 0)
      throw new CausewayError('source.protocol', 'the size of the NBD export is not a multiple of its block size');
    const bounce = new Uint8Array(end - start);
    await this.read(start, bounce, signal);
    copyBytes(bounce.subarray(offset - start, offset - start + into.length), into);
  }

  async #submit(
    command: CommandType,
    flags: number,
    offset: number,
    length: number,
    signal: AbortSignal,
    into?: Uint8Array,
    payload?: Uint8Array,
  ): Promise<PendingRequest> {
    if (signal.aborted) throw cancelled();
    while (this.#pending.size >= MAX_IN_FLIGHT) {
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
      if (signal.aborted) throw this.#passTurn();
    }
    if (this.#link.failed !== undefined) throw this.#link.failed;
    const request = new PendingRequest(command, offset, length, into);
    const cookie = (this.#cookie = (this.#cookie + 1) >>> 0);
    this.#pending.set(cookie, request);
    this.#watch();
    const head = this.#head(command, flags, cookie, offset, length);
    if (payload === undefined) this.#link.write(head);
    else this.#link.write(head, payload);
    const onAbort = () => this.#abandon(request);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      await request.completion;
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
    return request;
  }

  #abandon(request: PendingRequest): void {
    if (this.#parser.receiving !== request) return request.abandon(cancelled());
    // The kernel may write into this buffer again: wait for the end of the chunk, but not forever.
    const timer = setTimeout(() => this.#link.fail(cancelled()), ABANDON_GRACE);
    const settle = () => {
      clearTimeout(timer);
    };
    request.cancelAfterChunk = () => {
      settle();
      request.abandon(cancelled());
    };
    request.completion.then(settle, settle);
  }

  #passTurn(): CausewayError {
    this.#waiting.shift()?.();
    return cancelled();
  }

  #finished(cookie: number): void {
    this.#pending.delete(cookie);
    if (this.#pending.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
    this.#waiting.shift()?.();
  }

  #watch(): void {
    if (this.#timer !== undefined) return;
    this.#lastActivity = performance.now();
    this.#timer = setInterval(
      () => {
        if (performance.now() - this.#lastActivity < this.#inactivityMs) return;
        const evidence = `NBD connection to ${addressText(this.#link.address)}: no response for ${this.#inactivityMs} ms`;
        this.#link.fail(new CausewayError('source.connection-lost', evidence));
      },
      Math.max(10, this.#inactivityMs / 4),
    ).unref();
  }

  #failAll(error: CausewayError): void {
    clearInterval(this.#timer);
    for (const request of this.#pending.values()) request.abandon(error);
    this.#pending.clear();
    for (const resume of this.#waiting.splice(0)) resume();
  }

  #head(command: CommandType, flags: number, cookie: number, offset: number, length: number): Buffer {
    return requestHead({ command, flags, cookieHigh: this.#cookieHigh, cookie, offset, length });
  }

  #checkRange(offset: number, length: number): void {
    if (!Number.isSafeInteger(offset) || offset < 0 || length < 0 || offset + length > this.info.sizeBytes) {
      throw new CausewayError(
        'general.bug',
        `[${offset}, +${length}) is outside the export of ${this.info.sizeBytes} bytes`,
      );
    }
  }

  #need(flag: number, name: string): void {
    if ((this.info.flags & flag) === 0) throw new CausewayError('source.unsupported', `the NBD export has no ${name}`);
  }
}
