import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { EventType } from '../../../shared/model/event.ts';
import { isTerminalExecution, type Execution, type ExecutionOptions, type ExecutionState } from '../../../shared/model/execution.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { ExecutionProgress, RateSample } from '../../../shared/model/progress.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import { createBandwidthLimiter } from '../bandwidth/index.ts';
import { isCleanUp } from '../jobs/task-graph.ts';
import { runGraph } from '../jobs/runner.ts';
import { newId } from '../store/ids.ts';
import { activeExecution, cancelled, type ActiveExecution } from './active-execution.ts';
import { finishExecution } from './execution-ending.ts';
import { limits, pickLimits, type Limits } from './execution-limits.ts';
import { executionContext } from './open-execution-context.ts';
import type { ExecutionServiceOptions, OpenReplica } from './execution-service-options.ts';
import { executionSlots } from './execution-slots.ts';
import { replicaGraph } from './replica-graph.ts';
import type { workerLink } from './execution-context.ts';
import { replicaSteps } from './steps/index.ts';
import { taskRecorder } from './task-recorder.ts';

export type ExecutionService = ReturnType<typeof executionService>;

/** Starts, continues, cancels executions, one at a time for each replica and a few at a time in all. */
export function executionService(service: ExecutionServiceOptions) {
  const { store } = service;
  const active = new Map<string, ActiveExecution>();
  /** Why executions are interrupted whose state the store could not take. */
  const unrecorded = new Map<string, ErrorRecord>();
  const slots = executionSlots(service.limit);

  function start(execution: Execution): Execution {
    unrecorded.delete(execution.id);
    const entry = activeExecution(store, execution);
    // What was being cancelled goes on being cancelled.
    if (execution.state === 'cancelling') entry.cancel.abort(cancelled());
    active.set(execution.id, entry);
    entry.done = run(execution, entry).catch((error: unknown) => interrupt(execution, entry, toErrorRecord(error))).finally(() => active.delete(execution.id));
    return execution;
  }

  function setState(execution: Execution, state: ExecutionState, message: string): void {
    store.executions.setState(execution.id, state);
    emit(execution, 'execution.state', message, { state });
  }

  /** The result of the execution could not be recorded: it has to be resumed. */
  function interrupt(execution: Execution, entry: ActiveExecution, reason: ErrorRecord): void {
    const shown = service.clean(reason);
    unrecorded.set(execution.id, shown);
    try {
      // What was being cancelled goes on being cancelled.
      if (!entry.cancel.signal.aborted) store.executions.setState(execution.id, 'interrupted');
    } catch {
      // It is shown as interrupted all the same, and marked as such at the next opening.
    }
    emit(execution, 'execution.state', `the execution was interrupted: ${errorText(shown.code).title}: ${shown.message}`, {
      state: 'interrupted', code: shown.code, evidence: shown.message,
    });
  }

  function emit(execution: Execution, type: EventType, message: string, details: JsonObject = {}): void {
    service.emit({ type, replicaId: execution.replicaId, executionId: execution.id, message, details });
  }

  /** A place among those that run; while there is none, the execution waits, and says so. */
  function turn(execution: Execution, entry: ActiveExecution): Promise<() => void> {
    if (slots.isFull() && !entry.cancel.signal.aborted) setState(execution, 'pending', 'the execution is queued');
    return slots.take(execution.id, entry.cancel.signal);
  }

  async function run(execution: Execution, entry: ActiveExecution): Promise<void> {
    const release = await turn(execution, entry);
    const graph = replicaGraph(execution.options);
    let opened: OpenReplica | undefined;
    let link: ReturnType<typeof workerLink> | undefined;
    try {
      store.tasks.plan(execution.id, graph.map((node) => ({ id: node.id, title: node.title, cleanUp: isCleanUp(node) })));
      if (!entry.cancel.signal.aborted) setState(execution, 'running', 'execution started');
      const replica = store.replicas.find(execution.replicaId);
      if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${execution.replicaId}`);
      const note = (message: string, details?: JsonObject): void => emit(execution, 'note', message, details);
      opened = await service.open(replica, { executionId: execution.id, note }, entry.force.signal);
      const context = executionContext(service, emit, execution, replica, entry, opened);
      link = context.workers;
      const outcome = await runGraph({
        graph,
        handlers: replicaSteps(context),
        recorder: taskRecorder(store, execution, service.clean, (type, taskId, message, details) =>
          service.emit({ type, replicaId: execution.replicaId, executionId: execution.id, taskId, message, details })),
        cancel: entry.cancel.signal,
        force: entry.force.signal,
      });
      context.meter?.flush();
      if (outcome.state === 'interrupted') interrupt(execution, entry, outcome.error ?? toErrorRecord(undefined));
      else finishExecution(service, emit, execution, entry, outcome.state, outcome.error, outcome.cleanUpErrors);
    } catch (error) {
      if (systemFailure(error) !== undefined) {
        interrupt(execution, entry, toErrorRecord(error));
        return;
      }
      if (opened === undefined && store.tasks.list(execution.id).some((task) => task.attempts > 0)) {
        // It has things to clean up, and could not even be taken up (a locked vault, an endpoint out of reach).
        setState(execution, 'interrupted', `the execution could not be resumed: ${toErrorRecord(error).message}`);
        return;
      }
      finishExecution(service, emit, execution, entry, entry.cancel.signal.aborted ? 'cancelled' : 'failed', toErrorRecord(error), []);
    } finally {
      await link?.close();
      await opened?.close();
      release();
    }
  }

  return {
    /** What ran when the engine ended is marked as interrupted; to be called once, before anything else. */
    markInterrupted(): readonly Execution[] {
      const open = store.executions.listOpen();
      for (const execution of open) {
        if (execution.state !== 'pending' && execution.state !== 'running') continue;
        try {
          setState(execution, 'interrupted', 'the engine stopped during the execution');
        } catch (error) {
          // On a full disk the project can still be read; `asShown` says how the execution is.
          if (systemFailure(error) === undefined) throw error;
        }
      }
      return open;
    },

    /** Goes on with everything that was interrupted. */
    resumeInterrupted(): readonly Execution[] {
      return store.executions.listOpen().filter((execution) => !active.has(execution.id)).map(start);
    },

    /**
     * A new execution; or, when the replica's last one was interrupted, that one goes on where it was.
     * @throws CausewayError `engine.execution-active`
     */
    execute(replica: Replica, options: ExecutionOptions): Execution {
      const open = store.executions.listOpen().find((execution) => execution.replicaId === replica.id);
      if (open !== undefined) {
        if (active.has(open.id)) throw new CausewayError('engine.execution-active', `${open.id} of replica ${replica.name}`, { details: { executionId: open.id } });
        const limited = { ...open.options, ...pickLimits(options) };
        store.executions.setOptions(open.id, limited);
        return start({ ...open, options: limited });
      }
      const id = newId('exe');
      createBandwidthLimiter(limits(options));
      store.executions.add({ id, replicaId: replica.id, options, createdAt: new Date().toISOString() });
      const execution = store.executions.find(id);
      if (execution === undefined) throw new CausewayError('general.bug', `execution ${id} was not stored`);
      emit(execution, 'execution.created', `execution ${execution.number} of replica ${replica.name} (${id})`);
      return start(execution);
    },

    /**
     * Asks an execution to stop and clean up; with `force`, to leave the clean-up as well. One that was interrupted is
     * resumed only to clean up.
     */
    cancel(id: string, force: boolean): void {
      const execution = store.executions.find(id);
      if (execution === undefined) throw new CausewayError('engine.not-found', `execution ${id}`);
      if (isTerminalExecution(execution.state)) throw new CausewayError('engine.not-active', `execution ${id} is ${execution.state}`);
      if (execution.state !== 'cancelling') setState(execution, 'cancelling', 'the execution is being cancelled');
      const entry = active.get(id);
      if (entry === undefined) {
        start({ ...execution, state: 'cancelling' });
        if (force) active.get(id)?.force.abort(cancelled());
        return;
      }
      entry.cancel.abort(cancelled());
      if (force) entry.force.abort(cancelled());
    },

    /** Other limits from now on. */
    limit(id: string, change: Limits): void {
      const entry = active.get(id);
      const execution = store.executions.find(id);
      if (entry === undefined || execution === undefined) throw new CausewayError('engine.not-active', `execution ${id}`);
      entry.limiter.set(limits(change));
      const { bandwidthLimit: _limit, bandwidthProfile: _profile, ...rest } = execution.options;
      store.executions.setOptions(id, { ...rest, ...change });
      emit(execution, 'note', 'the bandwidth limit was changed', pickLimits(change));
    },

    /** Writes into every run's journal that the computer was asleep, so that its pause explains itself. */
    noteSleep(asleepMs: number): void {
      for (const id of active.keys()) {
        const execution = store.executions.find(id);
        if (execution !== undefined) emit(execution, 'note', `the computer was asleep for ${Math.round(asleepMs / 1000)} s`, { asleepMs });
      }
    },

    /** An execution as it is, whether or not the store could take that. */
    asShown(execution: Execution): Execution {
      const error = unrecorded.get(execution.id);
      if (error !== undefined) return { ...execution, state: 'interrupted', error };
      const isAbandoned = (execution.state === 'pending' || execution.state === 'running') && !active.has(execution.id);
      return isAbandoned ? { ...execution, state: 'interrupted' } : execution;
    },

    /** The newest numbers of a running execution. */
    progress: (id: string): ExecutionProgress | undefined => active.get(id)?.progress,

    /** How fast it was over time. */
    rates: (id: string): readonly RateSample[] => active.get(id)?.rates.samples() ?? store.rates.get(id),

    /** Who waits for a turn, and how many run at the same time. */
    queue: { positionOf: slots.positionOf, counts: slots.counts, setLimit: slots.setLimit },

    activeIds: (): readonly string[] => [...active.keys()],

    /** Resolves when the execution is over. */
    async settled(id: string): Promise<void> {
      await active.get(id)?.done;
    },

    /** Resolves when all are over. */
    async drain(): Promise<void> {
      while (active.size > 0) await Promise.allSettled([...active.values()].map((entry) => entry.done));
    },
  };
}
