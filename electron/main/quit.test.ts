import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunWatch } from '../workbench/run-watch.ts';
import { guardQuit, quitWhenIdle } from './quit.ts';
import { AppStandIn, type ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

function runs(active: number) {
  const listeners: ((active: number) => void)[] = [];
  const watch: RunWatch & { active: number } = { active, onChange: (listener) => void listeners.push(listener), onEnded: () => undefined };
  const become = (count: number): void => {
    watch.active = count;
    for (const listener of listeners) listener(count);
  };
  return { watch, become };
}
const settled = () => new Promise((resolve) => setImmediate(resolve));

beforeEach(() => {
  electron.seen.questions.length = 0;
  electron.answers.message = 0;
});

describe('quitting', () => {
  test('closes the engine first and asks nothing while nothing runs', async () => {
    const app = new AppStandIn();
    const closing = Promise.withResolvers<void>();
    guardQuit(app as never, runs(0).watch, () => closing.promise);
    app.quit();
    await settled();
    expect(app.quits).toBe(0);
    closing.resolve();
    await settled();
    expect(app.quits).toBe(1);
    expect(electron.seen.questions).toEqual([]);
  });

  test('asks while something runs, and stays when told so; later it asks again', async () => {
    const app = new AppStandIn();
    const close = vi.fn(async () => undefined);
    guardQuit(app as never, runs(2).watch, close);
    app.quit();
    app.quit(); // somebody is impatient: no second question
    await settled();
    expect(electron.seen.questions).toMatchObject([{ message: '2 runs are under way.', buttons: ['Stay', 'Cancel Them and Quit'], defaultId: 0, cancelId: 0 }]);
    expect(close).not.toHaveBeenCalled();
    electron.answers.message = 1;
    app.quit();
    await settled();
    expect(electron.seen.questions).toHaveLength(2);
    expect(close).toHaveBeenCalledTimes(1);
    expect(app.quits).toBe(1);
  });

  test('goes on when the engine could not be closed in good order', async () => {
    const app = new AppStandIn();
    guardQuit(app as never, runs(0).watch, () => Promise.reject(new Error('it hangs')));
    app.quit();
    await settled();
    expect(app.quits).toBe(1);
  });
});

describe('an app without a window', () => {
  const prepared = (active: number, platform: NodeJS.Platform, hasWindow = false) => {
    const app = new AppStandIn();
    const { watch, become } = runs(active);
    quitWhenIdle({ app: app as never, runs: watch, hasWindow: () => hasWindow, platform, afterwardsMs: 1 });
    return { app, become };
  };

  test('ends when nothing runs', () => {
    const { app } = prepared(0, 'linux');
    app.emit('window-all-closed');
    expect(app.quits).toBe(1);
  });

  test('stays while something runs, and ends a while after it', async () => {
    const { app, become } = prepared(1, 'win32');
    app.emit('window-all-closed');
    expect(app.quits).toBe(0);
    become(0);
    await expect.poll(() => app.quits).toBe(1);
  });

  test('stays for a run that started before the while was over', async () => {
    const { app, become } = prepared(1, 'linux');
    become(0);
    become(1);
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(app.quits).toBe(0);
  });

  test('stays on macOS in any case', () => {
    const { app } = prepared(0, 'darwin');
    app.emit('window-all-closed');
    expect(app.listenerCount('window-all-closed')).toBe(1);
    expect(app.quits).toBe(0);
  });
});
