import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Execution } from '../../../../shared/model/execution.ts';
import type { GraphTask } from '../../../../shared/model/task.ts';
import { replicaGraph } from '../../executions/replica-graph.ts';
import type { TaskGraph } from '../../jobs/task-graph.ts';
import { isWaiting } from '../../runs/run-service.ts';
import type { StoredTask } from '../../store/tasks.ts';
import { executionOf, replicaOf, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';

export const executionCalls: Handlers<CallsOf<'execution'>> = {
  async 'execution.list'(core, { replica, limit, latest }) {
    if (latest && replica === undefined)
      return core.store.executions.listLatest().map((execution) => withProgress(core, execution));
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
    // Others may be carrying them out: what nobody has claimed is continued by itself.
    if (reference === undefined && core.fleet !== undefined) return [];
    if (reference === undefined)
      return core.gate.isProjectAccepted() ? [...core.executions.runs.resumeInterrupted()] : [];
    const execution = executionOf(core, reference);
    const { state } = core.executions.runs.asShown(execution);
    if (state !== 'interrupted' && state !== 'cancelling' && !(core.fleet !== undefined && isWaiting(execution))) {
      throw new CausewayError('engine.not-active', `execution ${execution.id} is ${execution.state}`);
    }
    return [core.executions.execute(replicaOf(core, execution.replicaId), {})];
  },

  async 'execution.events'(core, { execution, after, limit, newest }) {
    const filter =
      execution === undefined ? { limit, newest } : { limit, newest, executionId: executionOf(core, execution).id };
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
  return {
    ...execution,
    ...(progress === undefined ? {} : { progress }),
    ...(queuePosition === undefined ? {} : { queuePosition }),
  };
}

export const queueCalls: Handlers<CallsOf<'queue'>> = {
  async 'queue.show'(core) {
    return queueOf(core);
  },

  /** Takes effect immediately, and for this project from now on. */
  async 'queue.setLimit'(core, { atOnce }) {
    core.store.queueLimit.set(atOnce);
    core.executions.runs.queue.setLimit(atOnce);
    core.deployments.runs.queue.setLimit(atOnce);
    return queueOf(core);
  },

  /** Takes effect immediately, and for this project from now on. */
  async 'queue.setBandwidth'(core, limit) {
    core.executions.limitTogether(limit);
    return queueOf(core);
  },
};

function queueOf(core: CoreContext) {
  return {
    atOnce: core.store.queueLimit.get() ?? core.defaultAtOnce,
    ...core.store.bandwidthLimit.get(),
    executions: core.executions.runs.queue.counts(),
    deployments: core.deployments.runs.queue.counts(),
  };
}

/** Tasks as they are shown: without what they yielded, with what each of them comes after. */
export function graphTasks(tasks: readonly StoredTask[], graph: TaskGraph): GraphTask[] {
  const after = new Map(graph.map((node) => [node.id, node.after]));
  return tasks.map(({ result: _result, ...task }) => ({ ...task, after: [...(after.get(task.id) ?? [])] }));
}
