import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Execution } from '../../../../shared/model/execution.ts';
import { replicaGraph } from '../../executions/replica-graph.ts';
import { graphTasks } from '../graph-tasks.ts';
import { executionOf, replicaOf, type CoreContext } from '../core-context.ts';
import type { CallsOf, Handlers } from './handler.ts';

export const executionCalls: Handlers<CallsOf<'execution'>> = {
  async 'execution.list'(core, { replica, limit, latest }) {
    if (latest && replica === undefined) return core.store.executions.listLatest().map((execution) => withProgress(core, execution));
    const filter = replica === undefined ? { limit } : { limit, replicaId: replicaOf(core, replica).id };
    return core.store.executions.list(filter).map((execution) => withProgress(core, execution));
  },

  async 'execution.show'(core, { execution: reference }) {
    const execution = executionOf(core, reference);
    const tasks = graphTasks(core.store.tasks.list(execution.id), replicaGraph(execution.options));
    return { ...withProgress(core, execution), tasks };
  },

  async 'execution.cancel'(core, { execution, force }) {
    core.executions.runs.cancel(executionOf(core, execution).id, force);
    return {};
  },

  async 'execution.limit'(core, { execution, ...change }) {
    core.executions.limit(executionOf(core, execution).id, change);
    return {};
  },

  async 'execution.resume'(core, { execution: reference }) {
    if (reference === undefined) return core.gate.isProjectAccepted() ? [...core.executions.runs.resumeInterrupted()] : [];
    const execution = executionOf(core, reference);
    const { state } = core.executions.runs.asShown(execution);
    if (state !== 'interrupted' && state !== 'cancelling') {
      throw new CausewayError('engine.not-active', `execution ${execution.id} is ${execution.state}`);
    }
    return [core.executions.execute(replicaOf(core, execution.replicaId), {})];
  },

  async 'execution.events'(core, { execution, after, limit }) {
    const filter = execution === undefined ? { limit } : { limit, executionId: executionOf(core, execution).id };
    return core.store.events.listAfter(after, filter);
  },

  async 'execution.rates'(core, { execution }) {
    return [...core.executions.rates(executionOf(core, execution).id)];
  },
};

/** The newest numbers: those in memory while it runs, those stored at its end after that. And its place in the queue. */
function withProgress(core: CoreContext, stored: Execution): Execution {
  const execution = core.executions.runs.asShown(stored);
  const progress = core.executions.progress(execution.id) ?? execution.progress;
  const queuePosition = core.executions.runs.queue.positionOf(execution.id);
  return { ...execution, ...(progress === undefined ? {} : { progress }), ...(queuePosition === undefined ? {} : { queuePosition }) };
}
