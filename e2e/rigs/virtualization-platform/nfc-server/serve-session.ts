import { once } from 'node:events';
import { setImmediate as turn, setTimeout as delay } from 'node:timers/promises';
import type { Duplex } from 'node:stream';
import type { Extent } from '../../../../shared/model/extent.ts';
import { seeded } from '../../seeded.ts';
import type { ServedDisk, ServedDisks } from '../served-disk.ts';
import { ConnectionReader } from './connection-reader.ts';
import { pack } from './encoders.ts';
import type { NfcFaults, Tamper } from './faults.ts';
import {
  MAGIC,
  blocksReply,
  classic,
  descriptorReply,
  errorReply,
  fragment,
  handleOf,
  openedReply,
  reply,
} from './wire-format.ts';

/**
 * How hosts differ. ESXi 8 answers the parameters before it has the version; ESXi 7 waits for it and takes exactly one message from each
 * TLS record.
 */
export type HostProfile = 'esxi-8' | 'esxi-7' | 'esxi-6.0';

/** A host as the test sees it. */
export interface HostState {
  readonly host: string;
  readonly profile: HostProfile;
  readonly disks: ServedDisks;
  readonly faults: NfcFaults;
  readonly limits: { connections: number; memoryBytes: number; largestBuffer: number };
  connections: number;
  mostConnections: number;
  memoryBytes: number;
  readonly reads: {
    readonly path: string;
    readonly offset: number;
    readonly length: number;
    readonly compression: number;
  }[];
  readonly opened: string[];
  /** What clients did that a host would not take. */
  readonly violations: string[];
  readsUnderWay: number;
  mostReads: number;
  /** Connections that ended with every goodbye. */
  closedWell: number;
}

export interface SessionStart {
  readonly vmId: string;
  readonly token: string | undefined;
  readonly isSecure: boolean;
}

interface Frame {
  readonly bytes: Buffer;
  readonly lastOfRead: boolean;
}

/** Serves one connection behind its login until it ends. */
export async function serveSession(stream: Duplex, state: HostState, start: SessionStart): Promise<void> {
  const session = new ServedSession(stream, state, start);
  try {
    await session.serve();
  } finally {
    session.end();
  }
}

class ServedSession {
  readonly #stream: Duplex;
  readonly #state: HostState;
  readonly #start: SessionStart;
  readonly #reader: ConnectionReader;
  readonly #random = seeded(7);
  readonly #frames: Frame[] = [];
  #isSending = false;
  #lastSend: Promise<void> = Promise.resolve();
  #sent = 0;
  #memory = 0;
  #buffer = 65_536;
  #disk: ServedDisk | undefined;
  #handle = 0n;
  #ended = false;
  #reads = 0;

  constructor(stream: Duplex, state: HostState, start: SessionStart) {
    this.#stream = stream;
    this.#state = state;
    this.#start = start;
    this.#reader = new ConnectionReader(stream);
  }

  async serve(): Promise<void> {
    if (!(await this.#handshake())) return;
    while (await this.#aioRequest());
    const goodbye = await this.#reader.read(264);
    if (goodbye.readUInt32LE(0) === 4) this.#state.closedWell += 1;
    this.#stream.end();
  }

  end(): void {
    this.#ended = true;
    this.#state.memoryBytes -= this.#memory;
    this.#state.readsUnderWay -= this.#reads;
    this.#memory = 0;
    this.#reads = 0;
  }

  async #handshake(): Promise<boolean> {
    const { profile } = this.#state;
    const isTokenDue = this.#start.token !== undefined && this.#state.faults.find('no-token-message') === undefined;
    const order = [...(isTokenDue ? [43] : []), 33, 51];
    for (const [index, type] of order.entries()) {
      const message = await this.#classicMessage(type);
      if (message === undefined) return false;
      if (type === 43 && message.toString('latin1', 4).replace(/\0+$/, '') !== this.#start.token)
        return this.#refuse(`another token than in the login`);
      if (type === 33 && profile === 'esxi-8') await this.#send(this.#parametersReply());
      if (index === order.length - 1 && profile !== 'esxi-8') await this.#send(this.#parametersReply());
    }
    await this.#send(
      classic(51, (message) => message.writeUInt32LE(profile === 'esxi-8' ? 11 : profile === 'esxi-7' ? 9 : 2, 4)),
    );
    const connection = await this.#classicMessage(54, true);
    if (connection === undefined) return false;
    if ((await this.#classicMessage(55)) === undefined || (await this.#classicMessage(52)) === undefined) return false;
    if (profile === 'esxi-6.0') return this.#refuse('no such session here', false);
    await this.#send(classic(52));
    return true;
  }

  #parametersReply(): Buffer {
    return classic(36, (message) => message.writeUInt32LE(1, 16));
  }

  /** The message that is due; undefined when the session ends here. */
  async #classicMessage(type: number, hasStrings = false): Promise<Buffer | undefined> {
    let message: Buffer;
    if (this.#state.profile === 'esxi-7' && this.#start.isSecure) {
      message = await this.#reader.record();
      const expected =
        hasStrings && message.length >= 264 ? 264 + message.readUInt32LE(4) + message.readUInt32LE(8) : 264;
      if (message.length !== expected) {
        this.#refuse(`a record of ${message.length} bytes where one message of ${expected} was due`);
        return undefined;
      }
    } else {
      message = await this.#reader.read(264);
      if (hasStrings) await this.#reader.read(message.readUInt32LE(4) + message.readUInt32LE(8));
    }
    const fault = this.#state.faults.take('classic-refused', (one) => one.type === type);
    if (fault?.error !== undefined) {
      const text = Buffer.from(`${fault.error}\0`);
      await this.#send(
        Buffer.concat([
          classic(20, (error) => {
            error.writeUInt32LE(1, 4);
            error.writeUInt32LE(99, 8);
            error.writeUInt32LE(text.length, 12);
          }),
          text,
        ]),
      );
      return undefined;
    }
    if (fault !== undefined) {
      this.#refuse('', false);
      return undefined;
    }
    if (message.readUInt32LE(0) !== type) {
      this.#refuse(`message ${message.readUInt32LE(0)} where ${type} was due`);
      return undefined;
    }
    return message;
  }

  #refuse(why: string, isViolation = true): false {
    if (isViolation) this.#state.violations.push(why);
    this.#stream.end(classic(4));
    return false;
  }

  /** @returns false once the asynchronous session is closed */
  async #aioRequest(): Promise<boolean> {
    const { faults, limits } = this.#state;
    const head = await this.#reader.read(16);
    const type = head.readUInt32LE(4);
    const opId = head.readUInt32LE(12);
    const payload = Buffer.from(await this.#reader.read(head.readUInt32LE(8)));
    if (head.readUInt32LE(0) !== MAGIC) throw new Error('wrong magic');
    if (type === 2) {
      const size = payload.readUInt32LE(4) || 65_536;
      const wanted = size * (payload.readUInt32LE(8) || 4);
      const fault = faults.take('session-error');
      if (fault !== undefined) return this.#error(type, opId, fault.code, fault.text, 16);
      if (size > limits.largestBuffer || this.#state.memoryBytes + wanted > limits.memoryBytes) {
        return this.#error(type, opId, 5, `Failed to allocate the requested ${wanted} bytes`, 16);
      }
      this.#buffer = size;
      this.#memory = wanted;
      this.#state.memoryBytes += wanted;
      await this.#send(reply(type, opId, Buffer.alloc(16)));
    } else if (type === 9) {
      await this.#send(reply(type, opId, Buffer.alloc(12)));
    } else if (type === 22) {
      await this.#send(reply(type, opId, Buffer.alloc(4)));
    } else if (type === 4) {
      await this.#open(opId, payload);
    } else if (type === 7) {
      // Storage answers several reads in the time of one.
      this.#read(opId, payload).catch(() => this.#stream.destroy());
    } else if (type === 11) {
      const key = (await this.#reader.read(payload.readUInt32LE(8))).toString('ascii');
      this.#checkHandle(payload);
      await this.#send(descriptorReply(opId, this.#disk?.descriptor[key] ?? ''));
    } else if (type === 13) {
      await this.#blocks(opId, payload);
    } else if (type === 5) {
      this.#checkHandle(payload);
      await this.#send(reply(type, opId, Buffer.alloc(payload.length)));
    } else if (type === 3) {
      await this.#send(reply(type, opId, Buffer.alloc(payload.length)));
      return false;
    } else {
      this.#state.violations.push(`a request of type ${type}`);
      return this.#error(type, opId, 1, 'unknown request', 0);
    }
    return true;
  }

  async #open(opId: number, payload: Buffer): Promise<void> {
    const path = (await this.#reader.read(payload.readUInt32LE(0))).toString('utf8');
    const fault = this.#state.faults.take('open-error');
    const disk = this.#state.disks.find(path);
    const refusal =
      fault ??
      (disk === undefined
        ? { code: 4, text: `DiskLib error 4: The system cannot find the file specified: ${path}` }
        : disk.vmId !== this.#start.vmId || payload.readUInt32LE(20) !== 0x1e
          ? { code: 11, text: `NfcFileOpen: permission check failed for file '${path}', access = 1` }
          : disk.isLive
            ? { code: 2, text: 'Thin/TBZ/Sparse disks cannot be opened in multiwriter mode' }
            : undefined);
    if (payload.readUInt32LE(16) !== 2) this.#state.violations.push(`a file of type ${payload.readUInt32LE(16)}`);
    if (refusal !== undefined || disk === undefined) {
      await this.#error(4, opId, refusal?.code ?? 4, refusal?.text ?? '', 60);
      return;
    }
    this.#disk = disk;
    this.#handle = handleOf(this.#state.opened.length + 1);
    this.#state.opened.push(path);
    await this.#send(openedReply(opId, this.#handle, disk.sizeBytes));
  }

  async #read(opId: number, payload: Buffer): Promise<void> {
    const { faults } = this.#state;
    this.#checkHandle(payload);
    const disk = this.#disk as ServedDisk;
    const compression = payload.readUInt32LE(12);
    const offset = Number(payload.readBigUInt64LE(16));
    const length = Number(payload.readBigUInt64LE(24));
    if (
      payload.readUInt32LE(8) !== 1 ||
      length === 0 ||
      offset % 512 !== 0 ||
      length % 512 !== 0 ||
      offset + length > disk.sizeBytes ||
      payload.readUInt32LE(32) !== length ||
      payload.readUInt32LE(36) !== length
    ) {
      this.#state.violations.push(`a read of [${offset}, +${length}) from ${disk.sizeBytes} bytes`);
      await this.#error(7, opId, 3, 'Invalid parameter', 0);
      return;
    }
    this.#state.reads.push({ path: disk.path, offset, length, compression });
    this.#state.readsUnderWay += 1;
    this.#reads += 1;
    this.#state.mostReads = Math.max(this.#state.mostReads, this.#state.readsUnderWay);
    const touches = ({ at }: { readonly at: number }): boolean => at >= offset && at < offset + length;
    const error = compression === 0 ? undefined : faults.take('compression-error');
    const refused = error === undefined ? faults.take('read-error', touches) : undefined;
    if (error !== undefined || refused !== undefined) {
      await this.#error(7, opId, 3, refused?.text ?? 'Compression is not supported', 0);
      return;
    }
    const status = faults.take('read-status', touches)?.status ?? 0;
    if (status !== 0) {
      this.#queue([
        {
          bytes: fragment(
            opId,
            { status, compression: 0, offset, length, place: 0, plain: 0, wire: 0 },
            Buffer.alloc(0),
          ),
          lastOfRead: true,
        },
      ]);
      return;
    }
    const content = await disk.read(offset, length);
    if (this.#ended) return;
    const tamper = faults.take('tamper', ({ afterBytes = 0 }) => this.#sent >= afterBytes)?.how;
    this.#queue(this.#fragments(opId, { offset, length, compression }, content, tamper));
  }

  #fragments(
    opId: number,
    request: { readonly offset: number; readonly length: number; readonly compression: number },
    content: Buffer,
    tamper: Tamper | undefined,
  ): Frame[] {
    const { offset, length, compression } = request;
    const raw = this.#state.faults.find('raw');
    const size = Math.min(this.#buffer, this.#state.faults.find('small-fragments')?.bytes ?? this.#buffer);
    const frames: Buffer[] = [];
    for (let place = 0; place < length; place += size) {
      const plain = content.subarray(place, Math.min(place + size, length));
      const packed =
        raw === undefined ? pack(compression, plain) : { compression: raw.claims ? compression : 0, bytes: plain };
      const head = {
        compression: packed.compression,
        offset,
        length,
        place,
        plain: plain.length,
        wire: packed.bytes.length,
      };
      const isLast = place + size >= length;
      if (tamper === 'overlap' && (isLast || place > 0))
        frames.push(fragment(opId, { ...head, place: Math.max(0, place - 512) }, packed.bytes));
      if (tamper === 'wrong-base') frames.push(fragment(opId, { ...head, offset: offset + 512 }, packed.bytes));
      else if (tamper === 'wrong-length') frames.push(fragment(opId, { ...head, length: length + 512 }, packed.bytes));
      else if (tamper === 'beyond') frames.push(fragment(opId, { ...head, place: length }, packed.bytes));
      else if (tamper === 'short')
        frames.push(
          fragment(opId, { ...head, compression: 0, plain: plain.length - 512 || 512, wire: plain.length }, plain),
        );
      else if (tamper === 'unknown-request') frames.push(fragment(opId + 1000, head, packed.bytes));
      else if (tamper === 'long-wire')
        frames.push(fragment(opId, { ...head, compression: 2, wire: 0x7fffffff }, packed.bytes));
      else if (tamper === 'empty') frames.push(fragment(opId, { ...head, plain: 0, wire: 0 }, Buffer.alloc(0)));
      else if (tamper === 'compression') frames.push(fragment(opId, { ...head, compression: 9 }, packed.bytes));
      else if (tamper === 'garbage')
        frames.push(
          fragment(opId, { ...head, compression: compression || 2, wire: 24 }, Buffer.from('ff'.repeat(24), 'hex')),
        );
      else if (tamper === 'magic') frames.push(Buffer.from(fragment(opId, head, packed.bytes).fill(0, 0, 4)));
      else if (tamper === 'long-payload')
        frames.push(Buffer.from(fragment(opId, head, packed.bytes).fill(0xff, 8, 12)));
      else frames.push(fragment(opId, head, packed.bytes));
      if (tamper === 'twice' && !isLast) frames.push(fragment(opId, head, packed.bytes));
    }
    return frames.map((bytes, index) => ({ bytes, lastOfRead: index === frames.length - 1 }));
  }

  async #blocks(opId: number, payload: Buffer): Promise<void> {
    this.#checkHandle(payload);
    const disk = this.#disk as ServedDisk;
    const chunk = Number(payload.readBigUInt64LE(16));
    const startByte = Number(payload.readBigUInt64LE(24));
    const count = Number(payload.readBigUInt64LE(32));
    if (this.#state.faults.take('no-block-map') !== undefined) {
      await this.#error(13, opId, 9, 'Operation is not supported', 0);
      return;
    }
    if (chunk < 65_536 || startByte % chunk !== 0 || count > 524_288 || startByte + count * chunk > disk.sizeBytes) {
      this.#state.violations.push(`a map of ${count} blocks of ${chunk} bytes from ${startByte}`);
      await this.#error(13, opId, 3, 'Invalid parameter', 0);
      return;
    }
    const data = (await disk.allocated()).filter((extent) => extent.kind === 'data');
    let next = 0;
    await this.#send(
      blocksReply(opId, count, (block) => {
        const from = startByte + block * chunk;
        while (next < data.length && endOf(data[next] as Extent) <= from) next += 1;
        const extent = data[next];
        return extent !== undefined && extent.offset < from + chunk;
      }),
    );
  }

  #checkHandle(payload: Buffer): void {
    if (payload.readBigUInt64LE(0) !== this.#handle) throw new Error('wrong handle');
  }

  /** An error, and the usual reply full of zeros behind it. */
  async #error(type: number, opId: number, code: number, text: string, replyBytes: number): Promise<true> {
    const error = errorReply(opId, code, text);
    await this.#send(replyBytes === 0 ? error : Buffer.concat([error, reply(type, opId, Buffer.alloc(replyBytes))]));
    return true;
  }

  #queue(frames: readonly Frame[]): void {
    this.#frames.push(...frames);
    if (!this.#isSending) this.#sendFrames().catch(() => this.#stream.destroy());
  }

  async #sendFrames(): Promise<void> {
    this.#isSending = true;
    const order = this.#state.faults.find('order')?.order;
    while (this.#frames.length > 0 && !this.#ended) {
      // Others get the time to ask, so that there is something to mix.
      if (order !== undefined) await turn();
      const at =
        order === undefined
          ? 0
          : order === 'reversed'
            ? this.#frames.length - 1
            : Math.floor(this.#random() * this.#frames.length);
      const [frame] = this.#frames.splice(at, 1) as [Frame];
      if (frame.lastOfRead) {
        // Before its last byte goes out: the client may ask for the next at once.
        this.#reads -= 1;
        this.#state.readsUnderWay -= 1;
      }
      await this.#send(frame.bytes);
    }
    this.#isSending = false;
  }

  /** One message after the other, however long a piece of one takes. */
  #send(bytes: Buffer): Promise<void> {
    const sent = this.#lastSend.then(() => this.#sendNow(bytes));
    this.#lastSend = sent.catch(() => undefined);
    return sent;
  }

  async #sendNow(bytes: Buffer): Promise<void> {
    const { faults } = this.#state;
    const limit = (after: number): number => Math.max(0, after - this.#sent);
    const cut = faults.find('cut', ({ afterBytes }) => this.#sent + bytes.length > afterBytes);
    if (cut !== undefined) {
      faults.take('cut', (fault) => fault === cut);
      await this.#write(bytes.subarray(0, limit(cut.afterBytes)));
      this.#stream.destroy();
      throw new Error('cut');
    }
    const silence = faults.find('silence', ({ afterBytes }) => this.#sent + bytes.length > afterBytes);
    if (silence !== undefined) {
      faults.take('silence', (fault) => fault === silence);
      await this.#write(bytes.subarray(0, limit(silence.afterBytes)));
      await once(this.#stream, 'close');
      throw new Error('silent');
    }
    await this.#write(bytes);
    const link = faults.find('slow-link');
    if (link !== undefined) await delay((bytes.length * 1000) / link.bytesPerSecond);
  }

  #drained(): Promise<void> {
    const stream = this.#stream;
    return new Promise((resolve) => {
      const done = (): void => {
        stream.off('drain', done).off('close', done);
        resolve();
      };
      stream.on('drain', done).on('close', done);
    });
  }

  async #write(bytes: Buffer): Promise<void> {
    const piece = this.#state.faults.find('split')?.bytes ?? bytes.length;
    for (let at = 0; at < bytes.length; at += piece) {
      const part = bytes.subarray(at, Math.min(at + piece, bytes.length));
      this.#sent += part.length;
      if (this.#stream.destroyed) throw new Error('the client has gone');
      const isWritten = this.#stream.write(part);
      if (piece < bytes.length) await turn();
      if (!isWritten) await this.#drained();
    }
  }
}

const endOf = (extent: Extent): number => extent.offset + extent.length;
