import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import type { EngineState } from '../../shared/contract/shell.ts';
import type { EngineNote, EngineProcess, EngineStart } from './engine-process.ts';
import { superviseEngine, type EngineSupervisor } from './engine-supervisor.ts';
import { nodeEngine } from './node-engine.ts';

const start: EngineStart = { projectFolder: '/project', executionLimit: 1 };

/** An engine that does what the test says. */
function fakeEngines() {
  const started: FakeEngine[] = [];
  const spawn = (given: EngineStart): EngineProcess => {
    const engine = new FakeEngine(given);
    started.push(engine);
    return engine;
  };
  return { spawn, started, newest: () => started.at(-1)! };
}

class FakeEngine implements EngineProcess {
  readonly start: EngineStart;
  readonly sent: object[] = [];
  readonly notes: EngineNote[] = [];
  stops = 0;
  kills = 0;
  #listeners: ((message: unknown) => void)[] = [];
  #ended = Promise.withResolvers<string>();
  readonly channel = {
    send: (message: object): void => void this.sent.push(message),
    onMessage: (listener: (message: unknown) => void): void => void this.#listeners.push(listener),
    onClose: (listener: () => void): void => void this.#ended.promise.then(listener),
    close: (): void => undefined,
  };
  constructor(start: EngineStart) {
    this.start = start;
  }
  says(message: object): void {
    for (const listener of this.#listeners) listener(message);
  }
  ends(reason: string): void {
    this.#ended.resolve(reason);
  }
  onEnd(listener: (reason: string) => void): void {
    void this.#ended.promise.then(listener);
  }
  tell(note: EngineNote): void {
    this.notes.push(note);
  }
  stop(): void {
    this.stops += 1;
  }
  kill(): void {
    this.kills += 1;
    this.ends('it was ended');
  }
}

const never = new AbortController().signal;

describe('the supervision of an engine', () => {
  const supervised = async (more: { drainMs?: number; firstPauseMs?: number } = {}) => {
    const engines = fakeEngines();
    const states: EngineState[] = [];
    const opening = superviseEngine({
      spawn: engines.spawn,
      start,
      firstPauseMs: 1,
      onState: (state) => states.push(state),
      onEvent: () => undefined,
      ...more,
    });
    engines.newest().says({ started: true });
    return { ...engines, states, supervisor: await opening };
  };

  test('starts one that dies again, each time later, and gives up after five in a row', async () => {
    const { started, states, supervisor } = await supervised();
    const pauses: number[] = [];
    for (let count = 1; count <= 5; count += 1) {
      const endedAt = performance.now();
      started.at(-1)!.ends(`end ${count}`);
      await expect.poll(() => started, { interval: 1 }).toHaveLength(count + 1);
      pauses.push(performance.now() - endedAt);
      started.at(-1)!.says({ started: true });
      await expect.poll(() => supervisor.state.state, { interval: 1 }).toBe('running');
    }
    started.at(-1)!.ends('end 6');
    await expect.poll(() => supervisor.state).toEqual({ state: 'given-up', restarts: 5, reason: 'end 6' });
    expect(started).toHaveLength(6);
    expect(pauses[4]!).toBeGreaterThanOrEqual(15);
    expect(states.map(({ state }) => state)).toEqual([
      'running',
      ...Array.from({ length: 5 }, () => ['restarting', 'running']).flat(),
      'given-up',
    ]);
  });

  test('counts one that dies before it has opened the project as well', async () => {
    const { started, supervisor } = await supervised();
    started.at(-1)!.ends('crash');
    for (let count = 2; count <= 6; count += 1) {
      await expect.poll(() => started, { interval: 1 }).toHaveLength(count);
      started.at(-1)!.ends('crash at start');
    }
    await expect.poll(() => supervisor.state.state).toBe('given-up');
    expect(supervisor.state.reason).toContain('crash at start');
  });

  test('answers with a code while no engine runs, and a waiting call ends with one too', async () => {
    const { newest, supervisor } = await supervised();
    const waiting = supervisor.dispatch('vault.list', {}, never);
    await expect.poll(() => newest().sent.some((message) => 'call' in message)).toBe(true);
    newest().ends('crash');
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'engine.connection-lost' } });
    expect(await supervisor.dispatch('vault.list', {}, never)).toMatchObject({
      ok: false,
      error: { code: 'engine.connection-lost', retryable: true },
    });
    await supervisor.stop();
  });

  test('gives later engines what opened the vault in the meantime', async () => {
    const { started, newest, supervisor } = await supervised();
    supervisor.unlock({ passphrase: 'open sesame' });
    expect(newest().notes).toEqual([{ unlock: { passphrase: 'open sesame' } }]);
    newest().ends('crash');
    await expect.poll(() => started).toHaveLength(2);
    expect(newest().start).toEqual({ ...start, passphrase: 'open sesame' });
    newest().says({ started: true });
    const stopped = supervisor.stop();
    newest().ends('it exited with status 0');
    await stopped;
  });

  test('starts none after it was told to stop, also when that was in a pause', async () => {
    const { started, newest, states, supervisor } = await supervised({ firstPauseMs: 60_000 });
    newest().ends('crash');
    await expect.poll(() => supervisor.state.state, { interval: 1 }).toBe('restarting');
    await supervisor.stop();
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(started).toHaveLength(1);
    expect(states.at(-1)).toEqual({ state: 'none', restarts: 0 });
  });

  test('stops one that is just being started again', async () => {
    const { started, newest, supervisor } = await supervised();
    newest().ends('crash');
    await expect.poll(() => started).toHaveLength(2);
    const stopped = supervisor.stop();
    expect(newest().stops).toBe(1);
    newest().ends('it exited with status 0');
    await stopped;
    expect(supervisor.state.state).toBe('none');
  });

  test('ends one that does not drain in time', async () => {
    const { newest, supervisor } = await supervised({ drainMs: 5 });
    await supervisor.stop();
    expect(newest()).toMatchObject({ stops: 1, kills: 1 });
  });
});

describe('an engine that does not answer', () => {
  /** It can't even be ended: its end is never told. */
  class StuckEngine extends FakeEngine {
    override kill(): void {
      this.kills += 1;
    }
  }
  const stuck = (more: object) => {
    const engine = new StuckEngine(start);
    const opening = superviseEngine({
      spawn: () => engine,
      start,
      onState: () => undefined,
      onEvent: () => undefined,
      killMs: 5,
      ...more,
    });
    return { engine, opening };
  };

  test('to its start is ended, and that is said', async () => {
    const { engine, opening } = stuck({ openMs: 5 });
    await expect(opening).rejects.toMatchObject({
      code: 'engine.connection-lost',
      message: 'the engine did not open the project within 0.005 s',
    });
    expect(engine.kills).toBe(1);
  });

  test('to being stopped or killed holds up nobody', async () => {
    const { engine, opening } = stuck({ drainMs: 5 });
    engine.says({ started: true });
    const supervisor = await opening;
    await supervisor.stop();
    expect(engine.kills).toBe(1);
    expect(supervisor.state.state).toBe('none');
  });
});

test('an engine that fails after its start is ended and replaced', async () => {
  const engines = fakeEngines();
  const opening = superviseEngine({
    spawn: engines.spawn,
    start,
    firstPauseMs: 1,
    onState: () => undefined,
    onEvent: () => undefined,
  });
  engines.newest().says({ started: true });
  await opening;
  engines.newest().says({ failed: { code: 'general.bug', message: 'no', details: {}, retryable: false } });
  await expect.poll(() => engines.started).toHaveLength(2);
  expect(engines.started[0]!.kills).toBe(1);
});

describe('an engine in a real child process', () => {
  const spawn = nodeEngine(join(import.meta.dirname, 'testing', 'tiny-engine.ts'));
  let supervisor: EngineSupervisor | undefined;
  afterEach(() => supervisor?.stop());
  const supervise = (projectFolder: string, more: object = {}) =>
    superviseEngine({
      spawn,
      start: { ...start, projectFolder },
      firstPauseMs: 1,
      onState: () => undefined,
      onEvent: () => undefined,
      ...more,
    });
  const look = async (): Promise<{ pid: string; start: EngineStart; notes: EngineNote[] }> => {
    const answer = await supervisor!.dispatch('vault.list', {}, never);
    if (!answer.ok) throw new Error(answer.error.message);
    const [pid, rest] = answer.value as string[];
    return { pid: pid!, ...(JSON.parse(rest!) as { start: EngineStart; notes: EngineNote[] }) };
  };

  /** Windows has no signals: a process that ends itself in this way has a status. */
  const killed =
    process.platform === 'win32'
      ? /^it (?:was terminated by SIGKILL|exited with status \d+)$/
      : /^it was terminated by SIGKILL$/;

  test('is told its project, hears notes, and is replaced when it is killed', async () => {
    supervisor = await supervise('/project');
    supervisor.woke(42);
    const first = await look();
    expect(first).toMatchObject({ start: { projectFolder: '/project' }, notes: [{ woke: 42 }] });
    expect(await supervisor.dispatch('vault.status', {}, never)).toMatchObject({
      ok: false,
      error: { code: 'engine.connection-lost' },
    });
    await expect
      .poll(() => supervisor!.state)
      .toEqual({ state: 'running', restarts: 1, reason: expect.stringMatching(killed) as string });
    expect((await look()).pid).not.toBe(first.pid);
  });

  test('that refuses the project gives its own reason', async () => {
    await expect(supervise('/refuses')).rejects.toMatchObject({ code: 'engine.project-busy', message: 'by process 1' });
  });

  test('that dies at its start is said so', async () => {
    await expect(supervise('/dies-at-start')).rejects.toMatchObject({ code: 'engine.connection-lost' });
  });

  test('that does not stop is ended', async () => {
    supervisor = await supervise('/deaf', { drainMs: 50 });
    const { pid } = await look();
    await supervisor.stop();
    expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH');
  });
});
