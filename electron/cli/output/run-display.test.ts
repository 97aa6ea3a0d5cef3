import { describe, expect, test } from 'vitest';
import type { Event } from '../../../shared/model/event.ts';
import type { ExecutionProgress, TransferProgress } from '../../../shared/model/progress.ts';
import { bytes } from '../../../shared/model/quantities.ts';
import { progressLines, progressSentence } from './progress-bars.ts';
import { duration, table } from './print.ts';
import { plainDisplay, terminalDisplay } from './run-display.ts';

const disk = (diskId: string, rest: Partial<TransferProgress>) => ({
  diskId,
  phase: 'copying' as const,
  bytesTotal: 1024 ** 3,
  bytesDone: 0,
  bytesSent: 0,
  rateBytesPerSecond: 0,
  stalledForSeconds: 0,
  ...rest,
});
const half = disk('vda', {
  bytesDone: 512 * 1024 ** 2,
  bytesSent: 100 * 1024 ** 2,
  rateBytesPerSecond: 50 * 1024 ** 2,
  secondsLeft: 10.24,
});
const progress = (...disks: ReturnType<typeof disk>[]): ExecutionProgress => ({
  executionId: 'e',
  total: disks[0] ?? half,
  disks,
});

test('a bar says how far, how fast and how long', () => {
  expect(progressLines(progress(half), 200)).toEqual([
    'vda   ████████████░░░░░░░░░░░░  50%  copying   512 MiB of 1.00 GiB, 100 MiB sent, 50.0 MiB/s, 10 s left',
  ]);
});
test('a stall takes the place of a time that nobody knows', () => {
  expect(progressSentence(progress(disk('vda', { stalledForSeconds: 75 })))).toBe(
    'copying 0%, 0 B of 1.00 GiB, 0 B sent, 0 B/s, stalled for 1:15 min',
  );
});
test('it is not at 100 % before it is done', () => {
  expect(progressSentence(progress(disk('vda', { phase: 'flushing', bytesDone: 1024 ** 3 })))).toMatch(/^flushing 99%/);
  expect(progressSentence(progress(disk('vda', { phase: 'done', bytesTotal: 0 })))).toMatch(/^done 100%/);
});
test('several disks have a total, and no line is wider than the terminal', () => {
  const lines = progressLines(progress(half, disk('vdb', {})), 60);
  expect([lines.length, lines.every((line) => line.length < 60), lines.at(-1)?.startsWith('total')]).toEqual([
    3,
    true,
    true,
  ]);
});
test('in a narrow terminal the less important goes, and nothing is cut off in its middle', () => {
  expect([100, 80, 60, 50].map((columns) => progressLines(progress(half), columns)[0])).toEqual([
    'vda   ████████████░░░░░░░░░░░░  50%  copying   512 MiB of 1.00 GiB, 50.0 MiB/s, 10 s left',
    'vda   ████░░░░  50%  copying   512 MiB of 1.00 GiB, 50.0 MiB/s, 10 s left',
    'vda   ████░░░░  50%  50.0 MiB/s, 10 s left',
    'vda   ████░░░░  50%  50.0 MiB/s, 10 s left',
  ]);
});
test('a disk that is copied has no rate and no time left', () => {
  expect(progressSentence(progress({ ...half, phase: 'flushing' }))).toBe(
    'flushing 50%, 512 MiB of 1.00 GiB, 100 MiB sent',
  );
});
test('quantities are short', () => {
  expect([bytes(0), bytes(1536), bytes(5e12), duration(59.6), duration(3700)]).toEqual([
    '0 B',
    '1.50 KiB',
    '4.55 TiB',
    '1:00 min',
    '1:01 h',
  ]);
  expect([bytes(1023), bytes(9.999 * 1024), bytes(99.99 * 1024), bytes(1023.9 * 1024)]).toEqual([
    '1023 B',
    '10.0 KiB',
    '100 KiB',
    '1.00 MiB',
  ]);
});
test('columns line up', () => {
  expect(
    table(
      ['id', 'name'],
      [
        ['a', 'x'],
        ['long', undefined],
      ],
    ),
  ).toBe('ID    NAME\na     x\nlong  -\n');
});

/** What a terminal shows in the end, and what of it is still redrawn, from what was written to it. */
function screen(rows = 24) {
  const lines: string[] = [];
  const stdout = {
    columns: 200,
    rows,
    write(text: string): boolean {
      const [, up = '0', rest = ''] = /^(?:\x1b\[(\d+)A\x1b\[0J)?([^]*)$/.exec(text) ?? [];
      lines.splice(lines.length - Number(up));
      lines.push(...rest.split('\n').slice(0, -1));
      return true;
    },
  };
  return { stdout, lines };
}
const task = (message: string, state: string, taskId = 'copy'): Event => ({
  id: 1,
  at: '',
  type: 'task.state',
  executionId: 'e',
  taskId,
  message,
  details: { state },
});

describe('on a terminal', () => {
  test('what is being done stands above the bars, what is done scrolls', () => {
    const { stdout, lines } = screen();
    const display = terminalDisplay(stdout);
    display.event(task('Start the worker', 'running', 'start'));
    display.event(task('Start the worker: completed', 'completed', 'start'));
    display.event(task('Copy', 'running'));
    display.progress(progress(half));
    expect(lines).toEqual(['Start the worker: completed', 'Copy …', progressLines(progress(half), 200)[0]]);
    display.event(task('Copy: completed', 'completed'));
    display.end('e');
    stdout.write('Execution 1 is completed.\n');
    expect(lines).toEqual([
      'Start the worker: completed',
      'Copy: completed',
      progressLines(progress(half), 200)[0],
      'Execution 1 is completed.',
    ]);
  });

  test('a notice does not tear the bars apart', () => {
    const { stdout, lines } = screen();
    const display = terminalDisplay(stdout);
    display.progress(progress(half));
    display.notice('Cancelling');
    display.progress(progress(half));
    expect(lines).toEqual(['Cancelling', progressLines(progress(half), 200)[0]]);
  });

  test('several executions have their names, and each keeps its last numbers', () => {
    const { stdout, lines } = screen();
    const display = terminalDisplay(stdout, (id) => `replica ${id}`);
    display.progress({ ...progress(half), executionId: 'a' });
    display.progress({ ...progress(half), executionId: 'b' });
    display.end('a');
    display.end('b');
    const [bar] = progressLines(progress(half), 200);
    expect(lines).toEqual(['replica a', bar, 'replica b', bar]);
  });

  test('more disks than rows are not drawn over each other: some are left out, the total stays', () => {
    const { stdout, lines } = screen(8);
    const display = terminalDisplay(stdout);
    display.progress(progress(...Array.from({ length: 20 }, (_, index) => disk(`disk-${index}`, {}))));
    expect(lines).toHaveLength(7);
    expect([lines[4]?.slice(0, 6), lines[5], lines[6]?.slice(0, 5)]).toEqual(['disk-4', '… and 15 more', 'total']);
  });
});

describe('in a log', () => {
  test('the numbers come when the phase changes, and else seldom', () => {
    const written: string[] = [];
    const output = { write: (text: string) => written.push(text) > 0 };
    const display = plainDisplay({ stdout: output, stderr: output });
    for (const phase of ['copying', 'copying', 'verifying', 'verifying'] as const)
      display.progress(progress({ ...half, phase }));
    expect(written.map((line) => line.trim().split(' ')[0])).toEqual(['copying', 'verifying']);
  });
});
