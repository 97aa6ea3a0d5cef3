import { beforeEach, describe, expect, test, vi } from 'vitest';
import { superviseEngine } from '../workbench/engine-supervisor.ts';
import type { ElectronStandIn, UtilityProcessStandIn } from './testing/electron-stand-in.ts';
import { utilityEngine } from './utility-engine.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

const start = {
  projectFolder: '/project',
  executionLimit: 2,
  dataKey: { kind: 'os-key-store', bytes: new Uint8Array([1, 2, 3]) },
};
const newest = (): UtilityProcessStandIn => electron.seen.children.at(-1)!;
beforeEach(() => {
  electron.seen.children.length = 0;
});

describe('an engine in a utility process', () => {
  test('is told its project first, and each has a name of its own', () => {
    utilityEngine('/out/engine.js')(start);
    utilityEngine('/out/engine.js')(start);
    expect(newest()).toMatchObject({ entry: '/out/engine.js', posted: [{ start }] });
    expect(new Set(electron.seen.children.map(({ serviceName }) => serviceName)).size).toBe(2);
  });

  test('ends once, by whichever comes first: its exit, or that it is gone', async () => {
    const reasons: string[] = [];
    const process = utilityEngine('/out/engine.js')(start);
    process.onEnd((reason) => reasons.push(reason));
    electron.app.emit('child-process-gone', {}, { ...newest().goneDetails('crashed'), name: 'another' });
    electron.app.emit('child-process-gone', {}, newest().goneDetails('oom'));
    newest().exit(0);
    await expect.poll(() => reasons).toEqual(['it exited: oom']);
  });

  test('gets no message from its own exit on, not even by who listens to that', async () => {
    const process = utilityEngine('/out/engine.js')(start);
    const child = newest();
    const thrown: unknown[] = [];
    child.once('exit', () => {
      for (const act of [
        () => process.channel.send({ id: 1 }),
        () => process.tell({ woke: 1 }),
        () => process.stop(),
        () => process.kill(),
      ]) {
        try {
          act();
        } catch (error) {
          thrown.push(error);
        }
      }
    });
    child.exit(1);
    await new Promise<void>((resolve) => process.onEnd(() => resolve()));
    expect(thrown).toEqual([]);
    expect(child.posted).toEqual([{ start }]);
    expect(child.kills).toBe(0);
  });

  test('that V8 can not go on with ends, says where, and passes its report to nobody', async () => {
    const reasons: string[] = [];
    const process = utilityEngine('/out/engine.js')(start);
    process.onEnd((reason) => reasons.push(reason));
    newest().fail('v8::internal::Heap', '{"environmentVariables":{"TOKEN":"secret"}}');
    await expect.poll(() => reasons).toEqual(['V8 failed (FatalError at v8::internal::Heap)']);
  });

  test('leaves no listener with the app', async () => {
    const before = electron.app.listenerCount('child-process-gone');
    const process = utilityEngine('/out/engine.js')(start);
    newest().exit(0);
    await new Promise<void>((resolve) => process.onEnd(() => resolve()));
    expect(electron.app.listenerCount('child-process-gone')).toBe(before);
  });

  test('is started again by its supervisor after a crash, with all that the first one was told', async () => {
    const states: string[] = [];
    const supervised = superviseEngine({
      spawn: utilityEngine('/out/engine.js'),
      start,
      firstPauseMs: 1,
      onState: ({ state }) => states.push(state),
      onEvent: () => undefined,
    });
    newest().emit('message', { started: true });
    const supervisor = await supervised;
    electron.app.emit('child-process-gone', {}, newest().goneDetails('crashed'));
    newest().isOver = true;
    await expect.poll(() => electron.seen.children).toHaveLength(2);
    newest().emit('message', { started: true });
    await expect.poll(() => supervisor.state).toEqual({ state: 'running', restarts: 1, reason: 'it exited: crashed' });
    expect(newest().posted[0]).toEqual({ start });
    expect(states).toEqual(['running', 'restarting', 'running']);
    const stopped = supervisor.stop();
    expect(newest().posted.at(-1)).toEqual({ stop: true });
    newest().exit(0);
    await stopped;
  });
});
