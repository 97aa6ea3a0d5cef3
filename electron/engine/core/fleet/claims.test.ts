import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { ActiveRun } from '../../runs/run-service.ts';
import type { CoreContext } from '../core-context.ts';
import { claimForCall } from './claims.ts';
import { fleetHooks } from './fleet-hooks.ts';

const never = new AbortController().signal;

describe('the claims of an engine', () => {
  const uncaught: unknown[] = [];
  const note = (error: unknown): void => void uncaught.push(error);
  beforeEach(() => void process.on('uncaughtException', note));
  afterEach(() => void process.off('uncaughtException', note));

  /** An engine that carries out a run on its only replica, and takes part in a fleet that can take the claim away. */
  function engine() {
    const lost: AbortController[] = [];
    const ended = Promise.withResolvers<undefined>();
    const run: ActiveRun = { cancel: new AbortController(), force: new AbortController(), done: ended.promise };
    const active = [run];
    const runs = {
      activeOf: () => active,
      openRunOf: () => {
        throw new Error('the store does not answer');
      },
    };
    const none = { runs: { activeOf: () => [], openRunOf: () => undefined } };
    const fleet = { claim: () => Promise.resolve({ lost: lost[lost.push(new AbortController()) - 1]!.signal }) };
    const core = {
      fleet,
      executions: { runs },
      deployments: none,
      store: { replicas: { find: () => ({ id: 'r' }), findByName: () => ({ id: 'r' }) } },
    } as unknown as CoreContext;
    return { core, run, lost, end: () => (active.pop(), ended.resolve(undefined)) };
  }

  it('stop what runs when one is lost, also while the store does not answer', async () => {
    const { core, run, lost } = engine();
    await claimForCall(core, 'execution.resume', { replica: 'r' }, never);
    lost[0]!.abort(new CausewayError('fleet.claim-lost', 'r'));
    await new Promise(setImmediate);
    expect(uncaught).toEqual([]);
    expect([run.cancel.signal.reason, run.force.signal.reason]).toEqual([
      lost[0]!.signal.reason,
      lost[0]!.signal.reason,
    ]);
  });

  it('carry out nothing where one was lost before the call went on', async () => {
    const { core, lost } = engine();
    const { fleet } = core as unknown as { readonly fleet: { claim(): Promise<unknown> } };
    const { claim } = fleet;
    fleet.claim = async () => {
      const claimed = await claim();
      lost[0]!.abort(new CausewayError('fleet.claim-lost', 'r'));
      return claimed;
    };
    await expect(claimForCall(core, 'execution.resume', { replica: 'r' }, never)).rejects.toThrow(
      expect.objectContaining({ code: 'fleet.claim-lost' }) as Error,
    );
  });

  it('are not made anew before all that ran under the former one has ended', async () => {
    const { core, lost, end } = engine();
    await claimForCall(core, 'execution.resume', { replica: 'r' }, never);
    lost[0]!.abort(new CausewayError('fleet.claim-lost', 'r'));
    const impatient = new AbortController();
    const again = claimForCall(core, 'execution.resume', { replica: 'r' }, never);
    const briefly = claimForCall(core, 'execution.resume', { replica: 'r' }, impatient.signal);
    await new Promise(setImmediate);
    expect(lost).toHaveLength(1);
    impatient.abort(new CausewayError('general.cancelled', 'enough'));
    await expect(briefly).rejects.toThrow(expect.objectContaining({ code: 'general.cancelled' }) as Error);
    expect(
      fleetHooks(core, () => Promise.reject(new Error('not asked')), {
        applied: () => undefined,
        progress: () => undefined,
        moved: () => undefined,
      }).isBusy('r'),
    ).toBe(true);
    end();
    await again;
    expect(lost).toHaveLength(2);
  });
});
