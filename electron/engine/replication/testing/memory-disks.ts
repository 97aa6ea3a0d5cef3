import { hash } from 'node:crypto';
import type { Extent } from '../../../../shared/model/extent.ts';
import type { DiskReader } from '../../ports/disk-reader.ts';
import type { DiskWriter } from '../../ports/disk-writer.ts';

/** Called before every step of I/O; throws to let the process "die" there. */
export type Step = (what: string) => void;

/** A snapshot in memory. `changedSince`: its extents are what differs from that content, by `granularity`. */
export class MemoryReader implements DiskReader {
  readonly sizeBytes: number;
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes: number;
  readonly #content: Buffer;
  readonly #extents: readonly Extent[];
  readonly #step: Step;
  bytesRead = 0;
  readsInFlight = 0;
  mostReadsInFlight = 0;

  constructor(content: Buffer, extents: readonly Extent[], coverage: 'allocated' | 'changed', granularity: number, step: Step = () => {}) {
    this.#content = content;
    this.#extents = extents;
    this.sizeBytes = content.length;
    this.coverage = coverage;
    this.granularityBytes = granularity;
    this.#step = step;
  }

  async *extents(): AsyncGenerator<Extent> {
    for (const extent of this.#extents) {
      this.#step('extents');
      yield extent;
    }
  }

  async read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.readsInFlight += 1;
    this.mostReadsInFlight = Math.max(this.mostReadsInFlight, this.readsInFlight);
    try {
      this.#step('read');
      await Promise.resolve();
      this.#step('read answer');
      if (offset + into.length > this.#content.length) throw new Error(`read of ${into.length} bytes at ${offset} leaves the disk`);
      into.set(this.#content.subarray(offset, offset + into.length));
      this.bytesRead += into.length;
    } finally {
      this.readsInFlight -= 1;
    }
  }

  async close(): Promise<void> {}
}

/** Extents of a whole disk: runs of `granularity` that are all zero are holes. */
export function allocatedExtents(content: Buffer, granularity: number): Extent[] {
  return merge(content, granularity, (from, to) => (content.subarray(from, to).every((byte) => byte === 0) ? 'zero' : 'data'));
}

/** Extents of what differs between two contents; what is new in a larger one counts as changed. */
export function changedExtents(base: Buffer, content: Buffer, granularity: number): Extent[] {
  return merge(content, granularity, (from, to) => {
    const part = content.subarray(from, to);
    if (to <= base.length && part.equals(base.subarray(from, to))) return undefined;
    return part.every((byte) => byte === 0) ? 'zero' : 'data';
  });
}

function merge(content: Buffer, granularity: number, kindOf: (from: number, to: number) => Extent['kind'] | undefined): Extent[] {
  const extents: { offset: number; length: number; kind: Extent['kind'] }[] = [];
  for (let from = 0; from < content.length; from += granularity) {
    const to = Math.min(from + granularity, content.length);
    const kind = kindOf(from, to);
    const last = extents.at(-1);
    if (kind === undefined) continue;
    if (last?.kind === kind && last.offset + last.length === from) last.length += to - from;
    else extents.push({ offset: from, length: to - from, kind });
  }
  return extents;
}

interface Change {
  readonly offset: number;
  readonly bytes: Buffer;
}

/** A volume in memory. What was written since the last flush may be lost, in any part, by a crash. */
export class MemoryVolume {
  /** What a read sees. */
  content: Buffer;
  /** What survives for sure. */
  durable: Buffer;
  #unflushed: Change[] = [];

  constructor(content: Buffer) {
    this.content = Buffer.from(content);
    this.durable = Buffer.from(content);
  }

  apply(offset: number, bytes: Buffer): void {
    bytes.copy(this.content, offset);
    this.#unflushed.push({ offset, bytes });
  }

  flush(upTo: number): void {
    for (const { offset, bytes } of this.#unflushed.splice(0, upTo)) bytes.copy(this.durable, offset);
  }

  get unflushed(): number {
    return this.#unflushed.length;
  }

  /** The machine dies: of each unflushed write, each part of 4 KiB either arrived or did not. */
  crash(survives: () => boolean): void {
    for (const { offset, bytes } of this.#unflushed.splice(0)) {
      for (let at = 0; at < bytes.length; at += 4096) {
        if (survives()) bytes.copy(this.durable, offset + at, at, Math.min(at + 4096, bytes.length));
      }
    }
    this.content = Buffer.from(this.durable);
  }

  grow(sizeBytes: number, filler: number): void {
    const tail = Buffer.alloc(sizeBytes - this.content.length, filler);
    this.content = Buffer.concat([this.content, tail]);
    this.durable = Buffer.concat([this.durable, tail]);
  }
}

/** Writes to a volume in memory; answers come in any order. */
export class MemoryWriter implements DiskWriter {
  readonly #volume: MemoryVolume;
  readonly #step: Step;
  bytesSent = 0;
  bytesZeroed = 0;
  /** Ranges that were sent, in order. */
  readonly writes: { readonly offset: number; readonly length: number }[] = [];
  readonly #delay: () => number;

  constructor(volume: MemoryVolume, step: Step = () => {}, delay: () => number = () => 1) {
    this.#volume = volume;
    this.#step = step;
    this.#delay = delay;
  }

  get sizeBytes(): number {
    return this.#volume.content.length;
  }

  async write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly bytesSent: number }> {
    await this.#arrive('write', signal);
    this.writes.push({ offset, length: bytes.length });
    this.#volume.apply(offset, Buffer.from(bytes));
    this.bytesSent += bytes.length;
    this.#step('write answer');
    return { bytesSent: bytes.length };
  }

  async zero(offset: number, length: number, signal: AbortSignal): Promise<void> {
    await this.#arrive('zero', signal);
    this.#volume.apply(offset, Buffer.alloc(length));
    this.bytesZeroed += length;
    this.#step('zero answer');
  }

  async flush(signal: AbortSignal): Promise<void> {
    const upTo = this.#volume.unflushed;
    await this.#arrive('flush', signal);
    this.#volume.flush(upTo);
    this.#step('flush answer');
  }

  async digests(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array> {
    await this.#arrive('digests', signal);
    const digests: Buffer[] = [];
    for (let at = offset; at < offset + length; at += blockBytes) {
      digests.push(hash('sha256', this.#volume.content.subarray(at, Math.min(at + blockBytes, offset + length)), 'buffer'));
    }
    return Buffer.concat(digests);
  }

  async close(): Promise<void> {}

  async #arrive(what: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    this.#step(what);
    for (let turns = this.#delay(); turns > 0; turns--) await Promise.resolve();
    signal.throwIfAborted();
  }
}
