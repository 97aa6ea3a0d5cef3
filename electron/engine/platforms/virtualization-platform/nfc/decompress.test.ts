import { deflateSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { rounds } from '../../../../../shared/testing/rounds.ts';
import { decompress } from './decompress.ts';

/**
 * Encoders of their own, plain and slow, from the description of the formats. They draw which of the possible encodings to use, so that
 * every instruction comes up.
 */
type Draw = (below: number) => number;

function skipz(plain: Buffer, draw: Draw): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32LE(plain.length, 0);
  const parts: Buffer[] = [head];
  for (let at = 0; at < plain.length;) {
    if (plain[at] === 0 && draw(8) > 0) {
      at += 1;
      continue;
    }
    let end = at + 1;
    while (end < plain.length && (plain[end] !== 0 || draw(4) > 0)) end += 1;
    const run = Buffer.alloc(8);
    run.writeUInt32LE(at, 0);
    run.writeUInt32LE(end - at, 4);
    parts.push(run, plain.subarray(at, end));
    at = end;
  }
  return Buffer.concat(parts);
}

function fastlz(plain: Buffer, level: 1 | 2, draw: Draw): Buffer {
  const out: number[] = [];
  for (let at = 0; at < plain.length;) {
    const match = at === 0 ? undefined : longestMatch(plain, at, level);
    if (match === undefined || draw(5) === 0) {
      const count = Math.min(1 + draw(32), plain.length - at);
      out.push(count - 1, ...plain.subarray(at, at + count));
      at += count;
      continue;
    }
    const isFar = level === 2 && match.distance >= 8192;
    const back = isFar ? 8191 : match.distance - 1;
    if (match.length < 9) {
      out.push(((match.length - 2) << 5) + (back >> 8));
    } else {
      out.push(224 + (back >> 8));
      let rest = match.length - 9;
      while (level === 2 && rest >= 255) {
        out.push(255);
        rest -= 255;
      }
      out.push(rest);
    }
    out.push(back & 255);
    if (isFar) out.push((match.distance - 8192) >> 8, (match.distance - 8192) & 255);
    at += match.length;
  }
  out[0] = (out[0] as number) + (level === 2 ? 32 : 0);
  return Buffer.from(out);
}

function longestMatch(
  plain: Buffer,
  at: number,
  level: 1 | 2,
): { readonly length: number; readonly distance: number } | undefined {
  const furthest = Math.min(at, level === 1 ? 8192 : 8192 + 65_535);
  const longest = Math.min(plain.length - at, level === 1 ? 264 : Infinity);
  let best: { readonly length: number; readonly distance: number } | undefined;
  for (const distance of [1, 2, 3, 5, 8, 40, 255, 256, 257, 8191, 8192, 8193, 9000, 73_727, furthest]) {
    if (distance > furthest || distance < 1) continue;
    let length = 0;
    while (length < longest && plain[at + length - distance] === plain[at + length]) length += 1;
    if (length >= 3 && length > (best?.length ?? 0)) best = { length, distance };
  }
  return best;
}

/** Zeros, repeats from near and far, and noise. */
const content = fc
  .tuple(
    fc.array(
      fc.tuple(
        fc.integer({ min: 0, max: 3 }),
        fc.integer({ min: 1, max: 3000 }),
        fc.uint8Array({ minLength: 1, maxLength: 40 }),
      ),
      { minLength: 1, maxLength: 20 },
    ),
    fc.constantFrom(0, 9000, 75_000),
  )
  .map(([runs, gap]) => {
    const parts = runs.map(([kind, length, unit]) =>
      kind === 0
        ? Buffer.alloc(length)
        : kind === 1
          ? Buffer.alloc(length, Buffer.from(unit))
          : kind === 2
            ? Buffer.from(unit)
            : Buffer.alloc(length, unit[0]),
    );
    const body = Buffer.concat(parts);
    return gap === 0 ? body : Buffer.concat([body, Buffer.alloc(gap, 7), body]);
  });

const draws = fc.infiniteStream(fc.nat()).map(
  (stream): Draw =>
    (below) =>
      (stream.next().value as number) % below,
);

describe('unpacking fragments', () => {
  it.each([1, 2] as const)('FastLZ level %i gives back what was packed', (level) => {
    fc.assert(
      fc.property(content, draws, (plain, draw) => {
        const out = Buffer.alloc(plain.length, 0xee);
        const packed = fastlz(plain, level, draw);
        fc.pre(packed.length !== plain.length);
        decompress(2, packed, out);
        expect(out.equals(plain)).toBe(true);
      }),
      { numRuns: rounds(60) },
    );
  });

  it('SkipZ gives back what was packed, wherever its runs begin', () => {
    fc.assert(
      fc.property(content, draws, (plain, draw) => {
        const out = Buffer.alloc(plain.length, 0xee);
        const packed = skipz(plain, draw);
        fc.pre(packed.length !== plain.length);
        decompress(3, packed, out);
        expect(out.equals(plain)).toBe(true);
      }),
      { numRuns: rounds(100) },
    );
  });

  it('zlib gives back what was packed, and refuses what unpacks to more or less', () => {
    const plain = Buffer.alloc(4096, 'abc');
    const out = Buffer.alloc(4096, 0xee);
    decompress(1, deflateSync(plain), out);
    expect(out.equals(plain)).toBe(true);
    for (const length of [4095, 4097])
      expect(() => decompress(1, deflateSync(plain), Buffer.alloc(length))).toThrow(CausewayError);
    expect(() => decompress(1, deflateSync(Buffer.alloc(2 ** 26)), Buffer.alloc(4096))).toThrow(/inflate/);
  });

  it('never writes outside its fragment, whatever a hostile host sends', () => {
    const guard = 64;
    fc.assert(
      fc.property(
        fc.constantFrom(1, 2, 3, 4),
        fc.oneof(
          fc.uint8Array({ maxLength: 300 }),
          // Streams that were right before a byte of them changed reach further.
          fc
            .tuple(content, draws, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.constantFrom('skipz', 1, 2))
            .map(([plain, draw, at, byte, kind]) => {
              const packed = kind === 'skipz' ? skipz(plain, draw) : fastlz(plain, kind as 1 | 2, draw);
              packed[at % packed.length] = byte;
              return packed;
            }),
        ),
        fc.integer({ min: 1, max: 5000 }),
        (compression, input, length) => {
          const whole = Buffer.alloc(length + 2 * guard, 0xa5);
          try {
            decompress(compression, input, whole.subarray(guard, guard + length));
          } catch (error) {
            expect(error).toBeInstanceOf(CausewayError);
            expect((error as CausewayError).code).toBe('source.protocol');
          }
          expect(whole.subarray(0, guard).every((byte) => byte === 0xa5)).toBe(true);
          expect(whole.subarray(guard + length).every((byte) => byte === 0xa5)).toBe(true);
        },
      ),
      { numRuns: rounds(300) },
    );
  });
});
