import { randomBytes } from 'node:crypto';
import { inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { pack, packedPieceBytes, packersAreBusy } from './packer.ts';

const unpackers = { zstd: zstdDecompressSync, deflate: inflateRawSync };

function shared(bytes: Uint8Array): Buffer {
  const copy = Buffer.from(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}

describe.each(['zstd', 'deflate'] as const)('packing by %s', (codec) => {
  it('gives what unpacks to the same, in shared memory as well as outside of it, also for many at once', async () => {
    const pieces = [1, 2, 3, 4].map((seed) =>
      Buffer.concat([Buffer.alloc(packedPieceBytes - 5000 * seed, `line ${seed} `), randomBytes(4000)]),
    );
    for (let round = 0; round < 3; round++) {
      const packed = await Promise.all(pieces.map((piece) => pack(round === 0 ? piece : shared(piece), codec)));
      for (const [index, piece] of pieces.entries()) {
        expect(unpackers[codec](packed[index]?.bytes ?? Buffer.alloc(0)).equals(piece)).toBe(true);
        packed[index]?.release();
      }
      expect(packersAreBusy()).toBe(false);
    }
  });

  it('leaves noise as it is', async () => {
    expect(await pack(shared(randomBytes(packedPieceBytes)), codec)).toBeUndefined();
    expect(await pack(randomBytes(10_000), codec)).toBeUndefined();
  });

  it('takes pieces of any length', async () => {
    const piece = Buffer.alloc(3 * packedPieceBytes + 17, 'abc');
    expect(unpackers[codec]((await pack(shared(piece), codec))?.bytes ?? Buffer.alloc(0)).equals(piece)).toBe(true);
    expect(
      unpackers[codec]((await pack(shared(piece.subarray(0, 900)), codec))?.bytes ?? Buffer.alloc(0)).equals(
        piece.subarray(0, 900),
      ),
    ).toBe(true);
  });

  it('gives memory to no second piece before it is released', async () => {
    const first = await pack(shared(Buffer.alloc(packedPieceBytes, 'first ')), codec);
    const second = await pack(shared(Buffer.alloc(packedPieceBytes, 'second ')), codec);
    expect(unpackers[codec](first?.bytes ?? Buffer.alloc(0)).toString('latin1', 0, 6)).toBe('first ');
    expect(unpackers[codec](second?.bytes ?? Buffer.alloc(0)).toString('latin1', 0, 7)).toBe('second ');
    first?.release();
    second?.release();
  });
});
