import type { BandwidthLimiter } from '../bandwidth/index.ts';
import type { DiskReader } from '../ports/disk-reader.ts';
import type { WriteTarget } from '../ports/write-target.ts';
import type { BusyTime } from './busy-time.ts';
import type { BlockHasher } from './block-hasher.ts';
import type { BlockState } from './block-state.ts';
import { appendRange, BLOCK_BYTES, bytesOf, type ByteRange } from './blocks.ts';
import type { ChunkBuffer } from './chunk-buffer.ts';
import type { Chunk } from './chunks.ts';
import { blockDigest, isZero, WIRE_DIGEST_BYTES, zeroDigest } from './digests.ts';
import type { Counters } from './disk-outcome.ts';
import { allSettledOrThrow } from '../concurrency/all-settled-or-throw.ts';
import { canRecall, recallBlocks } from './recall-blocks.ts';
import type { TransferState } from './transfer-state.ts';
import { targetDigests } from './target-digests.ts';

/** The finest unit in which a block of unknown content is repaired. */
const REPAIR_BYTES = 4096;

export interface CopyContext {
  readonly reader: DiskReader;
  readonly writer: WriteTarget;
  readonly state: TransferState;
  readonly hasher: BlockHasher;
  readonly limiter: BandwidthLimiter | undefined;
  readonly counters: Counters;
  readonly reading: BusyTime;
  readonly writing: BusyTime;
  /** Something was written that no flush has covered yet. */
  readonly wrote: () => void;
  readonly sent: (bytes: number) => void;
  readonly signal: AbortSignal;
}

interface Operation extends ByteRange {
  readonly kind: 'write' | 'zero';
}

/** Makes a run of blocks read as zeros. */
export async function zeroChunk(chunk: Chunk, context: CopyContext): Promise<void> {
  const { offset, length } = bytesOf(chunk.run, context.state.sizeBytes);
  await send([{ kind: 'zero', offset, length }], Buffer.alloc(0), 0, chunk, undefined, context);
  chunk.batch.written.addRun(chunk.run);
  chunk.batch.digests.addZero(chunk.run);
  context.counters.bytesChanged += length;
}

/**
 * Reads a run of blocks and sends what the volume is not known to hold. Where the volume may hold anything, the worker
 * says first what it holds, while the source is read. What has to be sent whatever its digest is sent while it is
 * hashed, unless the worker may have its blocks from earlier copies. When this ends, however it ends, nothing uses the buffer any more.
 */
export async function copyChunk(chunk: Chunk, buffer: ChunkBuffer, context: CopyContext): Promise<void> {
  const { state, reader, writer, hasher, signal, counters } = context;
  const { offset, length } = bytesOf(chunk.run, state.sizeBytes);
  const bytes = buffer.bytes.subarray(0, length);
  const someUnknown = someBlock(chunk, state, 'unknown');
  const [, held] = await allSettledOrThrow<unknown>([
    context.reading.during(reader.read(offset, bytes, signal)),
    ...(someUnknown ? [targetDigests(writer, offset, length, BLOCK_BYTES, signal)] : []),
  ]);
  counters.bytesRead += length;
  const wanted = buffer.want(length, (start, end) => !isZero(bytes, start, end));
  const hashed = wanted === 0 ? Promise.resolve() : hasher.hash(buffer, length);
  let findings: Findings;
  try {
    if (someUnknown || canRecall(writer) || someBlock(chunk, state, 'digest')) await hashed;
    findings = await compare(chunk, buffer, bytes, offset, held as Buffer | undefined, context);
    if (findings.operations.length > 0) await send(findings.operations, bytes, offset, chunk, buffer, context);
  } finally {
    await hashed;
  }
  let changed = 0;
  for (const operation of findings.operations) changed += operation.length;
  counters.bytesChanged += changed;
  counters.bytesSkipped += length - changed;
  const { batch } = chunk;
  for (const block of findings.written) batch.written.add(block);
  for (const index of findings.learned) {
    const block = chunk.run.first + index;
    if (buffer.isWanted(index)) batch.digests.addDigest(block, buffer.digest(index));
    else batch.digests.addZero({ first: block, count: 1 });
  }
}

interface Findings {
  readonly operations: Operation[];
  readonly written: number[];
  /** Indices of blocks that the volume is sure to hold once the operations are durable, and was not before. */
  readonly learned: number[];
}

function someBlock({ run }: Chunk, state: TransferState, wanted: BlockState): boolean {
  for (let block = run.first; block < run.first + run.count; block++)
    if (state.blockState(block) === wanted) return true;
  return false;
}

/** What has to be sent. Digests are looked at where the volume holds something that they can be compared with. */
async function compare(
  chunk: Chunk,
  buffer: ChunkBuffer,
  bytes: Buffer,
  offset: number,
  held: Buffer | undefined,
  context: CopyContext,
): Promise<Findings> {
  const { state } = context;
  const findings: Findings = { operations: [], written: [], learned: [] };
  for (let index = 0; index < chunk.run.count; index++) {
    const block = chunk.run.first + index;
    const start = index * BLOCK_BYTES;
    const end = Math.min(start + BLOCK_BYTES, bytes.length);
    const zero = !buffer.isWanted(index);
    const known = state.blockState(block);
    const partial = chunk.plan.partial.has(block);
    if (known === 'zero' ? zero : known === 'digest' && !zero && state.holds(block, buffer.digest(index))) continue;
    findings.learned.push(index);
    if (known === 'unknown' && held !== undefined) {
      const at = index * WIRE_DIGEST_BYTES;
      const digest = zero ? zeroDigest(end - start) : buffer.digest(index);
      if (held.compare(digest, 0, WIRE_DIGEST_BYTES, at, at + WIRE_DIGEST_BYTES) === 0) continue;
    }
    findings.written.push(block);
    if (!partial || known === 'unwritten') {
      appendOperation(findings.operations, zero ? 'zero' : 'write', offset + start, end - start);
    } else if (known === 'unknown') {
      await repairFinely(bytes, start, end, offset, findings.operations, context);
    } else {
      sendChanged(chunk, bytes, start, end, offset, findings.operations, context.writer.alignmentBytes);
    }
  }
  return findings;
}

/** Only the changed bytes of a block, whose other bytes are in sync, as far as the target's alignment lets them stand alone. */
function sendChanged(
  chunk: Chunk,
  bytes: Buffer,
  start: number,
  end: number,
  offset: number,
  operations: Operation[],
  alignment: number,
): void {
  const { changed } = chunk.plan;
  let sent = start;
  for (
    let i = firstEndingAfter(changed, offset + start);
    i < changed.length && changed[i]!.offset < offset + end;
    i++
  ) {
    // Both borders of a block are aligned, or the disk's end.
    const from = Math.max(alignDown(changed[i]!.offset - offset, alignment), sent);
    const to = Math.min(alignDown(changed[i]!.offset + changed[i]!.length - offset + alignment - 1, alignment), end);
    if (to <= from) continue;
    sent = to;
    appendOperation(operations, isZero(bytes, from, to) ? 'zero' : 'write', offset + from, to - from);
  }
}

const alignDown = (value: number, alignment: number): number => Math.floor(value / alignment) * alignment;

function firstEndingAfter(ranges: readonly ByteRange[], position: number): number {
  let low = 0;
  let high = ranges.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ranges[middle]!.offset + ranges[middle]!.length > position) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** An interrupted run wrote parts of the block: only the parts that it did not get there are sent. */
async function repairFinely(
  bytes: Buffer,
  start: number,
  end: number,
  offset: number,
  operations: Operation[],
  context: CopyContext,
): Promise<void> {
  const unit = Math.max(REPAIR_BYTES, context.writer.alignmentBytes);
  const held = await targetDigests(context.writer, offset + start, end - start, unit, context.signal);
  for (let from = start, at = 0; from < end; from += unit, at += WIRE_DIGEST_BYTES) {
    const to = Math.min(from + unit, end);
    const zero = isZero(bytes, from, to);
    const digest = zero ? zeroDigest(to - from) : blockDigest(bytes.subarray(from, to));
    if (held.compare(digest, 0, WIRE_DIGEST_BYTES, at, at + WIRE_DIGEST_BYTES) === 0) continue;
    appendOperation(operations, zero ? 'zero' : 'write', offset + from, to - from);
  }
}

function appendOperation(operations: Operation[], kind: Operation['kind'], offset: number, length: number): void {
  const last = operations.at(-1);
  if (last?.kind === kind) {
    const merged = [{ offset: last.offset, length: last.length }];
    appendRange(merged, offset, length);
    if (merged.length === 1) {
      operations[operations.length - 1] = { kind, ...merged[0]! };
      return;
    }
  }
  operations.push({ kind, offset, length });
}

async function send(
  operations: readonly Operation[],
  bytes: Buffer,
  base: number,
  chunk: Chunk,
  hashed: ChunkBuffer | undefined,
  context: CopyContext,
): Promise<void> {
  const { writer, limiter, counters, signal } = context;
  const { batch } = chunk;
  if (!batch.intended) {
    context.state.intend(batch.candidates());
    batch.intended = true;
  }
  context.wrote();
  let left = operations;
  if (hashed !== undefined && canRecall(writer)) {
    const writes = operations.filter(({ kind }) => kind === 'write');
    const recalled = await recallBlocks(writer, writes, base, hashed, signal);
    left = [
      ...operations.filter(({ kind }) => kind === 'zero'),
      ...recalled.left.map((range) => ({ kind: 'write' as const, ...range })),
    ];
    counters.bytesRecalled += recalled.bytes;
  }
  await allSettledOrThrow(
    left.map(async ({ kind, offset, length }) => {
      if (kind === 'zero') {
        await writer.zero(offset, length, signal);
        counters.bytesZeroed += length;
        return;
      }
      await limiter?.take(length, signal);
      const { bytesSent } = await context.writing.during(
        writer.write(offset, bytes.subarray(offset - base, offset - base + length), signal),
      );
      if (bytesSent < length) limiter?.refund(length - bytesSent);
      counters.bytesSent += bytesSent;
      context.sent(bytesSent);
    }),
  );
}
