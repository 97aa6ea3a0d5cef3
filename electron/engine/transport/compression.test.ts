import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { deflateRawSync, inflateRawSync, zstdDecompressSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import {
  codecFor,
  compress,
  CompressionTuner,
  looksCompressible,
  type Codec,
  type CompressionPolicy,
} from './compression.ts';

const mebibyte = 1024 * 1024;

/** Runs writes of 1 MiB over a pretended link; returns the share of them that were compressed. */
function shareCompressed(
  policy: CompressionPolicy,
  rawRate: number,
  compressedRate: number,
  mebibytes: number,
  processors = 8,
  codec: Codec = 'deflate',
): number {
  let now = 0;
  let compressed = 0;
  const tuner = new CompressionTuner(policy, codec, { now: () => now, processors });
  for (let count = 0; count < mebibytes; count++) {
    const { epoch, compressing } = tuner;
    if (compressing) compressed++;
    now += (mebibyte / (compressing ? compressedRate : rawRate)) * 1000;
    tuner.acknowledged(epoch, mebibyte);
  }
  return compressed / mebibytes;
}

describe('the compression tuner', () => {
  it('compresses where that brings more across', () => {
    expect(shareCompressed('auto', 10e6, 25e6, 500)).toBeGreaterThan(0.8);
  });

  it('leaves it where it brings nothing', () => {
    expect(shareCompressed('auto', 100e6, 100e6, 2000)).toBeLessThan(0.05);
  });

  it('does not even try on a link that no compressor keeps up with', () => {
    expect(shareCompressed('auto', 900e6, 200e6, 5000)).toBe(0);
  });

  it('does not even try where too few processors could keep up', () => {
    expect(shareCompressed('auto', 300e6, 100e6, 2000, 2)).toBe(0);
    expect(shareCompressed('auto', 300e6, 450e6, 2000, 8)).toBeGreaterThan(0.8);
  });

  it('tries a cheap codec on links that are too fast for a dear one', () => {
    expect(shareCompressed('auto', 250e6, 400e6, 2000, 2, 'zstd')).toBeGreaterThan(0.8);
    expect(shareCompressed('auto', 900e6, 200e6, 5000, 2, 'zstd')).toBe(0);
  });

  it('compares on a long way only where compressing does not keep up', () => {
    const shareOn = (isBusy: () => boolean, rawRate: number): number => {
      let now = 0;
      let compressed = 0;
      const tuner = new CompressionTuner('auto', 'zstd', { longWay: true, isBusy, now: () => now });
      for (let count = 0; count < 1000; count++) {
        const { epoch, compressing } = tuner;
        if (compressing) compressed++;
        now += (mebibyte / (compressing ? 20e6 : rawRate)) * 1000;
        tuner.acknowledged(epoch, mebibyte);
      }
      return compressed / 1000;
    };
    expect(shareOn(() => false, 10e6)).toBe(1);
    expect(shareOn(() => true, 10e6)).toBeGreaterThan(0.8);
    expect(shareOn(() => true, 100e6)).toBeLessThan(0.2);
  });

  it('does not count on a long way what came while the link filled, and compresses where there is no difference', () => {
    let now = 0;
    let sent = 0;
    const tuner = new CompressionTuner('auto', 'zstd', { longWay: true, isBusy: () => true, now: () => now });
    for (let count = 0; count < 600; count++) {
      const { epoch, compressing } = tuner;
      now += (mebibyte / (sent < 16 * mebibyte ? 30e6 : compressing ? 100e6 : 105e6)) * 1000;
      sent += mebibyte;
      tuner.acknowledged(epoch, mebibyte);
    }
    expect(tuner.compressing).toBe(true);
  });

  it('does as it is told', () => {
    expect(shareCompressed('always', 900e6, 100e6, 100)).toBe(1);
    expect(shareCompressed('never', 1e6, 100e6, 100)).toBe(0);
  });

  it('asks again when the link has changed', () => {
    let now = 0;
    const tuner = new CompressionTuner('auto', 'zstd', { now: () => now });
    const run = (seconds: number, rate: (compressing: boolean) => number): boolean => {
      for (const end = now + seconds * 1000; now < end;) {
        const { epoch, compressing } = tuner;
        now += (mebibyte / rate(compressing)) * 1000;
        tuner.acknowledged(epoch, mebibyte);
      }
      return tuner.compressing;
    };
    expect(run(20, () => 100e6)).toBe(false);
    expect(run(60, (compressing) => (compressing ? 30e6 : 10e6))).toBe(true);
  });
});

describe('compression', () => {
  const codecs = [
    ['zstd', zstdDecompressSync],
    ['deflate', inflateRawSync],
  ] as const;

  it('tells what is far from noise by samples', () => {
    const text = Buffer.from('All work and no play makes Jack a dull boy. '.repeat(30_000));
    const noise = randomBytes(mebibyte);
    const half = Buffer.concat([noise.subarray(0, mebibyte / 2), text.subarray(0, mebibyte / 2)]);
    const programs = readFileSync(process.execPath).subarray(0, mebibyte);
    expect(
      [text, programs, half, noise.subarray(0, 2000).fill('ab'), text.subarray(0, 600)].map(looksCompressible),
    ).toEqual(Array(5).fill(true));
    expect([randomBytes(mebibyte), deflateRawSync(programs), Buffer.alloc(100)].map(looksCompressible)).toEqual([
      false,
      false,
      false,
    ]);
  });

  it.each(codecs)('gives what unpacks to the same, or nothing when nothing is saved (%s)', async (codec, unpack) => {
    const text = Buffer.from('0123456789'.repeat(10_000));
    expect(unpack((await compress(text, codec)) ?? Buffer.alloc(0))).toEqual(text);
    expect(await compress(randomBytes(100_000), codec)).toBeUndefined();
  });

  it('takes zstd where the worker has it', () => {
    expect([codecFor(['deflate', 'zstd']), codecFor(['deflate', 'read'])]).toEqual(['zstd', 'deflate']);
  });
});
