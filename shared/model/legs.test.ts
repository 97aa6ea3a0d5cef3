import { expect, test } from 'vitest';
import { legsText, measuredLegs } from './legs.ts';

const MiB = 1024 * 1024;

test('each leg has the rate of its own side before compression, however long the other one took', () => {
  const disks = [
    {
      bytesRead: 90 * MiB,
      bytesChanged: 50 * MiB,
      bytesZeroed: 30 * MiB,
      bytesSent: MiB,
      sourceSeconds: 3,
      destinationSeconds: 9,
    },
    {
      bytesRead: 10 * MiB,
      bytesChanged: 20 * MiB,
      bytesZeroed: 0,
      bytesSent: 5 * MiB,
      sourceSeconds: 1,
      destinationSeconds: 1,
    },
  ];
  expect(measuredLegs(disks)).toEqual({ source: 25 * MiB, destination: 4 * MiB });
  expect(legsText(measuredLegs(disks))).toBe('source at 25.0 MiB/s, destination at 4.00 MiB/s');
});

test('a few bytes, or executions from before it was measured, say nothing', () => {
  expect(measuredLegs([{ bytesRead: 1000, bytesChanged: 500 * MiB, sourceSeconds: 1 }, { bytesRead: 'many' }])).toEqual(
    { source: undefined, destination: undefined },
  );
  expect(legsText(measuredLegs([]))).toBe('');
});
