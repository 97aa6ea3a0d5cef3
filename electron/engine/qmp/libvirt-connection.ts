import net from 'node:net';
import type { Duplex } from 'node:stream';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { textStart } from '../../../shared/model/cut-text.ts';
import type { RemoteStream, SocketPlace } from '../nbd/address.ts';
import { XdrReader, XdrWriter } from './xdr.ts';

/** A domain as libvirt's protocol names it. */
export interface LibvirtDomain {
  readonly name: string;
  readonly uuid: Buffer;
  readonly id: number;
}

/** libvirt's answer "no" to a call, with its own number of the error. */
export class LibvirtError extends CausewayError {
  readonly number: number;

  constructor(number: number, message: string) {
    super('source.request-refused', `libvirt: ${textStart(message, 500)}`, { details: { libvirtError: number } });
    this.number = number;
  }
}

interface Waiting {
  resolve(payload: Buffer): void;
  reject(error: unknown): void;
}

const REMOTE_PROGRAM = 0x2000_8086;
const QEMU_PROGRAM = 0x2000_8087;
const VERSION = 1;
const CALL = 0;
const REPLY = 1;
const HEAD_BYTES = 28;
/** The daemon's own limit. */
const MAX_MESSAGE = 32 * 1024 * 1024 + HEAD_BYTES;
const DEFAULT_TIMEOUT = 60_000;

const procedures = { open: 1, listAllDomains: 273, authList: 66, authPolkit: 70 } as const;
const MONITOR_COMMAND = 1;
const auth = { none: 0, polkit: 2 } as const;
const RUNNING_OR_PAUSED = 16 | 32;

/**
 * A connection to a libvirt daemon through its Unix socket, in the daemon's own protocol, so that no libvirt is needed here.
 * It is the protocol of `remote_protocol.x` and `qemu_protocol.x`: calls and replies in XDR, matched by serial.
 */
export class LibvirtConnection {
  readonly #socket: Duplex;
  readonly #name: string;
  readonly #waiting = new Map<number, Waiting>();
  readonly #closed: Promise<void>;
  #pieces: Buffer[] = [];
  #length = 0;
  #serial = 0;
  #lost: CausewayError | undefined;

  private constructor({ stream, lost }: RemoteStream, name: string) {
    this.#socket = stream;
    this.#name = name;
    this.#closed = new Promise((resolve) => stream.once('close', resolve));
    const gone = (why: string): void =>
      this.#fail(lost() ?? new CausewayError('source.connection-lost', `${name}: ${why}`));
    stream.on('error', (error) => gone(error.message));
    stream.on('close', () => gone('libvirt closed the connection'));
    stream.on('data', (piece: Buffer) => this.#take(piece));
  }

  /**
   * Signs in as the user that the socket sees, and opens the driver.
   * @param uri `qemu:///system` or `qemu:///session`, as the daemon knows it
   * @throws CausewayError source.unreachable, source.login-refused, source.protocol; what a remote socket's `open` throws
   */
  static async open(place: SocketPlace, uri: string, signal: AbortSignal): Promise<LibvirtConnection> {
    const opened =
      typeof place === 'string'
        ? { stream: net.connect({ path: place }), lost: () => undefined }
        : await place.open(signal);
    const connection = new LibvirtConnection(opened, typeof place === 'string' ? place : place.name);
    try {
      await connection.#signIn(signal);
      await connection.#call(
        REMOTE_PROGRAM,
        procedures.open,
        new XdrWriter().optionalText(uri).uint(0).bytes(),
        signal,
      );
      return connection;
    } catch (error) {
      await connection.close();
      if (error instanceof CausewayError && error.code === 'source.connection-lost')
        throw new CausewayError('source.unreachable', error.message, { cause: error });
      throw error;
    }
  }

  get lost(): CausewayError | undefined {
    return this.#lost;
  }

  async runningDomains(signal: AbortSignal): Promise<readonly LibvirtDomain[]> {
    const reply = await this.#call(
      REMOTE_PROGRAM,
      procedures.listAllDomains,
      new XdrWriter().uint(1).uint(RUNNING_OR_PAUSED).bytes(),
      signal,
    );
    return this.#read(reply, (reader) =>
      reader.list(24, () => ({ name: reader.text(), uuid: Buffer.from(reader.fixed(16)), id: reader.int() })),
    );
  }

  /** Sends a line to the QMP monitor of the domain's QEMU, and resolves with the line that it answers. */
  async monitorCommand(
    domain: LibvirtDomain,
    line: string,
    signal: AbortSignal,
    timeoutMs = DEFAULT_TIMEOUT,
  ): Promise<string> {
    const args = new XdrWriter().text(domain.name).fixed(domain.uuid).uint(domain.id).text(line).uint(0).bytes();
    const reply = await this.#call(QEMU_PROGRAM, MONITOR_COMMAND, args, signal, timeoutMs);
    return this.#read(reply, (reader) => reader.text());
  }

  async close(): Promise<void> {
    this.#socket.destroy();
    await this.#closed;
  }

  async #signIn(signal: AbortSignal): Promise<void> {
    const reply = await this.#call(REMOTE_PROGRAM, procedures.authList, Buffer.alloc(0), signal);
    const [way] = this.#read(reply, (reader) => reader.list(4, () => reader.int()));
    if (way === undefined || way === auth.none) return;
    if (way !== auth.polkit)
      throw new CausewayError(
        'source.login-refused',
        `${this.#name}: the daemon asks for SASL, which only its own programs speak here`,
      );
    try {
      await this.#call(REMOTE_PROGRAM, procedures.authPolkit, Buffer.alloc(0), signal);
    } catch (error) {
      if (!(error instanceof LibvirtError)) throw error;
      throw new CausewayError(
        'source.login-refused',
        `${this.#name}: ${error.message}; members of the group libvirt may usually connect`,
        { cause: error },
      );
    }
  }

  #call(
    program: number,
    procedure: number,
    args: Buffer,
    signal: AbortSignal,
    timeoutMs = DEFAULT_TIMEOUT,
  ): Promise<Buffer> {
    if (this.#lost !== undefined) return Promise.reject(this.#lost);
    if (signal.aborted) return Promise.reject(cancelled());
    const serial = ++this.#serial;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        settle(() =>
          reject(new CausewayError('general.deadline', `${this.#name}: no response within ${timeoutMs} ms`)),
        );
      }, timeoutMs);
      const onAbort = (): void => settle(() => reject(cancelled()));
      const settle = (finish: () => void): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', onAbort);
        this.#waiting.delete(serial);
        finish();
      };
      signal.addEventListener('abort', onAbort, { once: true });
      this.#waiting.set(serial, {
        resolve: (payload) => settle(() => resolve(payload)),
        reject: (error) => settle(() => reject(error)),
      });
      const head = new XdrWriter()
        .uint(HEAD_BYTES + args.length)
        .uint(program)
        .uint(VERSION)
        .uint(procedure)
        .uint(CALL)
        .uint(serial)
        .uint(0);
      this.#socket.write(Buffer.concat([head.bytes(), args]));
    });
  }

  #take(piece: Buffer): void {
    this.#pieces.push(piece);
    this.#length += piece.length;
    while (this.#length >= 4) {
      // A message comes in many pieces; they are put together once.
      if ((this.#pieces[0]?.length ?? 0) < 4) this.#pieces = [Buffer.concat(this.#pieces)];
      const length = this.#pieces[0]!.readUInt32BE();
      if (length < HEAD_BYTES || length > MAX_MESSAGE) return this.#fail(this.#strange(`a message of ${length} bytes`));
      if (this.#length < length) return;
      const whole = Buffer.concat(this.#pieces);
      this.#pieces = [whole.subarray(length)];
      this.#length -= length;
      this.#deliver(whole.subarray(4, length));
    }
  }

  #deliver(message: Buffer): void {
    const [type, serial, status] = [message.readUInt32BE(12), message.readUInt32BE(16), message.readUInt32BE(20)];
    // Events, and answers to calls that were cancelled.
    const waiting = type === REPLY ? this.#waiting.get(serial) : undefined;
    if (waiting === undefined) return;
    const payload = Buffer.from(message.subarray(24));
    if (status === 0) return waiting.resolve(payload);
    try {
      const reader = new XdrReader(payload);
      const number = reader.int();
      reader.int();
      waiting.reject(new LibvirtError(number, reader.optionalText() ?? `error ${number}`));
    } catch {
      waiting.reject(this.#strange('an error that cannot be read'));
    }
  }

  #read<T>(payload: Buffer, read: (reader: XdrReader) => T): T {
    try {
      return read(new XdrReader(payload));
    } catch (error) {
      throw this.#strange(error instanceof Error ? error.message : String(error));
    }
  }

  #strange(what: string): CausewayError {
    return new CausewayError('source.protocol', `${this.#name} does not answer as libvirt does: ${what}`);
  }

  #fail(error: CausewayError): void {
    if (this.#lost !== undefined) return;
    this.#lost = error;
    this.#socket.destroy();
    for (const waiting of [...this.#waiting.values()]) waiting.reject(error);
  }
}

function cancelled(): CausewayError {
  return new CausewayError('general.cancelled', 'a call to libvirt was cancelled');
}
