import type { CoreContext } from '../core-context.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const queueCalls: Handlers<CallsOf<'queue'>> = {
  async 'queue.show'(core) {
    return queueOf(core);
  },

  /** Holds at once, and for this project from now on. */
  async 'queue.setLimit'(core, { atOnce }) {
    core.store.queueLimit.set(atOnce);
    core.executions.runs.queue.setLimit(atOnce);
    core.deployments.runs.queue.setLimit(atOnce);
    return queueOf(core);
  },
};

function queueOf(core: CoreContext) {
  return {
    atOnce: core.store.queueLimit.get() ?? core.defaultAtOnce,
    executions: core.executions.runs.queue.counts(),
    deployments: core.deployments.runs.queue.counts(),
  };
}
