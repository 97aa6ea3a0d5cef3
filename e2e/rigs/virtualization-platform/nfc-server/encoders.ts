import { deflateSync } from 'node:zlib';

/** Packs a fragment as a host would: with compression 0 when it does not shrink. */
export function pack(compression: number, plain: Buffer): { readonly compression: number; readonly bytes: Buffer } {
  const bytes =
    compression === 1
      ? deflateSync(plain, { level: 1 })
      : compression === 2
        ? fastlz(plain)
        : compression === 3
          ? skipz(plain)
          : plain;
  return bytes.length < plain.length ? { compression, bytes } : { compression: 0, bytes: plain };
}

const GAP = Buffer.alloc(16);

/** Leaves out zeros: runs of {place, length, bytes} behind {plain length, 0}. Zeros shorter than a head are not worth a new run. */
export function skipz(plain: Buffer): Buffer {
  const parts: Buffer[] = [uint32(plain.length, 0)];
  for (let at = zerosAt(plain, 0); at < plain.length;) {
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
  while (at + ZEROS.length <= plain.length && plain.compare(ZEROS, 0, ZEROS.length, at, at + ZEROS.length) === 0)
    at += ZEROS.length;
  while (at < plain.length && plain[at] === 0) at += 1;
  return at - from;
}

/**
 * FastLZ without its length prefix, level 2 from 64 KiB on. Greedy, with a table of the last place of each three bytes. A
 * stream never ends in a match: the reference decoder refuses one that ends in a far match.
 */
export function fastlz(plain: Buffer, level: 1 | 2 = plain.length >= 65_536 ? 2 : 1): Buffer {
  // Literals take one control byte for 32, so nothing grows by more than that.
  const out = Buffer.allocUnsafe(plain.length + Math.ceil(plain.length / 32) + 16);
  let to = 0;
  seen.fill(-1);
  const furthest = level === 1 ? 8192 : 8192 + 65_535;
  const longest = level === 1 ? 264 : plain.length;
  let literals = 0;
  const flush = (until: number): void => {
    for (let at = literals; at < until; at += 32) {
      const count = Math.min(32, until - at);
      out[to++] = count - 1;
      to += plain.copy(out, to, at, at + count);
    }
  };
  const last = plain.length - 1;
  for (let at = 0; at + 3 < last;) {
    const word = (plain[at] as number) | ((plain[at + 1] as number) << 8) | ((plain[at + 2] as number) << 16);
    const slot = Math.imul(word, 2654435761) >>> 19;
    const before = seen[slot] as number;
    seen[slot] = at;
    let length = 0;
    if (before >= 0 && at - before <= furthest)
      while (at + length < last && length < longest && plain[before + length] === plain[at + length]) length += 1;
    const distance = at - before;
    const isFar = level === 2 && distance > 8191;
    if (length < (isFar ? 5 : 3)) {
      at += 1;
      continue;
    }
    flush(at);
    const back = isFar ? 8191 : distance - 1;
    if (length < 9) {
      out[to++] = ((length - 2) << 5) | (back >> 8);
    } else {
      out[to++] = 0xe0 | (back >> 8);
      let more = length - 9;
      for (; level === 2 && more >= 255; more -= 255) out[to++] = 255;
      out[to++] = more;
    }
    out[to++] = back & 255;
    if (isFar) {
      out[to++] = (distance - 8192) >> 8;
      out[to++] = (distance - 8192) & 255;
    }
    at += length;
    literals = at;
  }
  flush(plain.length);
  // The first control's top bits carry the level.
  out[0] = (out[0] as number) | ((level - 1) << 5);
  return out.subarray(0, to);
}

/** The last place of what hashes to a slot. */
const seen = new Int32Array(8192);

function uint32(first: number, second: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeUInt32LE(first, 0);
  bytes.writeUInt32LE(second, 4);
  return bytes;
}
