import { expect } from 'vitest';
import type { Extent } from '../../shared/model/extent.ts';
import type { DiskReader } from '../../electron/engine/ports/disk-reader.ts';

const CHUNK = 256 * 1024;

export interface DiskRead {
  readonly coverage: 'allocated' | 'changed';
  readonly granularityBytes: number;
  readonly extents: readonly Extent[];
  /** The replica after the extents were applied to it. */
  readonly replica: Buffer;
  readonly dataBytes: number;
  readonly zeroBytes: number;
}

/**
 * Reads a disk as a replication would: every extent, several reads in flight, written over what the replica held.
 * Checks what every reader owes: extents ascending, apart, within the disk, complete where the disk is read whole, and from any offset
 * the same. A guest that goes on writing may turn zeros into data that holds zeros, so what counts is which bytes are listed, and that
 * what is called zero is zero.
 */
export async function readOnto(reader: DiskReader, former: Buffer | undefined, signal: AbortSignal): Promise<DiskRead> {
  const replica = Buffer.alloc(reader.sizeBytes, reader.coverage === 'allocated' ? 0xee : 0);
  if (reader.coverage === 'changed') former?.copy(replica);
  const extents: Extent[] = [];
  for await (const extent of reader.extents(signal)) extents.push(extent);
  let end = 0;
  for (const extent of extents) {
    expect(extent.length).toBeGreaterThan(0);
    expect(extent.offset).toBeGreaterThanOrEqual(end);
    if (reader.coverage === 'allocated') expect(extent.offset).toBe(end);
    end = extent.offset + extent.length;
  }
  expect(end).toBeLessThanOrEqual(reader.sizeBytes);
  if (reader.coverage === 'allocated') expect(end).toBe(reader.sizeBytes);
  const middle = Math.floor(reader.sizeBytes / 1024) * 512;
  const beyond: Extent[] = [];
  for await (const extent of reader.extents(signal, middle)) beyond.push(extent);
  expect(covered(beyond)).toEqual(
    covered(
      extents.flatMap(({ offset, length }) => {
        const from = Math.max(offset, middle);
        return offset + length <= middle ? [] : [{ offset: from, length: offset + length - from }];
      }),
    ),
  );
  const chunks = extents.flatMap((extent) => {
    if (extent.kind === 'zero') {
      replica.fill(0, extent.offset, extent.offset + extent.length);
      return [];
    }
    const count = Math.ceil(extent.length / CHUNK);
    return Array.from({ length: count }, (_, index) => ({
      offset: extent.offset + index * CHUNK,
      length: Math.min(CHUNK, extent.length - index * CHUNK),
    }));
  });
  await Promise.all(
    Array.from({ length: 6 }, async () => {
      for (let chunk = chunks.shift(); chunk !== undefined; chunk = chunks.shift()) {
        await reader.read(chunk.offset, replica.subarray(chunk.offset, chunk.offset + chunk.length), signal);
      }
    }),
  );
  for (const { offset, length, kind } of beyond) {
    if (kind === 'zero')
      expect(replica.subarray(offset, offset + length).equals(Buffer.alloc(length)), `zeros at ${offset}`).toBe(true);
  }
  const total = (kind: Extent['kind']) =>
    extents.reduce((sum, extent) => sum + (extent.kind === kind ? extent.length : 0), 0);
  return {
    coverage: reader.coverage,
    granularityBytes: reader.granularityBytes,
    extents,
    replica,
    dataBytes: total('data'),
    zeroBytes: total('zero'),
  };
}

/** The ranges that extents cover, neighbours joined, so that lists can be compared. */
function covered(extents: readonly Omit<Extent, 'kind'>[]): readonly Omit<Extent, 'kind'>[] {
  const joined: Omit<Extent, 'kind'>[] = [];
  for (const { offset, length } of extents) {
    const last = joined.at(-1);
    if (last !== undefined && last.offset + last.length === offset)
      joined[joined.length - 1] = { offset: last.offset, length: last.length + length };
    else joined.push({ offset, length });
  }
  return joined;
}

/** Where two disks differ first; undefined when they are equal. A plain comparison would print megabytes. */
export function firstDifference(one: Buffer, other: Buffer): string | undefined {
  if (one.equals(other)) return undefined;
  if (one.length !== other.length) return `lengths ${one.length} and ${other.length}`;
  const at = one.findIndex((byte, index) => byte !== other[index]);
  return `byte ${at}: ${one[at]} and ${other[at]}`;
}
