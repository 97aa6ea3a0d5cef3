import { describe, expect, it } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { conditionHere } from '../http/request-condition.ts';
import type { TaskStore } from '../store/tasks.ts';
import { RunService, type ActiveRun, type OpenedRun, type Run } from './run-service.ts';

/** A service with one run, which goes on until it is called off. */
function lab(condition: () => void = () => undefined) {
  let run: Run = { id: 'exe', replicaId: 'r', number: 1, state: 'pending' };
  const [begun, ends, told] = [Promise.withResolvers<undefined>(), [] as string[], [] as string[]];
  const closing = Promise.withResolvers<undefined>();
  const tasks = {
    plan: () => undefined,
    list: () => [],
    start: () => undefined,
    finish: () => undefined,
  } as unknown as TaskStore;
  const service = new RunService<Run, ActiveRun, OpenedRun>({
    noun: 'execution',
    runs: {
      listOpen: () => (['completed', 'failed', 'cancelled'].includes(run.state) ? [] : [run]),
      setState: (_, state) => void (run = { ...run, state }),
      find: () => run,
    },
    tasks,
    findReplica: () => ({ id: 'r' }) as Replica,
    graphOf: () => [{ id: 'work', title: 'Work', after: [], needs: [], yields: [] }] as never,
    activate: (_, base) => base,
    open: () =>
      Promise.resolve({
        steps: {
          values: {},
          handlers: {
            work: async ({ signal }: { readonly signal: AbortSignal }) => {
              conditionHere()();
              begun.resolve(undefined);
              await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
            },
          },
        } as never,
        close: () => closing.promise,
      }),
    finish: (_, __, { outcome: { state } }) => {
      ends.push(state);
      run = { ...run, state };
    },
    clean: (error) => error,
    emit: ({ details }) => void told.push(String(details['state'])),
    condition: () => condition,
    limit: 1,
  });
  return {
    service,
    begun: begun.promise,
    ends,
    told,
    shown: () => service.asShown(run),
    close: () => closing.resolve(undefined),
    start: () => service.start(run),
    end: () => (run = { ...run, state: 'completed' }),
  };
}

describe('a run whose claim another engine has taken', () => {
  const lost = new CausewayError('fleet.claim-lost', 'another computer has taken over');

  it('ends as nothing here, and is shown as the other engine has ended it', async () => {
    const { service, begun, ends, told, shown, close, start, end } = lab();
    start();
    await begun;
    const [active] = service.activeOf('r');
    active!.cancel.abort(lost);
    active!.force.abort(lost);
    close();
    await service.drain();
    expect([ends, told.at(-1)]).toEqual([[], 'interrupted']);
    expect(shown()).toMatchObject({ state: 'interrupted', error: { code: 'fleet.claim-lost' } });
    end();
    expect(shown()).toEqual({ id: 'exe', replicaId: 'r', number: 1, state: 'completed' });
  });

  it('is one of its replica until it is closed', async () => {
    const { service, begun, close, start } = lab();
    start();
    await begun;
    service.activeOf('r')[0]!.cancel.abort(lost);
    await new Promise(setImmediate);
    expect([service.activeOf('r').length, service.activeOf('other').length]).toEqual([1, 0]);
    close();
    await service.drain();
    expect(service.activeOf('r')).toEqual([]);
  });
});

it('carries out a run under its condition, and leaves it to others where that does not hold', async () => {
  const { service, ends, told, close, start } = lab(() => {
    throw new CausewayError('fleet.claim-lost', 'r');
  });
  start();
  close();
  await service.drain();
  expect([ends, told.at(-1)]).toEqual([[], 'interrupted']);
});
