import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { isTerminalExecution, type Execution, type ExecutionOptions } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ExecutionProgress, RateSample } from '../../../shared/model/progress.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { createBandwidthLimiter } from '../bandwidth/index.ts';
import { RunService, type OpenedRun, type RunEnding } from '../runs/run-service.ts';
import { newId } from '../store/ids.ts';
import { activeExecution, limits, pickLimits, type ActiveExecution, type Limits } from './active-execution.ts';
import type { ExecutionServiceOptions } from './execution-service-options.ts';
import { executionContext } from './open-execution-context.ts';
import { progressElsewhere } from './progress-elsewhere.ts';
import { replicaGraph } from './replica-graph.ts';
import { replicaSteps } from './steps/index.ts';

export type ExecutionService = ReturnType<typeof executionService>;

/** Starts, continues, cancels executions, one at a time for each replica and a few at a time in all. */
export function executionService(service: ExecutionServiceOptions) {
  const { store } = service;
  const elsewhere = progressElsewhere((id) => {
    const execution = store.executions.find(id);
    return execution !== undefined && !isTerminalExecution(execution.state);
  });
  const together = createBandwidthLimiter(limits(store.bandwidthLimit.get()));
  const runs = new RunService<Execution, ActiveExecution, OpenedRun>({
    noun: 'execution',
    runs: store.executions,
    tasks: store.tasks,
    findReplica: (id) => store.replicas.find(id),
    graphOf: (execution) => replicaGraph(execution.options),
    activate: (execution, base) => activeExecution(store, execution, base, together),
    open,
    finish,
    clean: (error) => service.clean(error),
    emit: (event) => service.emit(event),
    condition: ({ replicaId }) => store.ledger.claimed(replicaId),
    elsewhere: service.elsewhere,
    limit: service.limit,
    clock: service.clock,
  });

  async function open(execution: Execution, replica: Replica, entry: ActiveExecution): Promise<OpenedRun> {
    const note = (message: string, details?: JsonObject): void => runs.emit(execution, 'note', message, details);
    const opened = await service.open(replica, { executionId: execution.id, note }, entry.force.signal);
    try {
      const context = executionContext(service, (...told) => runs.emit(...told), execution, replica, entry, opened);
      return {
        steps: replicaSteps(context),
        tasksEnded: () => context.meter?.flush(),
        async close() {
          await context.workers.close();
          // Where the end of its use was not carried out, nobody knows what it still holds.
          await service.pool?.discard(execution.id);
          service.ownVms?.giveBack(execution.id);
          await opened.close();
        },
      };
    } catch (error) {
      await opened.close();
      throw error;
    }
  }

  /** The final state, always: with the error, the last numbers, and what was left behind. */
  function finish(execution: Execution, entry: ActiveExecution, { outcome }: RunEnding<OpenedRun>): void {
    const left = store.ledger
      .list()
      .filter((item) => item.executionId === execution.id && item.lifetime === 'temporary');
    if (entry.progress !== undefined) store.executions.setProgress(execution.id, entry.progress);
    if (entry.rates.samples().length > 0) store.rates.set(execution.id, entry.rates.samples());
    if (left.length > 0) {
      runs.emit(execution, 'execution.left-behind', `${left.length} temporary resources were left behind`, {
        entries: left.map((item) => ({ entryId: item.entryId, kind: item.kind, name: item.name })),
      });
    }
    const cause = outcome.error ?? outcome.cleanUpErrors[0];
    const error = cause === undefined ? undefined : service.clean(cause);
    store.executions.finish(execution.id, {
      state: outcome.state,
      ...(error === undefined ? {} : { error }),
      leftBehind: left.length,
    });
    runs.emitEnd(execution, outcome.state, error);
  }

  /** Stores a new execution that nothing has been done of. */
  function add(replica: Replica, options: ExecutionOptions): Execution {
    const id = newId('exe');
    createBandwidthLimiter(limits(options));
    store.executions.add({ id, replicaId: replica.id, options, createdAt: new Date().toISOString() });
    const execution = store.executions.find(id);
    if (execution === undefined) throw new CausewayError('general.bug', `execution ${id} was not stored`);
    runs.emit(execution, 'execution.created', `execution ${execution.number} of replica ${replica.name} (${id})`);
    return execution;
  }

  return {
    runs,

    /**
     * A new execution; or, if the replica's last one was interrupted, that one is resumed.
     * @throws CausewayError `engine.execution-active`
     */
    execute(replica: Replica, options: ExecutionOptions): Execution {
      const former = runs.openRunOf(replica.id);
      if (former !== undefined) {
        if (runs.active(former.id) !== undefined)
          throw new CausewayError('engine.execution-active', `${former.id} of replica ${replica.name}`, {
            details: { executionId: former.id },
          });
        const limited = { ...former.options, ...pickLimits(options) };
        store.executions.setOptions(former.id, limited);
        return runs.start({ ...former, options: limited });
      }
      return runs.start(add(replica, options));
    },

    /** An execution that waits for whichever member of the fleet begins it; or the one that has not ended. */
    order: (replica: Replica, options: ExecutionOptions): Execution =>
      runs.openRunOf(replica.id) ?? add(replica, options),

    /** Other limits from now on. */
    limit(id: string, change: Limits): void {
      const entry = runs.active(id);
      const execution = store.executions.find(id);
      if (entry === undefined || execution === undefined)
        throw new CausewayError('engine.not-active', `execution ${id}`);
      entry.limiter.set(limits(change));
      const { bandwidthLimit: _limit, bandwidthProfile: _profile, ...rest } = execution.options;
      store.executions.setOptions(id, { ...rest, ...change });
      runs.emit(execution, 'note', 'the bandwidth limit was changed', pickLimits(change));
    },

    /** Another limit of all executions together from now on; those that run share it equally. */
    limitTogether(change: Limits): void {
      together.set(limits(change));
      store.bandwidthLimit.set(change);
    },

    /** Records in every active execution that the computer was asleep, which explains the pause. */
    noteSleep(asleepMs: number): void {
      for (const id of runs.activeIds()) {
        const execution = store.executions.find(id);
        if (execution !== undefined)
          runs.emit(execution, 'note', `the computer was asleep for ${Math.round(asleepMs / 1000)} s`, { asleepMs });
      }
    },

    /** The newest numbers of a running execution. */
    progress(id: string): ExecutionProgress | undefined {
      const active = runs.active(id);
      return active === undefined ? elsewhere.get(id) : active.progress;
    },

    /** Numbers of an execution that another member carries out. */
    heard: (progress: ExecutionProgress): void => elsewhere.heard(progress),

    /** How fast it was over time. */
    rates: (id: string): readonly RateSample[] => runs.active(id)?.rates.samples() ?? store.rates.get(id),
  };
}
