import { copyBytes } from '../concurrency/copy-bytes.ts';
import { crc32c } from './crc32c.ts';
import { bytesAt, type ImageBytes } from './image-bytes.ts';
import { unreadable } from './image-errors.ts';

const SECTOR = 4096;
const MAX_LOG_BYTES = 64 * 1024 * 1024;
const ENTRY_HEAD = 64;
const DESCRIPTOR = 32;
const MAX_OFFSET = 2n ** 52n;

/** A part of the file that the log holds a newer content of: zeros where `bytes` is unset. */
export interface Patch {
  readonly at: number;
  readonly length: number;
  readonly bytes?: Buffer;
}

interface LogEntry {
  readonly at: number;
  readonly length: number;
  readonly sequence: bigint;
  readonly tail: number;
  readonly flushedSize: number;
  readonly lastSize: number;
  readonly patches: readonly Patch[];
}

/**
 * The file as it is after its log was replayed, which happens in memory.
 * @throws CausewayError source.image-unreadable when the log has no complete sequence, or the file was cut short
 */
export async function replayLog(file: ImageBytes, at: number, length: number, logId: Buffer): Promise<ImageBytes> {
  if (length > MAX_LOG_BYTES || length % SECTOR !== 0 || length === 0)
    throw unreadable(file.name, `a log of ${length} bytes is not valid`);
  const log = await bytesAt(file, at, length);
  const sequence = activeSequence(log, logId, file);
  const head = sequence.at(-1);
  if (head === undefined) throw unreadable(file.name, 'its log has no complete sequence of entries (damaged)');
  if (file.sizeBytes < head.flushedSize)
    throw unreadable(
      file.name,
      `it has ${file.sizeBytes} bytes, but its log records ${head.flushedSize}: it is cut short`,
    );
  return patched(
    file,
    Math.max(file.sizeBytes, head.lastSize),
    sequence.flatMap((entry) => entry.patches),
  );
}

/** The newest complete sequence of entries, the oldest entry first. */
function activeSequence(log: Buffer, logId: Buffer, file: ImageBytes): readonly LogEntry[] {
  const entries = new Map<number, LogEntry>();
  // Entries don't overlap in a log that was written in order, so that checking each costs about one pass.
  let budget = 4 * log.length;
  for (let at = 0; at < log.length; at += SECTOR) {
    const length = entryLength(log, at, logId);
    if (length === undefined) continue;
    budget -= length;
    if (budget < 0) throw unreadable(file.name, 'the entries of its log overlap (damaged)');
    const entry = readEntry(log, at, length);
    if (entry !== undefined) entries.set(at, entry);
  }
  const newest = [...entries.values()].sort((one, other) => (one.sequence > other.sequence ? -1 : 1));
  // Each step is an entry that a head claims; a head with a long claim that fails is tried once per log, not once per entry.
  let steps = 16 * (entries.size + 1);
  for (const head of newest) {
    const sequence: LogEntry[] = [];
    for (let at = head.tail; steps > 0; steps--) {
      const entry = entries.get(at);
      const before = sequence.at(-1);
      if (entry === undefined || (before !== undefined && entry.sequence !== before.sequence + 1n)) break;
      sequence.push(entry);
      if (entry === head) return sequence;
      at = (at + entry.length) % log.length;
    }
  }
  return [];
}

/** The length of what may be an entry, by its head alone. */
function entryLength(log: Buffer, at: number, logId: Buffer): number | undefined {
  if (log.toString('latin1', at, at + 4) !== 'loge' || !log.subarray(at + 32, at + 48).equals(logId)) return undefined;
  const length = log.readUInt32LE(at + 8);
  const tail = log.readUInt32LE(at + 12);
  const descriptors = log.readUInt32LE(at + 24);
  const isValid =
    length > 0 &&
    length % SECTOR === 0 &&
    length <= log.length &&
    tail % SECTOR === 0 &&
    tail < log.length &&
    ENTRY_HEAD + descriptors * DESCRIPTOR <= length &&
    log.readBigUInt64LE(at + 16) > 0n;
  return isValid ? length : undefined;
}

/** The entry at `at`; undefined when it is not one that was written completely. It may wrap around the end of the log. */
function readEntry(log: Buffer, at: number, length: number): LogEntry | undefined {
  const bytes =
    at + length <= log.length
      ? log.subarray(at, at + length)
      : Buffer.concat([log.subarray(at), log.subarray(0, at + length - log.length)]);
  if (crc32c(bytes, 4) !== bytes.readUInt32LE(4)) return undefined;
  const sequence = bytes.readBigUInt64LE(16);
  const count = bytes.readUInt32LE(24);
  const patches: Patch[] = [];
  let data = Math.ceil((ENTRY_HEAD + count * DESCRIPTOR) / SECTOR) * SECTOR;
  for (let index = 0; index < count; index++) {
    const from = ENTRY_HEAD + index * DESCRIPTOR;
    const kind = bytes.toString('latin1', from, from + 4);
    const target = bytes.readBigUInt64LE(from + 16);
    if (bytes.readBigUInt64LE(from + 24) !== sequence || target % 4096n !== 0n || target > MAX_OFFSET) return undefined;
    if (kind === 'zero') {
      const zeroed = bytes.readBigUInt64LE(from + 8);
      if (zeroed % 4096n !== 0n || zeroed > MAX_OFFSET) return undefined;
      patches.push({ at: Number(target), length: Number(zeroed) });
    } else if (kind === 'desc') {
      const sector = bytes.subarray(data, data + SECTOR);
      if (sector.length < SECTOR || sector.toString('latin1', 0, 4) !== 'data') return undefined;
      if (((BigInt(sector.readUInt32LE(4)) << 32n) | BigInt(sector.readUInt32LE(SECTOR - 4))) !== sequence)
        return undefined;
      // The sector's first 8 and last 4 bytes are in the descriptor.
      const content = Buffer.concat([
        bytes.subarray(from + 8, from + 16),
        sector.subarray(8, SECTOR - 4),
        bytes.subarray(from + 4, from + 8),
      ]);
      patches.push({ at: Number(target), length: SECTOR, bytes: content });
      data += SECTOR;
    } else return undefined;
  }
  const flushedSize = Number(bytes.readBigUInt64LE(48));
  const lastSize = Number(bytes.readBigUInt64LE(56));
  if (!Number.isSafeInteger(flushedSize) || !Number.isSafeInteger(lastSize)) return undefined;
  return { at, length, sequence, tail: bytes.readUInt32LE(12), flushedSize, lastSize, patches };
}

/** A file with patches over it, of which a later one goes before an earlier one, and zeros up to `sizeBytes`. */
export function patched(file: ImageBytes, sizeBytes: number, patches: readonly Patch[]): ImageBytes {
  const last = patches.reduce((end, patch) => Math.max(end, patch.at + patch.length), sizeBytes);
  const visible = visibleParts(patches);
  return {
    name: file.name,
    sizeBytes: last,
    isSparse: file.isSparse,
    async read(at, into) {
      if (!(at >= 0 && at + into.length <= last))
        throw unreadable(
          file.name,
          `it refers to ${into.length} bytes at offset ${at}, but is ${last} bytes long (cut short or damaged)`,
        );
      const there = Math.max(0, Math.min(into.length, file.sizeBytes - at));
      if (there > 0) await file.read(at, there === into.length ? into : into.subarray(0, there));
      into.fill(0, there);
      for (let index = firstAfter(visible, at); index < visible.length; index++) {
        const part = visible[index];
        if (part === undefined || part.from >= at + into.length) break;
        const from = Math.max(at, part.from);
        const to = Math.min(at + into.length, part.to);
        const { patch } = part;
        if (patch.bytes === undefined) into.fill(0, from - at, to - at);
        else copyBytes(patch.bytes.subarray(from - patch.at, to - patch.at), into, from - at);
      }
    },
  };
}

interface VisiblePart {
  readonly from: number;
  readonly to: number;
  readonly patch: Patch;
}

/**
 * What is seen of each patch when later ones lie over earlier ones, in the order of the file. A log can hold two million patches,
 * and every read of the file asks for those within it.
 */
function visibleParts(patches: readonly Patch[]): readonly VisiblePart[] {
  const edges = Float64Array.from(new Set(patches.flatMap(({ at, length }) => [at, at + length]))).sort();
  const owner = new Int32Array(edges.length).fill(-1);
  // Leads from a stretch that has its patch to the next one that has none, over ever longer jumps.
  const next = Int32Array.from(edges, (_, index) => index);
  const free = (from: number): number => {
    let end = from;
    while (next[end] !== end && end < edges.length) end = next[end] ?? edges.length;
    for (let index = from; index < end;) {
      const after = next[index] ?? end;
      next[index] = end;
      index = after;
    }
    return end;
  };
  for (let number = patches.length - 1; number >= 0; number--) {
    const patch = patches[number];
    if (patch === undefined) continue;
    const end = lowerBound(edges, patch.at + patch.length);
    for (let index = free(lowerBound(edges, patch.at)); index < end; index = free(index)) {
      owner[index] = number;
      next[index] = index + 1;
    }
  }
  const parts: VisiblePart[] = [];
  for (const [index, number] of owner.entries()) {
    const patch = patches[number];
    if (patch !== undefined) parts.push({ from: edges[index] ?? 0, to: edges[index + 1] ?? 0, patch });
  }
  return parts;
}

/** The index of the first edge that is not below `value`. */
function lowerBound(edges: Float64Array, value: number): number {
  let low = 0;
  for (let high = edges.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((edges[middle] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** The index of the first part that ends after `at`. */
function firstAfter(parts: readonly VisiblePart[], at: number): number {
  let low = 0;
  for (let high = parts.length; low < high;) {
    const middle = (low + high) >>> 1;
    if ((parts[middle]?.to ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return low;
}
