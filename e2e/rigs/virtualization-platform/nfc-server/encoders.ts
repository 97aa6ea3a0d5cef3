import { deflateSync } from 'node:zlib';

/** Packs a fragment as a host would: with compression 0 when it does not shrink. */
export function pack(compression: number, plain: Buffer): { readonly compression: number; readonly bytes: Buffer } {
  const bytes = compression === 1 ? deflateSync(plain, { level: 1 }) : compression === 2 ? fastlz(plain) : compression === 3 ? skipz(plain) : plain;
  return bytes.length < plain.length ? { compression, bytes } : { compression: 0, bytes: plain };
}

const GAP = Buffer.alloc(16);

/** Leaves out zeros: runs of {place, length, bytes} behind {plain length, 0}. Zeros shorter than a head are not worth a new run. */
export function skipz(plain: Buffer): Buffer {
  const parts: Buffer[] = [uint32(plain.length, 0)];
  for (let at = zerosAt(plain, 0); at < plain.length; ) {
    // A run lasts until zeros come that are longer than the head of another run.
    let end = plain.indexOf(GAP, at);
    if (end < 0) {
      end = plain.length;
      while (end > at && plain[end - 1] === 0) end -= 1;
    }
    if (end > at) parts.push(uint32(at, end - at), plain.subarray(at, end));
    at = end + zerosAt(plain, end);
  }
  return Buffer.concat(parts);
}

const ZEROS = Buffer.alloc(4096);

function zerosAt(plain: Buffer, from: number): number {
  let at = from;
  while (at + ZEROS.length <= plain.length && plain.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0) at += ZEROS.length;
  while (at < plain.length && plain[at] === 0) at += 1;
  return at - from;
}

/**
 * FastLZ without its length prefix, level 2 from 64 KiB on. Greedy, with a table of the last place of every three bytes. A
 * stream never ends in a match: the reference decoder refuses one that ends in a far match.
 */
export function fastlz(plain: Buffer, level: 1 | 2 = plain.length >= 65_536 ? 2 : 1): Buffer {
  const out: number[] = [];
  const seen = new Map<number, number>();
  const furthest = level === 1 ? 8192 : 8192 + 65_535;
  const longest = level === 1 ? 264 : plain.length;
  let literals = 0;
  const flush = (to: number): void => {
    for (let at = literals; at < to; at += 32) {
      const count = Math.min(32, to - at);
      out.push(count - 1);
      for (let index = 0; index < count; index++) out.push(plain[at + index] as number);
    }
  };
  const last = plain.length - 1;
  for (let at = 0; at + 3 < last; ) {
    const key = (plain[at] as number) | ((plain[at + 1] as number) << 8) | ((plain[at + 2] as number) << 16);
    const before = at === 0 ? undefined : seen.get(key);
    seen.set(key, at);
    if (before === undefined || at - before > furthest) {
      at += 1;
      continue;
    }
    let length = 3;
    while (at + length < last && length < longest && plain[before + length] === plain[at + length]) length += 1;
    const distance = at - before;
    const isFar = distance > 8191 && level === 2;
    if ((isFar && length < 5) || (level === 1 && distance > 8192)) {
      at += 1;
      continue;
    }
    flush(at);
    const back = isFar ? 8191 : distance - 1;
    if (length < 9) {
      out.push(((length - 2) << 5) | (back >> 8));
    } else {
      out.push(0xe0 | (back >> 8));
      let more = length - 9;
      for (; level === 2 && more >= 255; more -= 255) out.push(255);
      out.push(more);
    }
    out.push(back & 255);
    if (isFar) out.push((distance - 8192) >> 8, (distance - 8192) & 255);
    at += length;
    literals = at;
  }
  flush(plain.length);
  const bytes = Buffer.from(out);
  // The first control's top bits carry the level.
  bytes[0] = (bytes[0] ?? 0) | ((level - 1) << 5);
  return bytes;
}

function uint32(first: number, second: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(first, 0);
  bytes.writeUInt32LE(second, 4);
  return bytes;
}
