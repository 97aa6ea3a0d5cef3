import net from 'node:net';
import type { Duplex } from 'node:stream';
import tls from 'node:tls';
import { copyBytes } from '../concurrency/copy-bytes.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { NbdAddress, NbdTls, RemoteSocket, RemoteStream } from './address.ts';
import { addressText } from './address.ts';
import { tlsUpgrade } from './tls-upgrade.ts';

/** Who takes the bytes that arrive. It says where the next ones go, so that a payload needs no copy. */
export interface ByteSink {
  /** Where the next bytes are to be put; never empty. */
  nextTarget(): Uint8Array;
  /** The first `count` bytes of the last target were filled. Throws when what came is not valid. */
  filled(count: number): void;
}

/**
 * A byte stream to an NBD server. In the clear, the kernel writes straight into the sink's target; over TLS, the
 * decrypted records are copied there, as is what comes from a socket of another machine.
 */
export class Link {
  readonly address: NbdAddress;
  #socket: Duplex;
  #isClosed = false;
  #sink: ByteSink;
  #failed: CausewayError | undefined;
  #unlisten: () => void = () => undefined;
  readonly #onFailed = new Set<(error: CausewayError) => void>();
  readonly #wayLost: () => CausewayError | undefined;

  private constructor(
    address: NbdAddress,
    socket: Duplex,
    sink: ByteSink,
    wayLost: () => CausewayError | undefined = () => undefined,
  ) {
    this.address = address;
    this.#socket = socket;
    this.#sink = sink;
    this.#wayLost = wayLost;
    this.#listen(socket);
  }

  /**
   * Connects; `willUpgrade` when TLS is to follow.
   * @throws CausewayError source.unreachable, general.cancelled; what a remote socket's `open` throws
   */
  static async connect(
    address: NbdAddress,
    sink: ByteSink,
    willUpgrade: boolean,
    signal: AbortSignal,
    timeoutMs: number,
  ): Promise<Link> {
    if (address.kind === 'remote') {
      const { stream, lost: wayLost } = await openRemote(address, address.socket, signal, timeoutMs);
      return new Link(address, stream, sink, wayLost);
    }
    const state: { link?: Link } = {};
    const target: { sink: ByteSink } = { sink };
    const where = address.kind === 'unix' ? { path: address.path } : { host: address.host, port: address.port };
    const socket = net.connect({
      ...where,
      ...(willUpgrade
        ? {}
        : {
            onread: {
              // Node asks for the next buffer right after each callback.
              buffer: () => {
                target.sink = state.link === undefined ? sink : state.link.#sink;
                return target.sink.nextTarget();
              },
              callback: (count: number, filled: Uint8Array) => {
                const link = state.link;
                // The sink may have been changed after this buffer was handed out.
                if (link !== undefined && link.#sink === target.sink) link.#take(count);
                else if (link !== undefined) link.#copyIn(filled.slice(0, count));
                return true;
              },
            },
          }),
    });
    try {
      await new Promise<void>((resolve, reject) => {
        const timer = setTimeout(() => reject(unreachable(address, `no response within ${timeoutMs} ms`)), timeoutMs);
        const onAbort = () => reject(cancelled());
        const done = (finish: () => void) => () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', onAbort);
          finish();
        };
        signal.addEventListener('abort', onAbort, { once: true });
        socket.once('connect', done(resolve));
        socket.once('error', (error) => done(() => reject(unreachable(address, error.message, error)))());
        if (signal.aborted) onAbort();
      });
    } catch (error) {
      socket.on('error', () => undefined);
      socket.destroy();
      throw error;
    }
    if (address.kind === 'tcp') socket.setNoDelay(true);
    state.link = new Link(address, socket, sink);
    return state.link;
  }

  /** Wraps the stream in TLS and verifies the server. @throws CausewayError source.tls-refused */
  async upgrade(settings: NbdTls, signal: AbortSignal, timeoutMs: number): Promise<void> {
    this.#unlisten();
    const secured = await tlsUpgrade(this.#socket, this.address, settings, signal, timeoutMs);
    this.#socket = secured;
    this.#listen(secured);
  }

  set sink(sink: ByteSink) {
    this.#sink = sink;
  }

  get isTls(): boolean {
    return this.#socket instanceof tls.TLSSocket;
  }

  get failed(): CausewayError | undefined {
    return this.#failed;
  }

  onFailed(listener: (error: CausewayError) => void): void {
    if (this.#failed !== undefined) listener(this.#failed);
    else this.#onFailed.add(listener);
  }

  write(...parts: readonly Uint8Array[]): void {
    if (this.#failed !== undefined) throw this.#failed;
    if (parts.length > 1) this.#socket.cork();
    for (const part of parts) this.#socket.write(part);
    if (parts.length > 1) this.#socket.uncork();
  }

  /** Ends the stream for good with this reason. */
  fail(error: CausewayError): void {
    if (this.#failed !== undefined) return;
    this.#failed = error;
    this.#socket.destroy();
    for (const listener of this.#onFailed) listener(error);
    this.#onFailed.clear();
  }

  /** Sends what is queued and closes. */
  end(): Promise<void> {
    const closed = new CausewayError(
      'source.connection-lost',
      `the connection to ${addressText(this.address)} was closed`,
    );
    if (this.#isClosed || this.#socket.destroyed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        this.fail(closed);
        resolve();
      }, 1000);
      this.#socket.once('close', () => {
        clearTimeout(timer);
        this.fail(closed);
        resolve();
      });
      this.#socket.end();
    });
  }

  #listen(socket: Duplex): void {
    const onError = (error: Error) => this.fail(this.#wayLost() ?? lost(this.address, error.message, error));
    const onEnd = () => this.fail(this.#wayLost() ?? lost(this.address, 'the peer closed it'));
    const onClose = () => {
      this.#isClosed = true;
      onEnd();
    };
    const onData = (chunk: Buffer) => this.#copyIn(chunk);
    socket.on('error', onError).on('close', onClose).on('end', onEnd).on('data', onData);
    this.#unlisten = () => {
      socket.off('error', onError).off('close', onClose).off('end', onEnd).off('data', onData);
    };
  }

  #copyIn(chunk: Uint8Array): void {
    for (let at = 0; at < chunk.length && this.#failed === undefined;) {
      const target = this.#sink.nextTarget();
      const count = Math.min(target.length, chunk.length - at);
      copyBytes(chunk.subarray(at, at + count), target);
      at += count;
      this.#take(count);
    }
  }

  #take(count: number): void {
    if (this.#failed !== undefined) return;
    try {
      this.#sink.filled(count);
    } catch (error) {
      this.fail(
        error instanceof CausewayError
          ? error
          : new CausewayError('general.bug', `reading from ${addressText(this.address)} failed`, { cause: error }),
      );
    }
  }
}

async function openRemote(
  address: NbdAddress,
  socket: RemoteSocket,
  signal: AbortSignal,
  timeoutMs: number,
): Promise<RemoteStream> {
  const deadline = AbortSignal.timeout(timeoutMs);
  try {
    return await socket.open(AbortSignal.any([signal, deadline]));
  } catch (error) {
    if (signal.aborted) throw cancelled();
    // Nothing is known of the server itself then.
    throw deadline.aborted
      ? new CausewayError(
          'source.ssh-unreachable',
          `NBD server ${addressText(address)}: no response within ${timeoutMs} ms`,
          { cause: error },
        )
      : error;
  }
}

export function cancelled(): CausewayError {
  return new CausewayError('general.cancelled', 'reading from the source was cancelled');
}

function unreachable(address: NbdAddress, why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.unreachable', `NBD server ${addressText(address)}: ${why}`, { cause });
}

function lost(address: NbdAddress, why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.connection-lost', `NBD connection to ${addressText(address)}: ${why}`, { cause });
}
