import { createHash, randomBytes } from 'node:crypto';
import net from 'node:net';
import { Duplex } from 'node:stream';
import tls from 'node:tls';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { NfcTicket } from '../disk-access/disk-content.ts';
import { hostText, violation } from './protocol.ts';

/**
 * `required`: disk data crosses the network only over TLS. `preferred`: in the clear from hosts that offer no TLS for it, but the login, and with
 * it the ticket, over TLS all the same. `never`: in the clear, for networks that are trusted.
 */
export type NfcEncryption = 'required' | 'preferred' | 'never';

/** A stream on which the session's first message may be sent. */
export interface DataStream {
  /** What is written to. */
  readonly stream: Duplex;
  /** Hands over all that comes from now on. The bytes are valid only during the call. */
  onData(listener: (bytes: Uint8Array) => void): void;
  /** What the host was told in the login; its first message repeats it. Unset on hosts that don't know it. */
  readonly token: string | undefined;
  /** Whether disk data comes over TLS. */
  readonly isEncrypted: boolean;
  /** Ends the connection, whatever is wrapped around it. */
  destroy(): void;
}

export interface LoginTimeouts {
  readonly connectMs: number;
  /** Between two answers of the host. */
  readonly answerMs: number;
}

const MAX_LINE = 4096;
/** How a host names that it offers TLS for disk data. */
const dataEncryption = 'NFCSSL supported';
const RECEIVE_BYTES = 256 * 1024;
/** A key of 128 bits takes half the time of one of 256, which disks full of data feel. Hosts that choose by themselves choose as before. */
const quickFirst = ['TLS_AES_128_GCM_SHA256', 'ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-ECDSA-AES128-GCM-SHA256'];
const CIPHERS = [...quickFirst, ...tls.DEFAULT_CIPHERS.split(':').filter((name) => !quickFirst.includes(name))].join(
  ':',
);

/**
 * Logs in to a host's data port with a ticket.
 *
 * The login runs in a TLS session of its own. Once the host has connected the service, both sides drop that session without
 * a word and use the bare TCP connection: for a second, full TLS handshake, or in the clear.
 *
 * @throws CausewayError source.host-unreachable, source.host-certificate-mismatch, source.host-encryption-missing,
 *   source.data-session-refused, source.connection-lost, source.protocol, general.cancelled
 */
export async function logIn(
  ticket: NfcTicket,
  encryption: NfcEncryption,
  timeouts: LoginTimeouts,
  signal: AbortSignal,
): Promise<DataStream> {
  const address = `${ticket.host}:${ticket.port}`;
  const { socket, received } = await connect(ticket, address, timeouts.connectMs, signal);
  const lines = new Lines(address, timeouts.answerMs);
  const onAbort = (): void => {
    lines.fail(cancelled());
    socket.destroy();
  };
  signal.addEventListener('abort', onAbort, { once: true });
  let carrier: Carrier | undefined;
  let first: tls.TLSSocket | undefined;
  try {
    const unlistenClear = lines.listen(socket, received);
    const greeting = await lines.next('220');
    const offers = capabilities(greeting);
    const isDataOffered = offers.has(dataEncryption);
    if ((encryption !== 'never' && !offers.has('SSL Required')) || (encryption === 'required' && !isDataOffered)) {
      throw new CausewayError('source.host-encryption-missing', `${address} offers: ${hostText(greeting)}`);
    }
    // What came before the TLS handshake could have been slipped in by anyone.
    unlistenClear();
    lines.expectNothing();
    const olderHost = !offers.has('SHA256 supported');
    let line: Duplex = socket;
    let seen: Seen | undefined;
    if (offers.has('SSL Required')) {
      carrier = new Carrier(socket, received);
      const secured = await secure(carrier, ticket, address, olderHost, timeouts.answerMs, signal);
      first = line = secured.stream;
      seen = secured.seen;
    }
    const unlisten = lines.listen(line, first === undefined ? received : undefined);
    line.write(`SESSION ${ticket.sessionId}\r\n`);
    line.write('BANNER \r\n');
    const banner = await lines.next('220');
    // The greeting came in the clear: who takes the offer away there can't take it away here.
    const isEncrypted = encryption !== 'never' && (isDataOffered || capabilities(banner).has(dataEncryption));
    // Hosts without it take the line for an attempt to log in by name.
    const token = olderHost ? undefined : randomBytes(12).toString('base64');
    if (token !== undefined) {
      line.write(`THUMBPRINT_SHA2 ${token}\r\n`);
      const said = (await lines.next('200')).replace(/^200 /, '');
      if (seen !== undefined && plainHex(said) !== seen.sha256) {
        throw mismatch(address, `it says SHA-256 ${hostText(said)} of itself, but showed ${seen.sha256}`);
      }
    }
    const service = isEncrypted && !ticket.service.endsWith('ssl') ? `${ticket.service}ssl` : ticket.service;
    line.write(`PROXY ${service}\r\n`);
    await lines.next('200');
    unlisten();
    lines.expectNothing();
    carrier?.detach();
    first?.destroy();
    if (!isEncrypted)
      return {
        stream: socket,
        onData: (listener) => received.give(listener),
        token,
        isEncrypted,
        destroy: () => socket.destroy(),
      };
    const { stream, seen: again } = await secure(socket, ticket, address, olderHost, timeouts.answerMs, signal);
    if (seen !== undefined && again.sha256 !== seen.sha256)
      throw mismatch(address, 'the second handshake showed another certificate than the first');
    return {
      stream,
      onData: (listener) => stream.on('data', listener),
      token,
      isEncrypted,
      destroy: () => {
        stream.destroy();
        socket.destroy();
      },
    };
  } catch (error) {
    socket.on('error', () => undefined);
    socket.destroy();
    throw signal.aborted ? cancelled() : error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    lines.stop();
  }
}

/** Names that a greeting lists behind its first colon; compared whole. */
export function capabilities(greeting: string): Set<string> {
  const at = greeting.indexOf(': ');
  const listed = at < 0 ? [] : greeting.slice(at + 2).split(',');
  return new Set(listed.map((name) => (name.split('/')[0] ?? '').trim()));
}

async function connect(
  ticket: NfcTicket,
  address: string,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly socket: net.Socket; readonly received: Received }> {
  if (signal.aborted) throw cancelled();
  const received = new Received();
  const socket = net.connect({
    host: ticket.host,
    port: ticket.port,
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: 30_000,
    onread: {
      buffer: received.buffer,
      callback: (count) => {
        received.take(count);
        return true;
      },
    },
  });
  socket.on('error', () => undefined);
  await new Promise<void>((resolve, reject) => {
    const settle = (error?: CausewayError): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
      socket.off('connect', onConnect).off('error', onError);
      if (error === undefined) return resolve();
      socket.destroy();
      reject(error);
    };
    const onAbort = (): void => settle(cancelled());
    const onConnect = (): void => settle();
    const onError = (error: Error): void => settle(unreachable(address, error.message, error));
    const timer = setTimeout(() => settle(unreachable(address, `no response within ${timeoutMs} ms`)), timeoutMs);
    signal.addEventListener('abort', onAbort, { once: true });
    socket.on('connect', onConnect).on('error', onError);
  });
  return { socket, received };
}

/**
 * What comes over the bare connection: the kernel writes it into one buffer, again and again. Less costly than a buffer for each
 * read, and than reading straight into the caller's, which would take two system calls for each fragment.
 */
class Received {
  readonly buffer = Buffer.allocUnsafeSlow(RECEIVE_BYTES);
  #listener: ((bytes: Buffer) => void) | undefined;

  give(listener: ((bytes: Buffer) => void) | undefined): void {
    this.#listener = listener;
  }

  take(count: number): void {
    this.#listener?.(this.buffer.subarray(0, count));
  }
}

interface Seen {
  readonly sha256: string;
}

/** A TLS handshake that only the host named in the ticket can end well. */
async function secure(
  over: Duplex,
  ticket: NfcTicket,
  address: string,
  olderHost: boolean,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<{ readonly stream: tls.TLSSocket; readonly seen: Seen }> {
  const stream = tls.connect({
    socket: over,
    minVersion: 'TLSv1.2',
    // Hosts sign their own certificates: the one named in the ticket is demanded below, before anything is sent.
    rejectUnauthorized: false,
    // ESXi 6.5 and 6.7 sign the handshake with SHA-1.
    ciphers: olderHost ? 'DEFAULT@SECLEVEL=0' : CIPHERS,
    ...(net.isIP(ticket.host) === 0 ? { servername: ticket.host } : {}),
  });
  stream.on('error', () => undefined);
  try {
    await new Promise<void>((resolve, reject) => {
      const settle = (error?: CausewayError): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        stream.off('secureConnect', onSecure).off('error', onError).off('close', onClose);
        if (error === undefined) resolve();
        else reject(error);
      };
      const failed = (why: string, cause?: unknown): CausewayError =>
        new CausewayError('source.connection-lost', `${address}: ${why}`, { cause });
      const onAbort = (): void => settle(cancelled());
      const onSecure = (): void => settle();
      const onError = (error: Error): void => settle(failed(`TLS handshake: ${error.message}`, error));
      const onClose = (): void => settle(failed('the host closed the connection during the TLS handshake'));
      const timer = setTimeout(() => settle(failed(`no TLS handshake within ${timeoutMs} ms`)), timeoutMs);
      signal.addEventListener('abort', onAbort, { once: true });
      stream.on('secureConnect', onSecure).on('error', onError).on('close', onClose);
      if (signal.aborted) onAbort();
    });
    const certificate = stream.getPeerX509Certificate();
    if (certificate === undefined) throw mismatch(address, 'it showed none');
    const sha1 = createHash('sha1').update(certificate.raw).digest('hex');
    if (sha1 !== plainHex(ticket.sslThumbprint))
      throw mismatch(address, `its SHA-1 is ${sha1}, the ticket names ${plainHex(ticket.sslThumbprint)}`);
    return { stream, seen: { sha256: createHash('sha256').update(certificate.raw).digest('hex') } };
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/**
 * Carries the login's TLS session over a socket that outlives it: once detached, nothing of that session, not even its
 * goodbye, reaches the socket.
 */
class Carrier extends Duplex {
  #socket: net.Socket | undefined;
  readonly #received: Received;
  readonly #onClose = (): void => {
    this.destroy();
  };

  constructor(socket: net.Socket, received: Received) {
    super();
    this.#socket = socket;
    this.#received = received;
    received.give((bytes) => this.push(Buffer.from(bytes)));
    socket.on('close', this.#onClose).on('end', this.#onClose);
  }

  detach(): void {
    this.#received.give(undefined);
    this.#socket?.off('close', this.#onClose).off('end', this.#onClose);
    this.#socket = undefined;
  }

  override _read(): void {}

  override _write(bytes: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#socket === undefined) done();
    else this.#socket.write(bytes, done);
  }
}

/** Answers of the login: short lines, each opened by a number. */
class Lines {
  readonly #address: string;
  readonly #timeoutMs: number;
  #pending = '';
  #failed: CausewayError | undefined;
  #wake: (() => void) | undefined;
  #stop: (() => void) | undefined;

  constructor(address: string, timeoutMs: number) {
    this.#address = address;
    this.#timeoutMs = timeoutMs;
  }

  /** Takes lines from this stream until the function that it returns is called. */
  listen(stream: Duplex, received: Received | undefined): () => void {
    const onData = (bytes: Buffer): void => {
      this.#pending += bytes.toString('latin1');
      if (this.#pending.length > MAX_LINE) this.fail(violation('a line of more than 4096 bytes'));
      this.#wake?.();
    };
    const onError = (error: Error): void => this.fail(this.#lost(error.message, error));
    const onClose = (): void => this.fail(this.#lost('the host closed the connection during the login'));
    if (received === undefined) stream.on('data', onData);
    else received.give(onData);
    stream.on('error', onError).on('close', onClose).on('end', onClose);
    const stop = (): void => {
      received?.give(undefined);
      stream.off('data', onData).off('error', onError).off('close', onClose).off('end', onClose);
    };
    this.#stop = stop;
    return stop;
  }

  stop(): void {
    this.#stop?.();
  }

  fail(error: CausewayError): void {
    this.#failed ??= error;
    this.#wake?.();
  }

  expectNothing(): void {
    if (this.#pending !== '') throw violation('data that nobody asked for during the login');
  }

  /** The next line; it must bear this number. */
  async next(expected: string): Promise<string> {
    const timer = setTimeout(() => this.fail(this.#lost(`no answer within ${this.#timeoutMs} ms`)), this.#timeoutMs);
    try {
      for (;;) {
        const end = this.#pending.indexOf('\n');
        if (end >= 0) {
          const line = this.#pending.slice(0, end).replace(/\r$/, '');
          this.#pending = this.#pending.slice(end + 1);
          if (line.startsWith(`${expected} `) || line === expected) return line;
          if (!/^\d{3}( |$)/.test(line)) throw violation(`not the login of a host: ${hostText(line)}`);
          throw new CausewayError('source.data-session-refused', `${this.#address} answered: ${hostText(line)}`);
        }
        if (this.#failed !== undefined) throw this.#failed;
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
  }

  #lost(why: string, cause?: unknown): CausewayError {
    return new CausewayError('source.connection-lost', `${this.#address}: ${why}`, { cause });
  }
}

const plainHex = (text: string): string => text.replace(/[^0-9a-fA-F]/g, '').toLowerCase();

function mismatch(address: string, why: string): CausewayError {
  return new CausewayError('source.host-certificate-mismatch', `certificate of ${address}: ${why}`);
}

function unreachable(address: string, why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.host-unreachable', `data port ${address}: ${why}`, { cause });
}

export function cancelled(): CausewayError {
  return new CausewayError('general.cancelled', 'reading from the host was cancelled');
}
