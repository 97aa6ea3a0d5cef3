import { describe, expect, it } from 'vitest';
import { ChunkSize } from './chunk-size.ts';

const MiB = 1024 * 1024;

describe('how large chunks are', () => {
  it('grows on a fast way up to the largest', () => {
    const size = new ChunkSize(MiB, 4 * MiB);
    for (let chunk = 0; chunk < 5; chunk++) size.took(20, size.bytes);
    expect(size.bytes).toBe(4 * MiB);
  });

  it('shrinks on a slow way down to the smallest, and stays where neither is so', () => {
    const size = new ChunkSize(MiB, 4 * MiB);
    for (let chunk = 0; chunk < 5; chunk++) size.took(20, size.bytes);
    size.took(300, 4 * MiB);
    expect(size.bytes).toBe(4 * MiB);
    for (let chunk = 0; chunk < 5; chunk++) size.took(3000, size.bytes);
    expect(size.bytes).toBe(MiB);
  });

  it('learns nothing from chunks that were cut short', () => {
    const size = new ChunkSize(MiB, 4 * MiB);
    size.took(1, 65536);
    expect(size.bytes).toBe(MiB);
  });
});
