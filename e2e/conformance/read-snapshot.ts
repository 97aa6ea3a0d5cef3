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
 * Checks what every reader owes: extents ascending, apart, within the disk, and complete where the disk is read whole.
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
  expect(covered(beyond)).toEqual(covered(extents.flatMap(({ offset, length, kind }) => {
    const from = Math.max(offset, middle);
    return offset + length <= middle ? [] : [{ offset: from, length: offset + length - from, kind }];
  })));
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
  const total = (kind: Extent['kind']) => extents.reduce((sum, extent) => sum + (extent.kind === kind ? extent.length : 0), 0);
  return {
    coverage: reader.coverage,
    granularityBytes: reader.granularityBytes,
    extents,
    replica,
    dataBytes: total('data'),
    zeroBytes: total('zero'),
  };
}

/** Extents with neighbours of one kind joined, so that lists can be compared. */
function covered(extents: readonly Extent[]): readonly Extent[] {
  const joined: Extent[] = [];
  for (const extent of extents) {
    const last = joined.at(-1);
    if (last?.kind === extent.kind && last.offset + last.length === extent.offset) joined[joined.length - 1] = { ...last, length: last.length + extent.length };
    else joined.push(extent);
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
