import { expect, test } from 'vitest';
import type { ExecutionProgress, TransferProgress } from '../../../shared/model/progress.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { progressLines, progressSentence } from './progress-bars.ts';
import { duration } from './quantities.ts';
import { table } from './table.ts';

const disk = (diskId: string, rest: Partial<TransferProgress>) => ({
  diskId, phase: 'copying' as const, bytesTotal: 1024 ** 3, bytesDone: 0, bytesSent: 0, rateBytesPerSecond: 0, stalledForSeconds: 0, ...rest,
});
const half = disk('vda', { bytesDone: 512 * 1024 ** 2, bytesSent: 100 * 1024 ** 2, rateBytesPerSecond: 50 * 1024 ** 2, secondsLeft: 10.24 });
const progress = (...disks: ReturnType<typeof disk>[]): ExecutionProgress => ({ executionId: 'e', total: disks[0] ?? half, disks });

test('a bar says how far, how fast and how long', () => {
  expect(progressLines(progress(half), 200)).toEqual([
    'vda   ████████████░░░░░░░░░░░░  50%  copying   512 MiB of 1.00 GiB, 100 MiB sent, 50.0 MiB/s, 10 s left',
  ]);
});
test('a stall takes the place of a time that nobody knows', () => {
  expect(progressSentence(progress(disk('vda', { stalledForSeconds: 75 })))).toBe('copying 0%, 0 B of 1.00 GiB, 0 B sent, 0 B/s, stalled for 1:15 min');
});
test('it is not at 100 % before it is done', () => {
  expect(progressSentence(progress(disk('vda', { phase: 'flushing', bytesDone: 1024 ** 3 })))).toMatch(/^flushing 99%/);
  expect(progressSentence(progress(disk('vda', { phase: 'done', bytesTotal: 0 })))).toMatch(/^done 100%/);
});
test('several disks have a total, and no line is wider than the terminal', () => {
  const lines = progressLines(progress(half, disk('vdb', {})), 60);
  expect([lines.length, lines.every((line) => line.length < 60), lines.at(-1)?.startsWith('total')]).toEqual([3, true, true]);
});
test('quantities are short', () => {
  expect([bytes(0), bytes(1536), bytes(5e12), duration(59.6), duration(3700)]).toEqual(['0 B', '1.50 KiB', '4.55 TiB', '1:00 min', '1:01 h']);
});
test('columns line up', () => {
  expect(table(['id', 'name'], [['a', 'x'], ['long', undefined]])).toBe('ID    NAME\na     x\nlong  -\n');
});
