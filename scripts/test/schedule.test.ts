import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readReport } from './outcome.ts';
import { runAll, type Task } from './schedule.ts';

const tasks = fc.array(
  fc.record({
    lane: fc.constantFrom('check', 'spec'),
    lease: fc.option(fc.constantFrom('lab', 'disk', 'guest'), { nil: undefined }),
    expectedSeconds: fc.integer({ min: 0, max: 9 }),
  }),
  { maxLength: 20 },
);

test('every task runs once, never more at a time than there are places, and never more with the same resource than there are of it', async () => {
  await fc.assert(
    fc.asyncProperty(tasks, fc.integer({ min: 1, max: 3 }), fc.scheduler(), async (given, places, scheduler) => {
      const running = new Set<Task>();
      const all = given.map((task, index) => ({ ...task, name: String(index) }));
      const ended = runAll(
        all,
        { check: 1, spec: places },
        async (task) => {
          running.add(task);
          const now = [...running];
          expect(now.filter(({ lane }) => lane === 'spec').length).toBeLessThanOrEqual(places);
          expect(now.filter(({ lane }) => lane === 'check').length).toBeLessThanOrEqual(1);
          const holding = (resource: string): number => now.filter(({ lease }) => lease === resource).length;
          expect([holding('lab') <= 1, holding('disk') <= 1, holding('guest') <= 2]).toEqual([true, true, true]);
          await scheduler.schedule(Promise.resolve());
          running.delete(task);
          return task.name;
        },
        { guest: 2 },
      );
      await scheduler.waitFor(ended);
      expect((await ended).toSorted()).toEqual(all.map(({ name }) => name).toSorted());
    }),
  );
});

test('the longest begin first, and a shorter one passes one that waits for a resource', async () => {
  const started: string[] = [];
  const task = (name: string, expectedSeconds: number, lease?: string): Task => ({
    name,
    lane: 'spec',
    expectedSeconds,
    lease,
  });
  await runAll(
    [task('short', 1), task('guest 2', 8, 'guests'), task('guest 1', 9, 'guests'), task('new', Infinity)],
    { spec: 2 },
    async ({ name }) => void started.push(name),
  );
  expect(started).toEqual(['new', 'guest 1', 'short', 'guest 2']);
});

test('a lane can have more places once another one has nothing left', async () => {
  const running = new Set<string>();
  const most = { before: 0, after: 0 };
  let isCheckOver = false;
  const all = [
    { name: 'check', lane: 'check', expectedSeconds: 1 },
    ...Array.from({ length: 12 }, (_, index) => ({ name: String(index), lane: 'spec', expectedSeconds: 1 })),
  ];
  await runAll(all, { check: 1, spec: (isOver) => (isOver('check') ? 3 : 2) }, async ({ name, lane }) => {
    if (lane === 'spec') running.add(name);
    const phase = isCheckOver ? 'after' : 'before';
    most[phase] = Math.max(most[phase], running.size);
    for (let turn = 0; turn < (lane === 'check' ? 9 : 4); turn++) await Promise.resolve();
    if (lane === 'check') isCheckOver = true;
    running.delete(name);
  });
  expect(most).toEqual({ before: 2, after: 3 });
});

test('a run that reports nothing, or fails without a failed test, counts as a failure', () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-report-'));
  try {
    const file = join(folder, 'report.json');
    expect(readReport(file, null, folder)).toMatchObject({
      passed: 0,
      failed: 1,
      failures: ['the test runner ended with a signal before it reported'],
    });
    const results = (tests: readonly object[]) => [
      { name: join(folder, 'a.spec.ts'), status: 'passed', message: '', assertionResults: tests },
    ];
    writeFileSync(
      file,
      JSON.stringify({
        numPassedTests: 1,
        numFailedTests: 0,
        numFailedTestSuites: 0,
        testResults: results([
          { fullName: 'runs', status: 'passed' },
          { fullName: 'waits', status: 'skipped' },
        ]),
      }),
    );
    expect(readReport(file, 0, folder)).toEqual({
      passed: 1,
      failed: 0,
      skipped: ['waits'],
      failures: [],
      failedFiles: [],
    });
    expect(readReport(file, 1, folder)).toMatchObject({ failed: 1, failures: ['the test runner ended with 1'] });
  } finally {
    rmSync(folder, { recursive: true });
  }
});
