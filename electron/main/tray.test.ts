import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { RunWatch } from '../workbench/run-watch.ts';
import { showInTrayWhileRunning } from './tray.ts';
import type { ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;
const calls = { show: vi.fn(), quit: vi.fn(), log: vi.fn() };

function started(platform: NodeJS.Platform): (active: number) => void {
  const changes: ((active: number) => void)[] = [];
  const runs: RunWatch = { active: 0, onChange: (listener) => void changes.push(listener), onEnded: () => undefined };
  showInTrayWhileRunning(runs, { icons: '/icons', platform, ...calls });
  return (active) => changes.forEach((listener) => listener(active));
}
beforeEach(() => void vi.useFakeTimers());
afterEach(() => {
  vi.useRealTimers();
  vi.clearAllMocks();
  electron.seen.trays.length = 0;
  electron.answers.hasTray = true;
});

test('is there while executions run, says how many, and brings the window back', () => {
  const become = started('linux');
  expect(electron.seen.trays).toEqual([]);
  become(1);
  become(3);
  const [tray, ...others] = electron.seen.trays;
  expect(others).toEqual([]);
  expect(tray!.image).toBe('/icons/tray.png');
  expect([tray!.toolTip, tray!.menu[0]]).toEqual([
    'Causeway: 3 executions are running',
    { label: '3 executions are running', enabled: false },
  ]);
  tray!.emit('click');
  (tray!.menu.find(({ label }) => label === 'Open Causeway')!.click as () => void)();
  expect(calls.show).toHaveBeenCalledTimes(2);
  (tray!.menu.find(({ label }) => label === 'Quit')!.click as () => void)();
  expect(calls.quit).toHaveBeenCalledTimes(1);
  become(0);
  expect([tray!.toolTip, tray!.isDestroyed()]).toEqual(['Causeway: No executions are running', false]);
  // The next one of a wave.
  become(1);
  vi.runAllTimers();
  expect(tray!.isDestroyed()).toBe(false);
  become(0);
  vi.runAllTimers();
  expect(tray!.isDestroyed()).toBe(true);
  become(1);
  expect(electron.seen.trays).toHaveLength(2);
});

test('has the image that macOS colours, and leaves clicks to its menu there', () => {
  started('darwin')(1);
  expect(electron.seen.trays[0]!.image).toBe('/icons/trayTemplate.png');
  electron.seen.trays[0]!.emit('click');
  expect(calls.show).not.toHaveBeenCalled();
});

test('is done without where the desktop has no place for it, and that is said once', () => {
  electron.answers.hasTray = false;
  const become = started('linux');
  become(1);
  become(0);
  become(2);
  expect(electron.seen.trays).toEqual([]);
  expect(calls.log.mock.calls).toEqual([[expect.stringContaining('no tray')]]);
});
