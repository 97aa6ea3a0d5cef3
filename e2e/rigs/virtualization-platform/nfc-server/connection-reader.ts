import { Duplex } from 'node:stream';
import type net from 'node:net';

/** Reads exact counts of bytes, or lines, from a stream that is handed over to another reader later. */
export class ConnectionReader {
  readonly #stream: Duplex;
  readonly #chunks: Buffer[] = [];
  #length = 0;
  #wake: () => void = () => undefined;
  #isClosed = false;
  readonly #onData = (chunk: Buffer): void => {
    this.#chunks.push(chunk);
    this.#length += chunk.length;
    this.#wake();
  };
  readonly #onClose = (): void => {
    this.#isClosed = true;
    this.#wake();
  };

  constructor(stream: Duplex) {
    this.#stream = stream;
    stream.on('data', this.#onData).on('close', this.#onClose).on('end', this.#onClose).on('error', this.#onClose);
  }

  /** Bytes that have come and were not read. */
  get buffered(): number {
    return this.#length;
  }

  /** Leaves the stream to the next reader. Nothing may be buffered. */
  release(): void {
    if (this.#length > 0) throw new Error(`${this.#length} bytes came too early`);
    this.#stream
      .off('data', this.#onData)
      .off('close', this.#onClose)
      .off('end', this.#onClose)
      .off('error', this.#onClose);
  }

  async read(count: number): Promise<Buffer> {
    while (this.#length < count) await this.#more();
    if (count === 0) return Buffer.alloc(0);
    const first = this.#chunks[0] as Buffer;
    if (first.length < count) this.#chunks.splice(0, this.#chunks.length, Buffer.concat(this.#chunks));
    const whole = this.#chunks[0] as Buffer;
    const bytes = whole.subarray(0, count);
    if (whole.length === count) this.#chunks.shift();
    else this.#chunks[0] = whole.subarray(count);
    this.#length -= count;
    return bytes;
  }

  /** One record as it came: hosts of version 7 take one message from each. */
  async record(): Promise<Buffer> {
    while (this.#chunks.length === 0) await this.#more();
    const record = this.#chunks.shift() as Buffer;
    this.#length -= record.length;
    return record;
  }

  async line(): Promise<string> {
    let line = '';
    while (!line.endsWith('\n')) line += (await this.read(1)).toString('latin1');
    return line.replace(/\r?\n$/, '');
  }

  async #more(): Promise<void> {
    if (this.#isClosed) throw new Error('the client has gone');
    await new Promise<void>((resolve) => {
      this.#wake = resolve;
    });
  }
}

/** Lets a TLS session run over a socket that is used for something else afterwards. */
export class DetachableStream extends Duplex {
  #socket: net.Socket | undefined;
  readonly #onData = (chunk: Buffer): void => {
    this.push(chunk);
  };
  readonly #onClose = (): void => {
    this.destroy();
  };

  constructor(socket: net.Socket) {
    super();
    this.#socket = socket;
    socket.on('data', this.#onData).on('close', this.#onClose).on('end', this.#onClose);
  }

  detach(): void {
    this.#socket?.off('data', this.#onData).off('close', this.#onClose).off('end', this.#onClose);
    this.#socket = undefined;
  }

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#socket === undefined) done();
    else this.#socket.write(chunk, done);
  }
}
