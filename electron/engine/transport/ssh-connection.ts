import { createHash, createSecretKey } from 'node:crypto';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2, { Client, type CipherAlgorithm, type ClientChannel, type ServerHostKeyAlgorithm } from 'ssh2';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from './abort-reason.ts';
import { hostKeyMismatch, hostKeyText, sameHostKey } from './host-keys.ts';
import { connectToBanner } from './ssh-banner.ts';

export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly privateKeyPem: string;
  /** `<type> <base64>`; undefined: whatever key is shown is taken, and told by `hostKey`. */
  readonly hostKey?: string | undefined;
}

export interface SshConnectOptions {
  /** For the whole handshake and login, in milliseconds. */
  readonly handshakeTimeoutMs?: number;
  /** For the server's greeting, in milliseconds. */
  readonly bannerTimeoutMs?: number;
  /** How often the server is asked for a sign of life, in milliseconds. */
  readonly keepaliveMs?: number;
  /** Silence of the whole connection after which it counts as lost, in milliseconds. */
  readonly lostAfterMs?: number;
}

export interface ExecOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Standard input; none by default. */
  readonly input?: Uint8Array | string;
  /** More output than this (both streams together) fails the command. Default 1 MiB. */
  readonly maxOutputBytes?: number;
}

export interface ExecResult {
  /** Undefined when a signal ended the command. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** A command that runs on the other side, its input and output as one stream of bytes. */
export interface SshChannel {
  readonly stream: Duplex;
  /** The last few kilobytes that the command said on standard error. */
  errorTail(): string;
}

// aes128-gcm is the fastest of the strong ones wherever processors have AES; the others are for old or trimmed servers.
const ciphers: CipherAlgorithm[] = [
  'aes128-gcm@openssh.com',
  'aes256-gcm@openssh.com',
  'chacha20-poly1305@openssh.com',
  'aes128-ctr',
  'aes256-ctr',
];

const errorTailBytes = 4096;

/** One authenticated SSH connection with a pinned host key. */
export class SshConnection {
  /** The host key that the server showed, `<type> <base64>`. */
  readonly hostKey: string;
  readonly #client: Client;
  readonly #where: string;
  readonly #lost = new AbortController();

  private constructor(client: Client, where: string, hostKey: string) {
    this.#client = client;
    this.#where = where;
    this.hostKey = hostKey;
  }

  /**
   * One attempt to connect and log in. Rejects with `transport.unreachable`, `transport.login-refused` or
   * `transport.host-key-mismatch`; the latter before the user name or a signature is sent.
   */
  static async connect(target: SshTarget, options: SshConnectOptions, signal: AbortSignal): Promise<SshConnection> {
    const where = `${target.host}:${target.port}`;
    if (ssh2.utils.parseKey(target.privateKeyPem) instanceof Error) {
      throw new CausewayError('general.invalid-input', `the private key for ${target.username} at ${where} cannot be read`);
    }
    const socket = await connectToBanner(target.host, target.port, options.bannerTimeoutMs ?? 5000, signal);
    writeTogether(socket);
    const client = new Client();
    let shown: string | undefined;
    const expected = target.hostKey;
    await new Promise<void>((resolve, reject) => {
      const onAbort = (): void => {
        reject(abortReason(signal));
        client.destroy();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      const settle = (act: () => void): void => {
        signal.removeEventListener('abort', onAbort);
        act();
      };
      client.once('ready', () => settle(resolve));
      client.on('error', (error) =>
        settle(() => {
          const mismatch = expected !== undefined && shown !== undefined && !sameHostKey(shown, expected);
          reject(mismatch ? hostKeyMismatch(where, expected, shown ?? '') : connectError(error, where, target.username));
          client.destroy();
        }),
      );
      client.once('close', () => settle(() => reject(unreachable(where, 'closed the connection during the handshake'))));
      client.connect({
        sock: socket,
        username: target.username,
        privateKey: target.privateKeyPem,
        readyTimeout: options.handshakeTimeoutMs ?? 30_000,
        keepaliveInterval: options.keepaliveMs ?? 2000,
        // What counts as life is any byte, not the answers to these alone: see #watch.
        keepaliveCountMax: 1_000_000,
        algorithms: { cipher: ciphers, ...hostKeyAlgorithms(expected) },
        hostVerifier: (key: Buffer) => {
          shown = hostKeyText(key);
          return expected === undefined || sameHostKey(shown, expected);
        },
      });
    });
    prepareKey(client);
    const connection = new SshConnection(client, where, shown ?? '');
    connection.#watch(socket, options.lostAfterMs ?? 10_000);
    return connection;
  }

  /** Aborted with a `CausewayError` when the connection is gone. */
  get lost(): AbortSignal {
    return this.#lost.signal;
  }

  /**
   * Runs a command in the login shell and waits for its end, whatever its exit code. Rejects with
   * `transport.command-failed` on too long a time or too much output, with the reason of `lost`, or the signal's.
   */
  async exec(command: string, options: ExecOptions): Promise<ExecResult> {
    const channel = await this.#open(command, options.signal);
    return new Promise((resolve, reject) => {
      const out: Buffer[] = [];
      const errors: Buffer[] = [];
      let room = options.maxOutputBytes ?? 1024 * 1024;
      let code: number | undefined;
      const stop = AbortSignal.any([options.signal, this.lost]);
      const timer = setTimeout(() => fail(this.#failed(command, `took longer than ${options.timeoutMs} ms`)), options.timeoutMs);
      const onAbort = (): void => fail(abortReason(stop));
      const settle = (): void => {
        clearTimeout(timer);
        stop.removeEventListener('abort', onAbort);
      };
      const fail = (error: unknown): void => {
        settle();
        reject(error);
        channel.signal('KILL');
        channel.close();
      };
      const collect = (into: Buffer[]) => (piece: Buffer): void => {
        room -= piece.length;
        if (room < 0) fail(this.#failed(command, 'printed more than it may'));
        else into.push(piece);
      };
      stop.addEventListener('abort', onAbort, { once: true });
      if (stop.aborted) onAbort();
      channel.on('data', collect(out));
      channel.stderr.on('data', collect(errors));
      channel.on('error', fail);
      channel.on('exit', (exitCode: number | null) => (code = exitCode ?? undefined));
      channel.on('close', () => {
        settle();
        resolve({ code, stdout: Buffer.concat(out).toString('utf8'), stderr: Buffer.concat(errors).toString('utf8') });
      });
      channel.end(options.input ?? '');
    });
  }

  /**
   * Writes a file, readable by the login user alone, and checks what arrived by its SHA-256. Rejects with
   * `transport.upload-damaged` or as `exec` does.
   */
  async upload(path: string, bytes: Uint8Array, options: { signal: AbortSignal; timeoutMs?: number }): Promise<void> {
    const target = shellQuoted(path);
    const command = `umask 077 && cat > ${target}.part && mv ${target}.part ${target} && sha256sum < ${target}`;
    const result = await this.exec(command, { ...options, timeoutMs: options.timeoutMs ?? 60_000, input: bytes });
    const expected = createHash('sha256').update(bytes).digest('hex');
    if (result.code !== 0 || result.stdout.trim().split(/\s/)[0] !== expected) {
      const said = (result.stderr || result.stdout).trim().slice(-500);
      throw new CausewayError('transport.upload-damaged', `${this.#where}: ${path} is not what was sent: ${said || 'no digest'}`);
    }
  }

  /** Starts a command whose input and output stay open. */
  async openChannel(command: string, signal: AbortSignal): Promise<SshChannel> {
    const stream = await this.#open(command, signal);
    let tail = Buffer.alloc(0);
    stream.stderr.on('data', (piece: Buffer) => {
      tail = Buffer.concat([tail, piece]).subarray(-errorTailBytes);
    });
    return { stream, errorTail: () => tail.toString('utf8').trim() };
  }

  /** Ends the connection. Never rejects. */
  close(): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#lose(new CausewayError('transport.closed', `${this.#where}: the SSH connection was closed`));
        resolve();
      };
      const timer = setTimeout(done, 2000);
      if (this.lost.aborted) return done();
      this.#client.once('close', done);
      this.#client.end();
    });
  }

  #open(command: string, signal: AbortSignal): Promise<ClientChannel> {
    const stop = AbortSignal.any([signal, this.lost]);
    if (stop.aborted) return Promise.reject(abortReason(stop));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(abortReason(stop));
      stop.addEventListener('abort', onAbort, { once: true });
      this.#client.exec(command, (error, channel) => {
        stop.removeEventListener('abort', onAbort);
        if (error !== undefined) reject(this.#failed(command, error.message));
        else if (stop.aborted) channel.close();
        else resolve(channel);
      });
    });
  }

  #failed(command: string, evidence: string): CausewayError {
    const shown = command.length > 120 ? `${command.slice(0, 120)}…` : command;
    return new CausewayError('transport.command-failed', `${this.#where}: \`${shown}\` ${evidence}`);
  }

  #lose(reason: CausewayError): void {
    if (this.lost.aborted) return;
    this.#lost.abort(reason);
    this.#client.destroy();
  }

  #watch(socket: Duplex, lostAfterMs: number): void {
    let heard = performance.now();
    let tick = heard;
    socket.on('data', () => (heard = performance.now()));
    const timer = setInterval(() => {
      const now = performance.now();
      // After a sleep of the whole machine the server gets its time to be heard again.
      if (now - tick > 5000) heard = now;
      tick = now;
      if (now - heard > lostAfterMs) this.#lose(this.#lostError(`nothing heard for ${Math.round((now - heard) / 1000)} s`));
    }, Math.min(1000, lostAfterMs / 4));
    timer.unref();
    this.lost.addEventListener('abort', () => clearInterval(timer), { once: true });
    this.#client.on('error', (error) => this.#lose(this.#lostError(error.message)));
    this.#client.on('close', () => this.#lose(this.#lostError('the SSH connection was closed')));
  }

  #lostError(evidence: string): CausewayError {
    return new CausewayError('transport.lost', `${this.#where}: ${evidence}`);
  }
}

/**
 * ssh2 writes each packet in three pieces; a system call for each of them is what most of its time would go into. This
 * gathers what is written in one turn of the event loop into one vector.
 *
 * It also gives each packet's memory back as soon as it is written. ssh2 makes two new buffers for each 32 KiB, and left
 * to the collector that much memory outside of its heap makes it mark the whole heap fifty times a GiB: a third of all
 * processor time.
 */
function writeTogether(socket: Socket): void {
  const write = socket.write.bind(socket) as (chunk: Uint8Array, done: () => void) => boolean;
  const uncork = (): void => socket.uncork();
  socket.write = (chunk: unknown): boolean => {
    if (socket.writableCorked === 0) {
      socket.cork();
      process.nextTick(uncork);
    }
    const bytes = chunk as Uint8Array;
    return write(bytes, () => giveBack(bytes));
  };
}

// Smaller memory is Node's pool, which other buffers share. Whatever is larger is one packet, written by now.
const packetMemoryBytes = 16 * 1024;

function giveBack({ buffer }: Uint8Array): void {
  if (buffer instanceof ArrayBuffer && buffer.byteLength > packetMemoryBytes && buffer.byteLength !== Buffer.poolSize) {
    buffer.transfer(0);
  }
}

/**
 * ssh2 gives the bytes of its key to Node for each packet; taking them in costs as much as encrypting 32 KiB (0.8 instead
 * of 0.4 CPU seconds a GiB). A key object is taken in once. Without that member of ssh2, or after the server asked for
 * new keys, all goes on as it did, only slower.
 */
function prepareKey(client: Client): void {
  const { _protocol: protocol } = client as unknown as { readonly _protocol?: { readonly _cipher?: { _encKey?: unknown } } };
  const cipher = protocol?._cipher;
  if (cipher !== undefined && Buffer.isBuffer(cipher._encKey)) cipher._encKey = createSecretKey(cipher._encKey);
}

/** `text` as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

// The server has keys of several types; it must be asked for the one that is known.
function hostKeyAlgorithms(hostKey: string | undefined): { serverHostKey?: ServerHostKeyAlgorithm[] } {
  const type = hostKey?.trim().split(/\s+/)[0];
  if (type === undefined) return {};
  if (type === 'ssh-rsa') return { serverHostKey: ['rsa-sha2-512', 'rsa-sha2-256'] };
  return { serverHostKey: [type as ServerHostKeyAlgorithm] };
}

function connectError(error: Error & { level?: string }, where: string, username: string): CausewayError {
  if (error.level === 'client-authentication') {
    return new CausewayError('transport.login-refused', `${where} refuses the key of user ${username}`, { cause: error });
  }
  return unreachable(where, error.message, error);
}

function unreachable(where: string, evidence: string, cause?: unknown): CausewayError {
  return new CausewayError('transport.unreachable', `${where}: ${evidence}`, { cause });
}
