import { expect, test } from 'vitest';
import { chunkExtents } from './chunk-extents.ts';

const chunk = (start: number, length: number, place: number) => ({ start, length, physical_start: place });

test('holes read as zeros, and the last cluster is cut at the end of the disk', () => {
  expect(chunkExtents([chunk(100, 100, 5000), chunk(0, 50, 9000)], undefined, 180, 'disk')).toEqual([
    { offset: 0, length: 50, kind: 'data' },
    { offset: 50, length: 50, kind: 'zero' },
    { offset: 100, length: 80, kind: 'data' },
  ]);
  expect(chunkExtents([], undefined, 10, 'disk')).toEqual([{ offset: 0, length: 10, kind: 'zero' }]);
});

test('what lies where it lay is unchanged, however the chunks are cut', () => {
  expect(chunkExtents([chunk(0, 100, 5000)], [chunk(0, 30, 5000), chunk(30, 70, 5030)], 100, 'disk')).toEqual([]);
});

test('what moved is data, what became a hole is zero, what was written into a hole is data', () => {
  const base = [chunk(0, 100, 5000), chunk(200, 100, 6000)];
  const now = [chunk(0, 40, 5000), chunk(40, 20, 7000), chunk(60, 40, 5060), chunk(300, 50, 8000)];
  expect(chunkExtents(now, base, 400, 'disk')).toEqual([
    { offset: 40, length: 20, kind: 'data' },
    { offset: 200, length: 100, kind: 'zero' },
    { offset: 300, length: 50, kind: 'data' },
  ]);
});

test('neighbours in the file that lie apart on the repository are compared each by its own place', () => {
  expect(chunkExtents([chunk(0, 50, 5000), chunk(50, 50, 1000)], [chunk(0, 100, 5000)], 100, 'disk')).toEqual([
    { offset: 50, length: 50, kind: 'data' },
  ]);
});

test('overlapping chunks are refused', () => {
  expect(() => chunkExtents([chunk(0, 60, 1), chunk(50, 50, 100)], undefined, 100, 'disk')).toThrow('overlapping');
});
