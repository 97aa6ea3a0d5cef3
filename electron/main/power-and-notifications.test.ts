import { afterEach, describe, expect, test, vi } from 'vitest';
import type { EndedRun, RunWatch } from '../workbench/run-watch.ts';
import { reloadAfterCrash } from './renderer-crash.ts';
import { keepAwakeWhileRunning, notifyOfEnds, onWake } from './power-and-notifications.ts';
import { WebContentsStandIn, type ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

function runs() {
  const changes: ((active: number) => void)[] = [];
  const ends: ((run: EndedRun) => void)[] = [];
  const watch: RunWatch = {
    active: 0,
    onChange: (listener) => void changes.push(listener),
    onEnded: (listener) => void ends.push(listener),
  };
  return {
    watch,
    become: (count: number) => changes.forEach((listener) => listener(count)),
    end: (run: EndedRun) => ends.forEach((listener) => listener(run)),
  };
}
afterEach(() => {
  electron.seen.notifications.length = 0;
  electron.powerMonitor.removeAllListeners();
});

test('the computer is kept awake by one blocker while anything runs, and released after', () => {
  const { watch, become } = runs();
  keepAwakeWhileRunning(watch);
  become(1);
  become(3);
  expect([...electron.seen.blockers.values()]).toEqual(['prevent-app-suspension']);
  become(0);
  expect(electron.seen.blockers.size).toBe(0);
  become(1);
  become(0);
  expect(electron.seen.blockers.size).toBe(0);
});

describe('sleep', () => {
  test('is measured from suspend to resume', () => {
    const woke = vi.fn();
    let now = 1000;
    onWake(woke, () => now);
    electron.powerMonitor.emit('suspend');
    now = 3_601_000;
    electron.powerMonitor.emit('resume');
    expect(woke.mock.calls).toEqual([[3_600_000]]);
  });

  test('is never negative, and zero where only the waking was told', () => {
    const woke = vi.fn();
    let now = 1000;
    onWake(woke, () => now);
    electron.powerMonitor.emit('resume');
    electron.powerMonitor.emit('suspend');
    now = 500;
    electron.powerMonitor.emit('resume');
    expect(woke.mock.calls).toEqual([[0], [0]]);
  });
});

describe("the notification of a run's end", () => {
  const ended: EndedRun = {
    kind: 'execution',
    id: 'exe_1',
    replicaId: 'rep_1',
    state: 'failed',
    message: 'the execution failed: The disk is full',
  };
  const options = (isLookedAt: boolean, show = vi.fn()) => ({
    isLookedAt: () => isLookedAt,
    nameOf: async () => 'web-01',
    show,
    log: vi.fn(),
  });

  test('names the machine and what happened, and brings the window back', async () => {
    const { watch, end } = runs();
    const show = vi.fn();
    notifyOfEnds(watch, options(false, show));
    end(ended);
    await expect.poll(() => electron.seen.notifications).toHaveLength(1);
    const [notification] = electron.seen.notifications;
    expect(notification!.options).toEqual({
      title: 'web-01: replication failed',
      body: 'the execution failed: The disk is full',
    });
    notification!.emit('click');
    expect(show).toHaveBeenCalledTimes(1);
  });

  test('that the system refuses is in the log', async () => {
    const { watch, end } = runs();
    const given = options(false);
    notifyOfEnds(watch, given);
    end(ended);
    await expect.poll(() => electron.seen.notifications).toHaveLength(1);
    electron.seen.notifications[0]!.emit('failed', {}, 'no shortcut');
    expect(given.log.mock.calls).toEqual([['a notification was not shown: no shortcut']]);
  });

  test('is not shown to somebody who looks at the window', async () => {
    const { watch, end } = runs();
    notifyOfEnds(watch, options(true));
    end(ended);
    await new Promise((resolve) => setImmediate(resolve));
    expect(electron.seen.notifications).toEqual([]);
  });
});

describe('a page whose process is gone', () => {
  test('is loaded again once; the second time a person decides', async () => {
    const contents = new WebContentsStandIn();
    const log: string[] = [];
    let now = 0;
    reloadAfterCrash(
      contents as never,
      (message) => log.push(message),
      () => now,
    );
    contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 139 });
    expect(contents.reloads).toBe(1);
    now = 1000;
    electron.answers.message = 1;
    contents.emit('render-process-gone', {}, { reason: 'oom', exitCode: 1 });
    await new Promise((resolve) => setImmediate(resolve));
    expect(contents.reloads).toBe(1);
    expect(electron.seen.questions.at(-1)).toMatchObject({ buttons: ['Load Again', 'Leave It'] });
    now = 100_000;
    contents.emit('render-process-gone', {}, { reason: 'crashed', exitCode: 139 });
    expect(contents.reloads).toBe(2);
    expect(log).toHaveLength(3);
  });

  test('is left alone when it ended in good order', () => {
    const contents = new WebContentsStandIn();
    reloadAfterCrash(contents as never, () => undefined);
    contents.emit('render-process-gone', {}, { reason: 'clean-exit', exitCode: 0 });
    expect(contents.reloads).toBe(0);
  });
});
