import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { cancelled, type DataStream } from './authd.ts';
import { Exchange, type Patience } from './exchange.ts';
import { HostError, closed, explainOpen } from './host-errors.ts';
import { IncomingReads, type Piece } from './incoming-reads.ts';
import {
  Aio,
  CLIENT_VERSION,
  Classic,
  OPEN_FILE_BYTES,
  allocatedBlocksMessage,
  bitmapBytes,
  classicMessage,
  closeFileMessage,
  closeSessionMessage,
  connectionMessage,
  descriptorGetMessage,
  openFileMessage,
  openSessionMessage,
  parseOpenReply,
  readMessage,
  readSize,
  resourcePoolMessage,
  socketOptionsMessage,
  tokenMessage,
  violation,
  type CompressionType,
  type OpenDisk,
} from './protocol.ts';

export interface SessionOptions extends Patience {
  readonly path: string;
  /** Size of one buffer on the host: a fragment is no larger. */
  readonly bufferBytes: number;
  readonly bufferCount: number;
}

const MAX_VALUE = 8192;
const CLOSE_GRACE_MS = 2000;

/**
 * One open disk on one connection. Reads overlap and are answered in any order and in any number of parts. When the connection
 * is lost or the host says something invalid, `ended` names the reason and no read is called back any more.
 */
export class NfcSession {
  readonly #options: SessionOptions;
  readonly #token: string | undefined;
  readonly #reads: IncomingReads;
  readonly #exchange: Exchange;
  #disk: OpenDisk | undefined;
  #version = 0;

  private constructor(data: DataStream, options: SessionOptions) {
    this.#options = options;
    this.#token = data.token;
    this.#reads = new IncomingReads(options.bufferBytes);
    this.#exchange = new Exchange(data, options, this.#reads);
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
      session.end(
        known instanceof CausewayError
          ? known
          : new CausewayError('general.bug', 'opening the disk failed', { cause: known }),
      );
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

  get bufferBytes(): number {
    return this.#options.bufferBytes;
  }

  get ended(): CausewayError | undefined {
    return this.#exchange.ended;
  }

  /** Bytes of disk content that came over the network, packed as they were. */
  get wireBytes(): number {
    return this.#reads.wireBytes;
  }

  /** Called once, when the connection is of no use any more. */
  onEnded(listener: (error: CausewayError) => void): void {
    this.#exchange.onEnded(listener);
  }

  /** Asks for a piece. Its range must consist of whole sectors of the disk. */
  read(piece: Piece, compression: CompressionType): void {
    this.#exchange.read(piece, (opId) =>
      readMessage(opId, this.disk.handle, compression, piece.offset, piece.into.length),
    );
  }

  /**
   * One bit per 64 KiB block, 1 = allocated. Undefined when the host cannot tell, which ends the session.
   */
  async allocatedBlocks(startByte: number, blocks: number): Promise<Buffer | undefined> {
    try {
      const { extra } = await this.#exchange.call(
        Aio.allocatedBlocks,
        (opId) => allocatedBlocksMessage(opId, this.disk.handle, startByte, blocks),
        48,
        (payload) => {
          if (readSize(payload, 32) !== blocks)
            throw violation(`a map of ${readSize(payload, 32)} blocks where ${blocks} were asked for`);
          return bitmapBytes(blocks);
        },
      );
      return extra;
    } catch (error) {
      if (error instanceof HostError) return undefined;
      throw error;
    }
  }

  /** A value of the disk's descriptor, by its key without `ddb.`. */
  async descriptor(key: string): Promise<string | undefined> {
    try {
      const { extra } = await this.#exchange.call(
        Aio.descriptorGet,
        (opId) => descriptorGetMessage(opId, this.disk.handle, key),
        16,
        (payload) => {
          const length = payload.readUInt32LE(12);
          if (length > MAX_VALUE) throw violation(`a descriptor value of ${length} bytes`);
          return length;
        },
      );
      return extra.length === 0 ? undefined : extra.toString('utf8').replace(/\0+$/, '');
    } catch (error) {
      if (error instanceof HostError)
        throw new CausewayError(
          'source.request-refused',
          `the host refused the descriptor key ${key}: ${error.message}`,
        );
      throw error;
    }
  }

  /** Says goodbye as far as the host listens, and closes. */
  async close(): Promise<void> {
    if (this.ended !== undefined) return;
    const timer = setTimeout(() => this.end(closed()), CLOSE_GRACE_MS);
    try {
      await this.#exchange.call(Aio.closeFile, (opId) => closeFileMessage(opId, this.disk.handle), 8);
      await this.#exchange.call(Aio.closeSession, closeSessionMessage, 4);
      await this.#exchange.sendLast(classicMessage(Classic.complete));
    } catch {
      // The host may have gone already: there is nothing left to lose.
    } finally {
      clearTimeout(timer);
      this.end(closed());
    }
  }

  /** Ends the connection with this reason. */
  end(error: CausewayError): void {
    this.#exchange.end(error);
  }

  async #handshake(): Promise<void> {
    const exchange = this.#exchange;
    // Some hosts answer the parameters only after they have the version.
    if (this.#token !== undefined) exchange.send(tokenMessage(this.#token));
    exchange.send(classicMessage(Classic.parameters));
    exchange.send(classicMessage(Classic.version, CLIENT_VERSION));
    await exchange.expect(Classic.parametersReply);
    this.#version = (await exchange.expect(Classic.version)).readUInt32LE(4);
    exchange.send(connectionMessage('causeway', 'nbdmode'));
    exchange.send(classicMessage(Classic.features, 3));
    exchange.send(classicMessage(Classic.aioOpen));
    await exchange.expect(Classic.aioOpen);
  }

  async #openDisk(): Promise<void> {
    const { path, bufferBytes, bufferCount } = this.#options;
    const exchange = this.#exchange;
    await exchange.call(Aio.openSession, (opId) => openSessionMessage(opId, bufferBytes, bufferCount), 16);
    await exchange.call(Aio.socketOptions, socketOptionsMessage, 12);
    await exchange.call(Aio.resourcePool, resourcePoolMessage, 4);
    const { payload } = await exchange.call(Aio.openFile, (opId) => openFileMessage(opId, path), OPEN_FILE_BYTES);
    this.#disk = parseOpenReply(payload);
  }
}
