/** What an image is to hold: bytes by sector, and which sectors it has at all. */
export interface Content {
  readonly sizeBytes: number;
  readonly bytes: Buffer;
  /** Undefined: all that are not zero. */
  readonly has?: (offset: number) => boolean;
}

const zeros = Buffer.alloc(4096);

/** The sectors of a range; undefined where the content does not have one. */
export function sectorsOf(
  content: Content,
  offset: number,
  length: number,
  sectorBytes: number,
): readonly (Buffer | undefined)[] {
  return Array.from({ length: length / sectorBytes }, (_, index) => {
    const at = offset + index * sectorBytes;
    // Tables cover more than a small disk has.
    if (at >= content.sizeBytes) return undefined;
    const bytes = Buffer.alloc(sectorBytes);
    content.bytes.subarray(at, at + sectorBytes).copy(bytes);
    const has = content.has === undefined ? bytes.compare(zeros, 0, sectorBytes) !== 0 : content.has(at);
    return has ? bytes : undefined;
  });
}

/** Numbers from 0 up to 1, the same for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Runs of random bytes and zeros, whole sectors. */
export function randomContent(sizeBytes: number, random: () => number): Buffer {
  const bytes = Buffer.alloc(sizeBytes);
  for (let at = 0; at < sizeBytes;) {
    const length = 512 * (1 + Math.floor(random() * 40));
    if (random() < 0.5)
      for (let index = at; index < Math.min(at + length, sizeBytes); index++)
        bytes[index] = 1 + Math.floor(random() * 255);
    at += length;
  }
  return bytes;
}
