import { expect, test, vi } from 'vitest';
import type { Event } from '../../shared/model/event.ts';
import { watchRuns } from './run-watch.ts';

function shell(answers: Record<string, unknown[]> = {}) {
  const listeners = new Map<string, (payload: never) => void>();
  return {
    subscribe: (name: string, listener: (payload: never) => void) => (listeners.set(name, listener), () => undefined),
    dispatch: async (name: string) =>
      name in answers ? { ok: true as const, value: answers[name] } : { ok: false as const, error: { code: 'engine.unknown-call' as const, message: name, details: {}, retryable: false } },
    engine: (state: string, restarts = 0) => listeners.get('shell.changed')!({ engine: { state, restarts } } as never),
    event: (part: Partial<Event>) => listeners.get('execution.event')!({ id: 1, at: '', message: 'm', details: {}, ...part } as never),
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
  on.event({ type: 'execution.state', executionId: 'a', replicaId: 'r', details: { state: 'completed' }, message: 'done' });
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
  const on = shell({ 'execution.list': [{ id: 'a', state: 'running' }, { id: 'b', state: 'completed' }] });
  const runs = watchRuns(on);
  on.engine('running');
  await expect.poll(() => runs.active).toBe(1);
  on.engine('restarting', 1);
  expect(runs.active).toBe(1);
  on.engine('given-up', 5);
  expect(runs.active).toBe(0);
});
