import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { CallsOf, Handlers } from '../core-context.ts';

export const workerCalls: Handlers<CallsOf<'workers'>> = {
  async 'workers.pool'(core) {
    return core.workerPool.view();
  },

  async 'workers.setPool'(core, settings) {
    if (settings.keep > 0 && core.fleet !== undefined) throw new CausewayError('engine.pool-in-fleet', 'the project is part of a fleet');
    await core.workerPool.configure({ keep: settings.keep, minutes: settings.minutes ?? core.store.workerPool.get().minutes });
    return core.workerPool.view();
  },

  async 'workers.drain'(core) {
    await core.workerPool.drain();
    return core.workerPool.view();
  },
};
