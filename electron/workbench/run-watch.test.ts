import { expect, test, vi } from 'vitest';
import type { Event } from '../../shared/model/event.ts';
import { watchRuns } from './run-watch.ts';

function shell(answers: Record<string, unknown[]> = {}) {
  const listeners = new Map<string, (payload: never) => void>();
  return {
    subscribe: (name: string, listener: (payload: never) => void) => (listeners.set(name, listener), () => undefined),
    dispatch: async (name: string) =>
      name in answers
        ? { ok: true as const, value: answers[name] }
        : {
            ok: false as const,
            error: { code: 'engine.unknown-call' as const, message: name, details: {}, retryable: false },
          },
    engine: (state: string, restarts = 0) => listeners.get('shell.changed')!({ engine: { state, restarts } } as never),
    event: (part: Partial<Event>) =>
      listeners.get('execution.event')!({ id: 1, at: '', message: 'm', details: {}, ...part } as never),
  };
}

test('a run counts from its making to its end, whatever happens in between', () => {
  const on = shell();
  const runs = watchRuns(on);
  const counts: number[] = [];
  const ends: unknown[] = [];
  runs.onChange((active) => counts.push(active));
  runs.onEnded((run) => ends.push(run));
  on.event({ type: 'execution.created', executionId: 'a' });
  on.event({ type: 'execution.state', executionId: 'a', details: { state: 'running' } });
  on.event({ type: 'task.state', executionId: 'a', details: { state: 'completed' } });
  on.event({ type: 'deployment.created', deploymentId: 'd', executionId: 'a' });
  on.event({
    type: 'execution.state',
    executionId: 'a',
    replicaId: 'r',
    details: { state: 'completed' },
    message: 'done',
  });
  on.event({ type: 'deployment.state', deploymentId: 'd', details: { state: 'failed' } });
  on.event({ type: 'deployment.state', deploymentId: 'd', details: { state: 'deleted' } });
  expect(counts).toEqual([1, 2, 1, 0]);
  expect(ends).toEqual([
    { kind: 'execution', id: 'a', replicaId: 'r', state: 'completed', message: 'done' },
    { kind: 'deployment', id: 'd', replicaId: undefined, state: 'failed', message: 'm' },
  ]);
});

test('an interrupted run is no end to tell of', () => {
  const on = shell();
  const runs = watchRuns(on);
  const ended = vi.fn();
  runs.onEnded(ended);
  on.event({ type: 'execution.created', executionId: 'a' });
  on.event({ type: 'execution.state', executionId: 'a', details: { state: 'interrupted' } });
  expect(runs.active).toBe(0);
  expect(ended).not.toHaveBeenCalled();
});

test('what runs already is found when an engine has started, and forgotten when none is there', async () => {
  const on = shell({
    'execution.list': [
      { id: 'a', state: 'running' },
      { id: 'b', state: 'completed' },
    ],
  });
  const runs = watchRuns(on);
  on.engine('running');
  await expect.poll(() => runs.active).toBe(1);
  on.engine('restarting', 1);
  expect(runs.active).toBe(1);
  on.engine('given-up', 5);
  expect(runs.active).toBe(0);
});

test('a wave is told of once, at its end, whatever becomes of its members', () => {
  const on = shell();
  const runs = watchRuns(on);
  const ends: unknown[] = [];
  runs.onEnded(({ kind, id, state, message }) => ends.push([kind, id, state, message]));
  on.event({ type: 'wave.state', details: { wave: 'Night 1', waveRun: 'wav_1', state: 'running' } });
  on.event({ type: 'execution.created', executionId: 'a' });
  on.event({ type: 'execution.state', executionId: 'a', details: { state: 'failed' } });
  on.event({
    type: 'wave.state',
    details: { wave: 'Night 1', waveRun: 'wav_1', state: 'failed' },
    message: 'wave Night 1: synchronise failed: 0 of 1 completed',
  });
  on.event({ type: 'execution.created', executionId: 'b' });
  on.event({ type: 'execution.state', executionId: 'b', details: { state: 'completed' } });
  expect(ends).toEqual([
    ['wave', 'wav_1', 'failed', 'wave Night 1: synchronise failed: 0 of 1 completed'],
    ['execution', 'b', 'completed', 'm'],
  ]);
});
