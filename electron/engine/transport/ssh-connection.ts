import { textEnd, textStart } from '../../../shared/model/cut-text.ts';
import { createHash } from 'node:crypto';
import type { Duplex } from 'node:stream';
import type { Client, ClientChannel } from 'ssh2';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { systemClock } from '../time/clock.ts';
import { copySharedMemory } from './ssh2-speed.ts';
import { logIn, readHostKey, type SshConnectOptions, type SshHop, type SshTarget } from './ssh-handshake.ts';

export type { SshConnectOptions, SshHop, SshTarget } from './ssh-handshake.ts';

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

const errorTailBytes = 4096;
const openAttempts = 5;
const openPauseMs = 50;

type BeginChannel = (done: (error: Error | undefined, channel: ClientChannel) => void) => void;

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
   * One attempt to connect and log in, through the target's jump hosts and proxy. Rejects with `transport.unreachable`,
   * `transport.proxy-refused`, `transport.login-refused` or `transport.host-key-mismatch`; the latter before the user name or a
   * signature is sent. Where a jump host refused the login, `details.jumpHost` names it.
   */
  static async connect(target: SshTarget, options: SshConnectOptions, signal: AbortSignal): Promise<SshConnection> {
    const hops = target.jumpHosts ?? [];
    let before: SshConnection | undefined;
    try {
      for (const [index, hop] of hops.entries()) {
        before = await SshConnection.#next(
          before,
          index === 0 ? { ...hop, proxy: target.proxy } : hop,
          options,
          signal,
        ).catch((error: unknown) => Promise.reject(ofJumpHost(error, hop)));
      }
      return await SshConnection.#next(before, target, options, signal);
    } catch (error) {
      await before?.close();
      throw error;
    }
  }

  /** The host key that a server shows, read through its jump hosts; it is not signed in to. Rejects as `connect` does. */
  static async showHostKey(target: SshTarget, options: SshConnectOptions, signal: AbortSignal): Promise<string> {
    const { jumpHosts: hops = [], proxy } = target;
    const last = hops.at(-1);
    if (last === undefined) return readHostKey(target, options, signal);
    const before = await SshConnection.connect({ ...last, jumpHosts: hops.slice(0, -1), proxy }, options, signal);
    try {
      return await readHostKey(target, options, signal, await before.openTcp(target.host, target.port, signal));
    } finally {
      await before.close();
    }
  }

  /** Logs in to the next server, through the one before. It is the one before's owner from then on. */
  static async #next(
    before: SshConnection | undefined,
    target: SshTarget,
    options: SshConnectOptions,
    signal: AbortSignal,
  ): Promise<SshConnection> {
    const where = `${target.host}:${target.port}`;
    const stream = await before?.openTcp(target.host, target.port, signal).catch((error: unknown) => {
      const isRefusal = error instanceof CausewayError && error.code === 'transport.forward-refused';
      throw isRefusal
        ? new CausewayError('transport.unreachable', `through ${error.message}`, { cause: error })
        : error;
    });
    const { client, socket, hostKey } = await logIn(target, options, signal, stream);
    const connection = new SshConnection(
      client,
      before === undefined ? where : `${where} through ${before.#where}`,
      hostKey,
    );
    connection.#watch(socket, options.lostAfterMs ?? 10_000);
    if (before !== undefined) connection.lost.addEventListener('abort', () => void before.close(), { once: true });
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
    let code: number | undefined;
    // In the same turn as the answer: a short command's exit status may be in the packet behind it.
    const channel = await this.#openPatiently(
      command,
      options.signal,
      (opened) => void opened.on('exit', (exitCode: number | null) => (code = exitCode ?? undefined)),
    );
    return new Promise((resolve, reject) => {
      const out: Buffer[] = [];
      const errors: Buffer[] = [];
      let room = options.maxOutputBytes ?? 1024 * 1024;
      const stop = AbortSignal.any([options.signal, this.lost]);
      const timer = setTimeout(
        () => fail(this.#failed(command, `took longer than ${options.timeoutMs} ms`)),
        options.timeoutMs,
      );
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
      const collect =
        (into: Buffer[]) =>
        (piece: Buffer): void => {
          room -= piece.length;
          if (room < 0) fail(this.#failed(command, 'printed too much output'));
          else into.push(piece);
        };
      stop.addEventListener('abort', onAbort, { once: true });
      if (stop.aborted) onAbort();
      channel.on('data', collect(out));
      channel.stderr.on('data', collect(errors));
      channel.on('error', fail);
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
      const said = textEnd((result.stderr || result.stdout).trim(), 500);
      throw new CausewayError(
        'transport.upload-damaged',
        `${this.#where}: ${path} differs from the uploaded file: ${said || 'no digest'}`,
      );
    }
  }

  /** Starts a command and keeps its input and output open. */
  async openChannel(command: string, signal: AbortSignal): Promise<SshChannel> {
    const stream = await this.#openPatiently(command, signal);
    copySharedMemory(stream);
    let tail = Buffer.alloc(0);
    stream.stderr.on('data', (piece: Buffer) => {
      tail = Buffer.concat([tail, piece]).subarray(-errorTailBytes);
    });
    return { stream, errorTail: () => tail.toString('utf8').trim() };
  }

  /**
   * Connects to a Unix socket of the other side, as `direct-streamlocal@openssh.com`. Rejects with `transport.forward-refused`
   * when the server does not connect: it says no reason (nobody listens, no permission, forwarding is off).
   */
  openSocket(path: string, signal: AbortSignal): Promise<Duplex> {
    const refused = (evidence: string): CausewayError =>
      new CausewayError('transport.forward-refused', `${this.#where}: ${path}: ${evidence}`);
    return this.#forward((done) => this.#client.openssh_forwardOutStreamLocal(path, done), refused, signal);
  }

  /** Connects from the other side to a host and port, as `direct-tcpip`. Rejects as `openSocket` does. */
  openTcp(host: string, port: number, signal: AbortSignal): Promise<Duplex> {
    const refused = (evidence: string): CausewayError =>
      new CausewayError('transport.forward-refused', `${this.#where}: ${host}:${port}: ${evidence}`);
    return this.#forward((done) => this.#client.forwardOut('127.0.0.1', 0, host, port, done), refused, signal);
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

  /** A server that allows few sessions may not have noticed yet that the one before has ended. */
  async #openPatiently(
    command: string,
    signal: AbortSignal,
    onOpen?: (channel: ClientChannel) => void,
  ): Promise<ClientChannel> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#open(command, signal, onOpen);
      } catch (error) {
        const isRefused =
          error instanceof CausewayError &&
          error.code === 'transport.command-failed' &&
          error.message.includes('open failed');
        if (!isRefused || attempt === openAttempts) throw error;
        await systemClock.sleep(openPauseMs * attempt, signal);
      }
    }
  }

  #open(command: string, signal: AbortSignal, onOpen?: (channel: ClientChannel) => void): Promise<ClientChannel> {
    const begin: BeginChannel = (done) =>
      this.#client.exec(command, (error, channel) => {
        if (error === undefined) onOpen?.(channel);
        done(error, channel);
      });
    return this.#openBy(begin, (evidence) => this.#failed(command, evidence), signal);
  }

  async #forward(
    begin: BeginChannel,
    refused: (evidence: string) => CausewayError,
    signal: AbortSignal,
  ): Promise<Duplex> {
    const channel = await this.#openBy(begin, refused, signal);
    // As a socket does: when the other side ends, so does this one. The channel is closed only then.
    channel.once('end', () => channel.end());
    return channel;
  }

  #openBy(
    begin: BeginChannel,
    failed: (evidence: string) => CausewayError,
    signal: AbortSignal,
  ): Promise<ClientChannel> {
    const stop = AbortSignal.any([signal, this.lost]);
    if (stop.aborted) return Promise.reject(abortReason(stop));
    return new Promise((resolve, reject) => {
      const onAbort = (): void => reject(abortReason(stop));
      stop.addEventListener('abort', onAbort, { once: true });
      try {
        begin((error, channel) => {
          stop.removeEventListener('abort', onAbort);
          if (error !== undefined) reject(failed(error.message));
          else if (stop.aborted) channel.close();
          else resolve(channel);
        });
      } catch (error) {
        // The client throws between the end of the socket and its event.
        stop.removeEventListener('abort', onAbort);
        this.#lose(this.#lostError(error instanceof Error ? error.message : String(error)));
        reject(abortReason(stop));
      }
    });
  }

  #failed(command: string, evidence: string): CausewayError {
    const shown = textStart(command, 120);
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
    const timer = setInterval(
      () => {
        const now = performance.now();
        // After a sleep of the whole machine the server gets its time to be heard again.
        if (now - tick > 5000) heard = now;
        tick = now;
        if (now - heard > lostAfterMs) this.#lose(this.#lostError(`no data for ${Math.round((now - heard) / 1000)} s`));
      },
      Math.min(1000, lostAfterMs / 4),
    );
    timer.unref();
    this.lost.addEventListener('abort', () => clearInterval(timer), { once: true });
    this.#client.on('error', (error) => this.#lose(this.#lostError(error.message)));
    this.#client.on('close', () => this.#lose(this.#lostError('the SSH connection was closed')));
  }

  #lostError(evidence: string): CausewayError {
    return new CausewayError('transport.lost', `${this.#where}: ${evidence}`);
  }
}

/** A refusal that names the jump host it came from. */
function ofJumpHost(error: unknown, { host, port }: SshHop): unknown {
  if (!(error instanceof CausewayError) || error.code !== 'transport.login-refused') return error;
  return new CausewayError(error.code, error.message, { cause: error, details: { jumpHost: `${host}:${port}` } });
}

/** `text` as one word of a POSIX shell. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
