import { expect, test } from 'vitest';
import { fixedVhdFooter, isVhdFooter } from './vhd-footer.ts';

const MIB = 2 ** 20;

test('a footer that is written is one that is read, with the size of the disk and a geometry that fits', () => {
  for (const size of [3 * MIB, 1024 * MIB, 40_000 * MIB, 32 * 2 ** 40]) {
    const footer = fixedVhdFooter(size);
    expect(isVhdFooter(footer)).toBe(true);
    expect([footer.readBigUInt64BE(48), footer.readUInt32BE(60)]).toEqual([BigInt(size), 2]);
    const [cylinders, heads, sectors] = [footer.readUInt16BE(56), footer.readUInt8(58), footer.readUInt8(59)];
    expect(cylinders * heads * sectors * 512).toBeLessThanOrEqual(size);
    expect([cylinders > 0, heads <= 16]).toEqual([true, true]);
  }
});
