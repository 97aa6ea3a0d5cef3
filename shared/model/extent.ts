/** A run of bytes of a disk. `zero`: reads as zeros and needs no read. Offsets and lengths in bytes. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
  readonly kind: 'data' | 'zero';
}

/** Leaves out what ends at `fromBytes` or before, and cuts the extent that crosses it. */
export async function* extentsFrom(
  extents: AsyncIterable<Extent> | Iterable<Extent>,
  fromBytes: number,
): AsyncGenerator<Extent, void, undefined> {
  for await (const extent of extents) {
    const end = extent.offset + extent.length;
    if (end <= fromBytes) continue;
    yield extent.offset >= fromBytes ? extent : { ...extent, offset: fromBytes, length: end - fromBytes };
  }
}
