import { describe, expect, test } from 'vitest';
import { matchVolumes } from './match-volumes.ts';

const GiB = 1024 ** 3;
const serialA = '0c6e1f5e-3f5c-4f8e-9f0a-aaaaaaaaaaaa';
const serialB = '0c6e1f5e-3f5c-4f8e-9f0b-bbbbbbbbbbbb';
const volume = (id: string, serial: string, sizeBytes = GiB) => ({ id, diskId: id, serial, sizeBytes, isNew: false });
const device = (path: string, serial: string, sizeBytes = GiB, inUse = false) => ({ path, serial, sizeBytes, inUse });

describe('matching volumes to devices', () => {
  test('goes by serial, whatever the names and the order', () => {
    const matched = matchVolumes([volume('a', serialA), volume('b', serialB)], [device('/dev/vdb', serialB), device('/dev/vdc', serialA)]);
    expect([matched.get('a')?.path, matched.get('b')?.path]).toEqual(['/dev/vdc', '/dev/vdb']);
  });
  test('takes the first 20 characters of a serial where that is all there is', () => {
    expect(matchVolumes([volume('a', serialA)], [device('/dev/vdb', serialA.slice(0, 20))]).get('a')?.path).toBe('/dev/vdb');
  });
  test.each([
    ['a prefix shorter than 20', [device('/dev/vdb', serialA.slice(0, 19))]],
    ['no serial', [device('/dev/vdb', '')]],
    ['a device that is too small', [device('/dev/vdb', serialA, GiB - 512)]],
    ['a device that is far too large', [device('/dev/vdb', serialA, 3 * GiB)]],
    ['a device in use', [device('/dev/vdb', serialA, GiB, true)]],
    ['two that fit', [device('/dev/vdb', serialA), device('/dev/vdc', serialA.slice(0, 20))]],
  ])('refuses %s', (_, devices) => {
    expect(() => matchVolumes([volume('a', serialA)], devices)).toThrowError(expect.objectContaining({ code: 'engine.volume-not-matched' }));
  });
  test('refuses one device for two volumes', () => {
    expect(() => matchVolumes([volume('a', serialA), volume('b', serialB)], [device('/dev/vdb', serialA.slice(0, 20))])).toThrowError(/as well/);
  });
});
