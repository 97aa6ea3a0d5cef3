import fc from 'fast-check';
import { expect, it } from 'vitest';
import { copyBytes } from './copy-bytes.ts';

const memory = fc.constantFrom(
  (bytes: number) => new ArrayBuffer(bytes),
  (bytes: number) => new SharedArrayBuffer(bytes),
);

it('copies as `set` does, between memory of all kinds and at any place', () => {
  fc.assert(
    fc.property(
      memory,
      memory,
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(9),
      fc.nat(9),
      fc.nat(9),
      fc.boolean(),
      (from, to, content, skip, at, rest, asBuffer) => {
        const source = new Uint8Array(from(skip + content.length), skip);
        source.set(content);
        const place = to(skip + at + content.length + rest);
        const target = asBuffer ? Buffer.from(place, skip) : new Uint8Array(place, skip);
        target.fill(7);
        const expected = Uint8Array.from(target);
        expected.set(content, at);
        copyBytes(source, target, at);
        expect(Uint8Array.from(target)).toEqual(expected);
        expect(new Uint8Array(place, 0, skip).every((byte) => byte === 0)).toBe(true);
      },
    ),
  );
});

it('refuses what does not fit, and leaves everything as it was', () => {
  const target = new Uint8Array(new SharedArrayBuffer(4));
  expect(() => copyBytes(Uint8Array.of(1, 2, 3), target, 2)).toThrow(RangeError);
  expect(() => copyBytes(new Uint8Array(0), target, 5)).toThrow(RangeError);
  expect([...target]).toEqual([0, 0, 0, 0]);
});
