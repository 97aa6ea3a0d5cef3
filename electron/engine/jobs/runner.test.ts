import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalTask, type TaskState } from '../../../shared/model/task.ts';
import { rounds } from '../../../shared/testing/rounds.ts';
import { runGraph, type RunOptions, type TaskRecorder } from './runner.ts';
import type { TaskHandler } from './steps.ts';
import { memoryValue, storedValue, type TaskGraph, type TaskNode } from './task-graph.ts';

const node = (id: string, rest: Partial<TaskNode> = {}): TaskNode => ({
  id,
  title: id,
  after: [],
  needs: [],
  yields: [],
  ...rest,
});
const broken = (retryable = false) => new CausewayError('general.deadline', 'broken on purpose', { retryable });

/** A recorder that keeps what a database would keep. */
function memoryRecorder() {
  const tasks = new Map<string, ReturnType<TaskRecorder['load']>[number]>();
  const log: string[] = [];
  const recorder: TaskRecorder = {
    load: () => [...tasks.values()],
    start(id) {
      log.push(`${id} running`);
      tasks.set(id, { id, state: 'running', attempts: (tasks.get(id)?.attempts ?? 0) + 1 });
    },
    finish(id, state, outcome) {
      log.push(`${id} ${state}`);
      tasks.set(id, { id, state, attempts: tasks.get(id)?.attempts ?? 0, ...outcome });
    },
    retry: (id) => void log.push(`${id} retry`),
    takeBack(ids) {
      for (const id of ids) {
        const task = tasks.get(id);
        if (task !== undefined) tasks.set(id, { ...task, state: 'pending' });
      }
    },
  };
  return { recorder, log, tasks };
}

/** Of these names; any other is kept. */
const inMemory = ['w', 'worker', 'place'];

function run(graph: TaskGraph, handlers: Record<string, TaskHandler>, rest: Partial<RunOptions> = {}) {
  const never = new AbortController().signal;
  const all = Object.fromEntries(graph.map((one) => [one.id, handlers[one.id] ?? (async () => ({}))]));
  const values = Object.fromEntries(
    graph.flatMap((one) =>
      one.yields.map((name) => [name, inMemory.includes(name) ? memoryValue() : storedValue(z.unknown())]),
    ),
  );
  return runGraph({
    graph,
    steps: { values, handlers: all },
    recorder: memoryRecorder().recorder,
    cancel: never,
    force: never,
    random: () => 0,
    ...rest,
  });
}

describe('running a graph', () => {
  test('values flow along the edges', async () => {
    let seen: unknown;
    const graph = [node('a', { yields: ['x'] }), node('b', { after: ['a'], needs: ['x'] })];
    const outcome = await run(graph, { a: async () => ({ x: 7 }), b: async ({ values }) => void (seen = values['x']) });
    expect([outcome.state, seen]).toEqual(['completed', 7]);
  });

  test('nodes that do not wait for each other run at the same time', async () => {
    const met = Promise.withResolvers<void>();
    let arrived = 0;
    const meet = async () => {
      arrived += 1;
      if (arrived === 2) met.resolve();
      await met.promise;
    };
    expect((await run([node('a'), node('b')], { a: meet, b: meet })).state).toBe('completed');
  });

  test('after a failure what follows is skipped and clean-up runs', async () => {
    const { recorder, log } = memoryRecorder();
    const graph = [
      node('start'),
      node('work', { after: ['start'] }),
      node('more', { after: ['work'] }),
      node('stop', { after: ['more'], cleansUp: ['start'] }),
    ];
    const outcome = await run(graph, { work: async () => Promise.reject(broken()) }, { recorder });
    expect(outcome).toMatchObject({ state: 'failed', error: { message: 'broken on purpose' }, cleanUpErrors: [] });
    expect(log.filter((line) => !line.endsWith('running'))).toEqual([
      'start completed',
      'work failed',
      'more skipped',
      'stop completed',
    ]);
  });

  test('clean-up of what never started is skipped', async () => {
    const { recorder, log } = memoryRecorder();
    const graph = [
      node('first'),
      node('start', { after: ['first'] }),
      node('stop', { after: ['start'], cleansUp: ['start'] }),
    ];
    await run(graph, { first: async () => Promise.reject(broken()) }, { recorder });
    expect(log).toEqual(['first running', 'first failed', 'start skipped', 'stop skipped']);
  });

  test('cancel asks the running node to stop, then cleans up', async () => {
    const { recorder, log } = memoryRecorder();
    const cancel = new AbortController();
    const graph = [node('work'), node('stop', { after: ['work'], cleansUp: ['work'] })];
    const outcome = await run(
      graph,
      {
        work: ({ signal }) =>
          new Promise((_, reject) => {
            signal.addEventListener('abort', () => reject(signal.reason));
            cancel.abort(new CausewayError('general.cancelled', 'by hand'));
          }),
      },
      { recorder, cancel: cancel.signal },
    );
    expect(outcome.state).toBe('cancelled');
    expect(log).toEqual(['work running', 'work cancelled', 'stop running', 'stop completed']);
  });

  test('force ends the clean-up too, and its error is told', async () => {
    const cancel = new AbortController();
    const force = new AbortController();
    const hang: TaskHandler = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const graph = [node('work'), node('stop', { after: ['work'], cleansUp: ['work'] })];
    const outcome = await run(
      graph,
      {
        work: (context) => (queueMicrotask(() => cancel.abort(broken())), hang(context)),
        stop: (context) => (queueMicrotask(() => force.abort(broken())), hang(context)),
      },
      { cancel: cancel.signal, force: force.signal },
    );
    expect(outcome).toMatchObject({ state: 'cancelled', cleanUpErrors: [{ message: 'broken on purpose' }] });
  });

  test('a retryable failure renews what it names and is bounded', async () => {
    const { recorder, log } = memoryRecorder();
    const retry = { attempts: 3, firstMs: 1, capMs: 1, rerun: ['worker'] };
    const graph = [node('worker', { yields: ['w'] }), node('copy', { after: ['worker'], needs: ['w'], retry })];
    let workers = 0;
    const seen: unknown[] = [];
    const outcome = await run(
      graph,
      {
        worker: async () => ({ w: (workers += 1) }),
        copy: async ({ values }) => (seen.push(values['w']), Promise.reject(broken(true))),
      },
      { recorder },
    );
    expect([outcome.state, seen, log.filter((line) => line === 'copy retry').length]).toEqual(['failed', [1, 2, 3], 2]);
  });

  test('attempts are counted anew after each that made progress, and are bounded without', async () => {
    const notes: string[] = [];
    const { recorder } = memoryRecorder();
    const counting: TaskRecorder = {
      ...recorder,
      retry: (_id, { attempt, withoutProgress, limit }) => void notes.push(`${attempt}: ${withoutProgress}/${limit}`),
    };
    const graph = [node('copy', { retry: { attempts: 3, firstMs: 1, capMs: 1 } })];
    let attempts = 0;
    const copy: TaskHandler = async ({ progressed }) => {
      attempts += 1;
      if (attempts <= 4) progressed();
      throw broken(true);
    };
    expect((await run(graph, { copy }, { recorder: counting })).state).toBe('failed');
    expect([attempts, notes]).toEqual([6, ['2: 2/3', '3: 2/3', '4: 2/3', '5: 2/3', '6: 3/3']]);
  });

  test('a failure that is not retryable is not repeated', async () => {
    let runs = 0;
    const graph = [node('a', { retry: { attempts: 5, firstMs: 1, capMs: 1 } })];
    await run(graph, { a: async () => ((runs += 1), Promise.reject(broken(false))) });
    expect(runs).toBe(1);
  });

  test('a graph that cannot be run is refused before anything starts', async () => {
    await expect(run([node('a', { after: ['a'] })], {})).rejects.toMatchObject({ code: 'engine.graph-invalid' });
  });
});

describe('going on after the engine ended in the middle', () => {
  test('what had completed is not run again, what was running is, values in memory are renewed', async () => {
    const { recorder, log, tasks } = memoryRecorder();
    tasks.set('vm', { id: 'vm', state: 'completed', attempts: 1, result: { vm: 'web' } });
    tasks.set('worker', { id: 'worker', state: 'completed', attempts: 1, result: {} });
    tasks.set('copy', { id: 'copy', state: 'running', attempts: 1 });
    const graph = [
      node('vm', { yields: ['vm'] }),
      node('worker', { after: ['vm'], needs: ['vm'], yields: ['w'] }),
      node('copy', { after: ['worker'], needs: ['vm', 'w'] }),
    ];
    let seen: unknown;
    const outcome = await run(
      graph,
      { worker: async () => ({ w: 2 }), copy: async ({ values }) => void (seen = values) },
      { recorder },
    );
    expect([outcome.state, seen]).toEqual(['completed', { vm: 'web', w: 2 }]);
    expect(log).toEqual(['worker running', 'worker completed', 'copy running', 'copy completed']);
  });

  test('a value that the store has in a form that is no longer known is made again, if it is still needed', async () => {
    const { recorder, log, tasks } = memoryRecorder();
    tasks.set('vm', {
      id: 'vm',
      state: 'completed',
      attempts: 1,
      result: { vm: 'as an earlier version described it' },
    });
    tasks.set('size', { id: 'size', state: 'completed', attempts: 1, result: { size: 'not needed any more' } });
    tasks.set('start', { id: 'start', state: 'completed', attempts: 1 });
    const graph = [
      node('vm', { yields: ['vm'] }),
      node('size', { yields: ['size'] }),
      node('start', { after: ['vm', 'size'], needs: ['vm', 'size'] }),
      node('copy', { after: ['start'], needs: ['vm'] }),
    ];
    let seen: unknown;
    const handlers: Record<string, TaskHandler> = {
      vm: async () => ({ vm: { name: 'web' } }),
      copy: async ({ values }) => void (seen = values),
    };
    const values = { vm: storedValue(z.object({ name: z.string() })), size: storedValue(z.number()) };
    const outcome = await run(graph, handlers, {
      recorder,
      steps: { values, handlers: { size: async () => ({ size: 1 }), start: async () => {}, ...handlers } },
    });
    expect([outcome.state, seen]).toEqual(['completed', { vm: { name: 'web' } }]);
    expect(log).toEqual(['vm running', 'vm completed', 'copy running', 'copy completed']);
  });

  test('a clean-up that relies on a value that cannot be read any more fails, and the others run', async () => {
    const { recorder, log, tasks } = memoryRecorder();
    tasks.set('vm', { id: 'vm', state: 'completed', attempts: 1, result: { vm: 1 } });
    tasks.set('start', { id: 'start', state: 'failed', attempts: 1, error: broken().toRecord() });
    const graph = [
      node('vm', { yields: ['vm'] }),
      node('start', { after: ['vm'], needs: ['vm'] }),
      node('stop', { after: ['start'], needs: ['vm'], cleansUp: ['start'] }),
      node('release', { after: ['start'], cleansUp: ['start'] }),
    ];
    const handlers = Object.fromEntries(graph.map(({ id }) => [id, async () => ({})]));
    const outcome = await run(graph, {}, { recorder, steps: { values: { vm: storedValue(z.string()) }, handlers } });
    expect(outcome).toMatchObject({
      state: 'failed',
      error: { message: 'broken on purpose' },
      cleanUpErrors: [{ code: 'engine.graph-invalid' }],
    });
    expect(log).toContain('release completed');
  });

  test('who needs a value in memory waits until it is renewed, although all that it comes after has completed', async () => {
    const { recorder, log, tasks } = memoryRecorder();
    tasks.set('worker', { id: 'worker', state: 'completed', attempts: 1, result: {} });
    tasks.set('copy', { id: 'copy', state: 'completed', attempts: 1, result: {} });
    tasks.set('verify', { id: 'verify', state: 'running', attempts: 1 });
    const graph = [
      node('worker', { yields: ['w'] }),
      node('copy', { after: ['worker'], needs: ['w'] }),
      node('verify', { after: ['copy'], needs: ['w'] }),
      node('stop', { after: ['worker', 'verify'], cleansUp: ['worker'] }),
    ];
    let seen: unknown;
    const outcome = await run(
      graph,
      { worker: async () => ({ w: 2 }), verify: async ({ values }) => void (seen = values['w']) },
      { recorder },
    );
    expect([outcome.state, seen]).toEqual(['completed', 2]);
    expect(log.filter((line) => line.endsWith('running'))).toEqual([
      'worker running',
      'verify running',
      'stop running',
    ]);
  });

  test.each(['first', 'last'])(
    'what a node that starts %s takes back runs again with what it needs, and so do the clean-ups after it',
    async (place) => {
      const { recorder, tasks, log } = memoryRecorder();
      const find = node('find', { yields: ['place'] });
      const graph = [
        ...(place === 'first' ? [find] : []),
        node('hire', { yields: ['worker'] }),
        node('copy', { after: ['find', 'hire'], needs: ['place', 'worker'] }),
        node('compare', { after: ['copy'] }),
        node('dismiss', { after: ['hire', 'compare'], cleansUp: ['hire'] }),
        node('confirm', { after: ['compare'], needs: ['place'] }),
        ...(place === 'last' ? [find] : []),
      ];
      for (const id of ['find', 'hire', 'copy', 'compare']) tasks.set(id, { id, state: 'completed', attempts: 1 });
      // Under way as the engine ended, so that its turn comes beside the node that takes back.
      tasks.set('dismiss', { id: 'dismiss', state: 'running', attempts: 1 });
      const places: unknown[] = [];
      const outcome = await run(
        graph,
        {
          find: async ({ stateOf, redo }) => {
            if (stateOf('copy') === 'completed') await redo(['copy']);
            return { place: 'new' };
          },
          hire: async () => ({ worker: 1 }),
          copy: async ({ values }) => void places.push(values['place'], values['worker']),
        },
        { recorder },
      );
      expect(outcome.state).toBe('completed');
      expect(places).toEqual(['new', 1]);
      const finished = log.filter((line) => line.endsWith('completed')).map((line) => line.split(' ')[0]);
      // What had begun before ends before its worker is hired again.
      expect(finished.slice(0, -2).filter((id) => id !== 'find')).toEqual([
        ...(place === 'first' ? [] : ['dismiss']),
        'hire',
        'copy',
        'compare',
      ]);
      expect(finished.slice(-2).toSorted()).toEqual(['confirm', 'dismiss']);
    },
  );

  describe('when work was taken back', () => {
    const graph = [
      node('describe', { yields: ['vm'] }),
      node('make', { after: ['describe'], needs: ['vm'], yields: ['volumes'] }),
      node('look', { after: ['describe'], needs: ['vm'], yields: ['place'] }),
      node('copy', { after: ['make', 'look'], needs: ['vm', 'volumes', 'place'], yields: ['copied'] }),
    ];
    /** The VM changes after it was described for the first time. */
    const handlers = (): Record<string, TaskHandler> => {
      let sizes = [1, 2];
      return {
        describe: async () => {
          const [vm] = sizes;
          sizes = [2];
          return { vm };
        },
        make: async ({ values }) => ({ volumes: values['vm'] }),
        look: async ({ values, redo }) => {
          sizes = [2];
          if (values['vm'] !== 2) await redo(['describe']);
          return { place: 'here' };
        },
        copy: async ({ values }) => ({ copied: [values['vm'], values['volumes']] }),
      };
    };

    test('wherever the engine ends, nothing is done with new values of some tasks and former ones of others', async () => {
      const { recorder, tasks } = memoryRecorder();
      const cuts: (typeof tasks)[] = [];
      const cutAfter =
        <A extends unknown[]>(write: (...given: A) => void) =>
        (...given: A): void => {
          write(...given);
          cuts.push(new Map(tasks));
        };
      const { load, start, finish, retry, takeBack } = recorder;
      const cutting: TaskRecorder = {
        load,
        start: cutAfter(start),
        finish: cutAfter(finish),
        retry,
        takeBack: cutAfter(takeBack),
      };
      expect(await run(graph, handlers(), { recorder: cutting })).toMatchObject({ state: 'completed' });
      for (const cut of cuts) {
        const resumed = memoryRecorder();
        for (const [id, task] of cut) resumed.tasks.set(id, task);
        expect(await run(graph, handlers(), { recorder: resumed.recorder })).toMatchObject({ state: 'completed' });
        expect(resumed.tasks.get('copy')?.result).toEqual({ copied: [2, 2] });
      }
      // Two writes for each start of a task, and the one that takes back.
      expect(cuts).toHaveLength(13);
    });

    test('and that could not be written, the run is interrupted, and does so again when it is resumed', async () => {
      const { recorder, tasks } = memoryRecorder();
      const full: TaskRecorder = {
        ...recorder,
        takeBack() {
          throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
        },
      };
      expect(await run(graph, handlers(), { recorder: full })).toMatchObject({
        state: 'interrupted',
        error: { code: 'store.disk-full' },
      });
      expect([tasks.get('describe')?.state, tasks.get('copy')]).toEqual(['completed', undefined]);
      expect(await run(graph, handlers(), { recorder })).toMatchObject({ state: 'completed' });
      expect(tasks.get('copy')?.result).toEqual({ copied: [2, 2] });
    });
  });

  test('a failed run only cleans up, and keeps its error', async () => {
    const { recorder, log, tasks } = memoryRecorder();
    tasks.set('work', { id: 'work', state: 'failed', attempts: 1, error: broken().toRecord() });
    const graph = [
      node('work'),
      node('more', { after: ['work'] }),
      node('stop', { after: ['more'], cleansUp: ['work'] }),
    ];
    expect(await run(graph, {}, { recorder })).toMatchObject({
      state: 'failed',
      error: { message: 'broken on purpose' },
    });
    expect(log).toEqual(['more skipped', 'stop running', 'stop completed']);
  });
});

test('any graph, any failures: it ends, and every node that a clean-up cleans up after is followed by it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.record({ edges: fc.array(fc.nat(9), { maxLength: 3 }), fails: fc.boolean(), cleanUp: fc.boolean() }),
        { minLength: 1, maxLength: 10 },
      ),
      async (shape) => {
        const graph = shape.map(({ edges, cleanUp }, index) => {
          const after = index === 0 ? [] : [...new Set(edges.map((edge) => `n${edge % index}`))];
          return node(`n${index}`, { after, ...(cleanUp && after.length > 0 ? { cleansUp: after } : {}) });
        });
        const { recorder, tasks } = memoryRecorder();
        const handlers = Object.fromEntries(
          shape.map(({ fails }, index) => [`n${index}`, async () => (fails ? Promise.reject(broken()) : {})]),
        );
        await run(graph, handlers, { recorder });
        const state = (id: string): TaskState => tasks.get(id)?.state ?? 'pending';
        for (const one of graph) {
          expect(isTerminalTask(state(one.id))).toBe(true);
          const started = (one.cleansUp ?? []).some((id) => (tasks.get(id)?.attempts ?? 0) > 0);
          if (one.cleansUp !== undefined) expect(state(one.id) !== 'skipped').toBe(started);
        }
      },
    ),
  );
});

describe('a recorder whose writes fail', () => {
  /** Fails its nth call, and all after it where that lasts. */
  function failingRecorder(tasks: ReturnType<typeof memoryRecorder>, nth: number, lasts: boolean): TaskRecorder {
    let calls = 0;
    const guarded =
      <A extends unknown[]>(write: (...given: A) => void) =>
      (...given: A): void => {
        calls += 1;
        if (calls === nth || (lasts && calls > nth))
          throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
        write(...given);
      };
    const { load, start, finish, retry, takeBack } = tasks.recorder;
    return { load, start: guarded(start), finish: guarded(finish), retry: guarded(retry), takeBack: guarded(takeBack) };
  }

  test('waits for what runs beside it, cleans up, and the run is interrupted, not failed', async () => {
    const memory = memoryRecorder();
    const done: string[] = [];
    const slow = Promise.withResolvers<void>();
    const graph = [
      node('worker'),
      node('quick', { after: ['worker'] }),
      node('slow', { after: ['worker'] }),
      node('stop', { after: ['quick', 'slow'], cleansUp: ['worker'] }),
    ];
    const running = run(
      graph,
      {
        quick: async () => void queueMicrotask(() => slow.resolve()),
        slow: () => slow.promise.then(() => void done.push('slow')),
        stop: async () => void done.push('stop'),
      },
      { recorder: failingRecorder(memory, 5, true) },
    );
    expect(await running).toMatchObject({ state: 'interrupted', error: { code: 'store.disk-full', retryable: true } });
    expect(done).toEqual(['slow', 'stop']);
    expect([memory.tasks.get('worker')?.state, memory.tasks.get('stop')]).toEqual(['completed', undefined]);
  });

  test('at any of its calls, in any graph: what was opened is closed, and the run that is taken up again ends as if nothing had been', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({ edges: fc.array(fc.nat(9), { maxLength: 3 }), fails: fc.boolean(), cleanUp: fc.boolean() }),
          { minLength: 1, maxLength: 8 },
        ),
        fc.integer({ min: 1, max: 18 }),
        fc.boolean(),
        async (shape, nth, lasts) => {
          const graph = shape.map(({ edges, cleanUp }, index) => {
            const after = index === 0 ? [] : [...new Set(edges.map((edge) => `n${edge % index}`))];
            return node(`n${index}`, { after, ...(cleanUp && after.length > 0 ? { cleansUp: after } : {}) });
          });
          const cleaned = new Set(graph.flatMap((one) => one.cleansUp ?? []));
          const open = new Set<string>();
          const handlers = Object.fromEntries(
            graph.map((one, index) => [
              one.id,
              async () => {
                await Promise.resolve();
                for (const id of one.cleansUp ?? []) open.delete(id);
                open.add(one.id);
                if (shape[index]?.fails === true) throw broken();
              },
            ]),
          );
          const left = (): string[] => [...open].filter((id) => cleaned.has(id));
          const plain = await run(graph, handlers, { recorder: memoryRecorder().recorder });
          const leftPlainly = left();
          open.clear();
          const memory = memoryRecorder();
          const first = await run(graph, handlers, { recorder: failingRecorder(memory, nth, lasts) });
          expect(left().filter((id) => !leftPlainly.includes(id))).toEqual([]);
          if (first.state !== 'interrupted') expect(first.state).toBe(plain.state);
          const second = await run(graph, handlers, { recorder: memory.recorder });
          expect([second.state, left().filter((id) => !leftPlainly.includes(id))]).toEqual([plain.state, []]);
        },
      ),
      { numRuns: rounds(400) },
    );
  });
});
