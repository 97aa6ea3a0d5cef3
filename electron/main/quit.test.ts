import { beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunWatch } from '../workbench/run-watch.ts';
import { guardQuit, quitWhenIdle } from './quit.ts';
import { AppStandIn, createElectron, preventable, type ElectronStandIn } from './testing/electron-stand-in.ts';
import { askBeforeUnload } from './unsaved-changes.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

function runs(active: number) {
  const listeners: ((active: number) => void)[] = [];
  const watch: RunWatch & { active: number } = {
    active,
    onChange: (listener) => void listeners.push(listener),
    onEnded: () => undefined,
  };
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

/** An app with one window, as Electron closes it. */
function openApp(active: number, close: () => Promise<void> = async () => undefined, showAfterMs = 60_000) {
  const { app, BrowserWindow } = createElectron();
  const window = new BrowserWindow({});
  const shown: string[] = [];
  const quit = guardQuit({
    app: app as never,
    runs: runs(active).watch,
    close,
    showAfterMs,
    showClosing: (count) => {
      shown.push(`shown: ${count}`);
      return () => void shown.push('hidden');
    },
  });
  askBeforeUnload(window.webContents as never, quit.isSessionEnding);
  quit.watchSession(window as never);
  return { app, window, quit, shown };
}

describe('quitting', () => {
  test('stops the engine before the app ends, and asks nothing while nothing runs', async () => {
    const closing = Promise.withResolvers<void>();
    const { app, quit } = openApp(0, () => closing.promise);
    app.quit();
    await settled();
    expect(app.quits).toBe(0);
    expect(quit.isClosing()).toBe(true);
    app.quit(); // somebody is impatient
    closing.resolve();
    await settled();
    expect(app.quits).toBe(1);
    expect(electron.seen.questions).toEqual([]);
  });

  test('asks while something runs, and stays if the answer is no; later it asks again', async () => {
    const close = vi.fn(async () => undefined);
    const { app, window } = openApp(2, close);
    app.quit();
    app.quit(); // no second question
    await settled();
    expect(electron.seen.questions).toMatchObject([
      { message: '2 executions are running.', buttons: ['Stay', 'Cancel Them and Quit'], defaultId: 0, cancelId: 0 },
    ]);
    expect(close).not.toHaveBeenCalled();
    expect(window.isDestroyed()).toBe(false);
    electron.answers.message = 1;
    app.quit();
    await settled();
    expect(electron.seen.questions).toHaveLength(2);
    expect(close).toHaveBeenCalledTimes(1);
    expect(app.quits).toBe(1);
  });

  test('ends nothing when the page has unsaved changes that are to be kept, however often it is tried', async () => {
    const close = vi.fn(async () => undefined);
    const { app, window, quit } = openApp(0, close);
    window.webContents.isDirty = true;
    for (const attempt of [1, 2]) {
      app.quit();
      await settled();
      expect(electron.seen.questions).toHaveLength(attempt);
    }
    expect(electron.seen.questions[0]).toMatchObject({
      message: 'Discard unsaved changes?',
      buttons: ['Keep Editing', 'Discard Changes'],
      defaultId: 0,
      cancelId: 0,
    });
    expect([window.isDestroyed(), quit.isClosing(), app.quits]).toEqual([false, false, 0]);
    expect(close).not.toHaveBeenCalled();
    electron.answers.message = 1;
    app.quit();
    await settled();
    expect(close).toHaveBeenCalledTimes(1);
    expect(app.quits).toBe(1);
  });

  test('asks about executions again after a page has objected', async () => {
    const close = vi.fn(async () => undefined);
    const { app, window } = openApp(1, close);
    window.webContents.isDirty = true;
    const answer = vi
      .spyOn(electron.dialog, 'showMessageBox')
      .mockResolvedValue({ response: 1, checkboxChecked: false });
    app.quit();
    await settled();
    app.quit();
    await settled();
    expect(answer).toHaveBeenCalledTimes(2);
    expect(close).not.toHaveBeenCalled();
    answer.mockRestore();
  });

  test('shows that it closes when that takes a while', async () => {
    const closing = Promise.withResolvers<void>();
    const { app, shown } = openApp(0, () => closing.promise, 1);
    app.quit();
    await expect.poll(() => shown).toEqual(['shown: 0']);
    closing.resolve();
    await expect.poll(() => app.quits).toBe(1);
    expect(shown).toEqual(['shown: 0', 'hidden']);
  });

  test('ends also when the engine did not stop in good order', async () => {
    const { app } = openApp(0, () => Promise.reject(new Error('it hangs')));
    app.quit();
    await settled();
    expect(app.quits).toBe(1);
  });
});

describe('a window with unsaved changes', () => {
  test('is closed only after a question', () => {
    const { window } = openApp(0);
    window.webContents.isDirty = true;
    window.close();
    expect(window.isDestroyed()).toBe(false);
    electron.answers.message = 1;
    window.close();
    expect(window.isDestroyed()).toBe(true);
  });
});

describe('the end of a Windows session', () => {
  test('waits for executions to be cancelled, and asks nothing', async () => {
    const closing = Promise.withResolvers<void>();
    const { app, window } = openApp(1, () => closing.promise);
    window.webContents.isDirty = true;
    const event = preventable({ reasons: ['shutdown'] });
    window.emit('query-session-end', event);
    expect(event.defaultPrevented).toBe(true);
    closing.resolve();
    await expect.poll(() => app.quits).toBe(1);
    expect(electron.seen.questions).toEqual([]);
  });

  test('is not delayed when nothing runs; the engine stops all the same', () => {
    const close = vi.fn(async () => undefined);
    const { window } = openApp(0, close);
    const event = preventable({ reasons: ['logoff'] });
    window.emit('query-session-end', event);
    window.emit('session-end', {});
    expect(event.defaultPrevented).toBe(false);
    expect(close).toHaveBeenCalledTimes(1);
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
