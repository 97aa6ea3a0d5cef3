import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { EventType } from '../../../shared/model/event.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { systemFailure } from '../../../shared/model/system-failure.ts';
import { underCondition } from '../http/request-condition.ts';
import { runGraph, type RunOutcome } from '../jobs/runner.ts';
import type { BoundSteps } from '../jobs/steps.ts';
import { isCleanUp, type TaskGraph } from '../jobs/task-graph.ts';
import type { NewEvent } from '../store/events.ts';
import type { RunQueries } from '../store/runs.ts';
import type { TaskStore } from '../store/tasks.ts';
import type { Clock } from '../time/clock.ts';
import { runSlots } from './run-slots.ts';
import { taskRecorder } from './task-recorder.ts';

type OpenState = 'pending' | 'running' | 'cancelling' | 'interrupted';
type EndState = 'completed' | 'failed' | 'cancelled';
const ended: Readonly<Record<EndState, string>> = {
  completed: 'completed',
  failed: 'failed',
  cancelled: 'was cancelled',
};

/** What executions and deployments have in common: numbered runs of a replica's task graph. */
export interface Run {
  readonly id: string;
  readonly replicaId: string;
  readonly number: number;
  readonly state: OpenState | EndState | 'deleted';
  readonly error?: ErrorRecord | undefined;
  readonly startedAt?: string | undefined;
  /** The other member of the fleet that carries it out. */
  readonly member?: string | undefined;
}

/** A run that this process carries out, or lets wait for a place. */
export interface ActiveRun {
  readonly cancel: AbortController;
  /** Ends the clean-up as well. */
  readonly force: AbortController;
  done: Promise<void>;
}

/** What a run needs while it runs; `close` ends all of it. */
export interface OpenedRun {
  readonly steps: BoundSteps;
  /** Called when the last task has ended. */
  tasksEnded?(): void;
  close(): Promise<void>;
}

/** How a run ended. `opened` is missing when it could not be opened. */
export interface RunEnding<O> {
  readonly outcome: Pick<RunOutcome, 'error' | 'cleanUpErrors'> & { readonly state: EndState };
  readonly opened: O | undefined;
}

/** What one kind of run adds. */
export interface RunKind<R extends Run, A extends ActiveRun, O extends OpenedRun> {
  readonly noun: 'execution' | 'deployment';
  readonly runs: Pick<RunQueries<R, OpenState>, 'listOpen' | 'setState'> & { find(id: string): R | undefined };
  readonly tasks: TaskStore;
  findReplica(id: string): Replica | undefined;
  graphOf(run: R): TaskGraph;
  activate(run: R, base: ActiveRun): A;
  /** Opens platforms and resolves what the run refers to. */
  open(run: R, replica: Replica, entry: A): Promise<O>;
  /** Records the end, with what was left behind. */
  finish(run: R, entry: A, ending: RunEnding<O>): void;
  /** Removes secrets from an error before it is stored. */
  clean(error: ErrorRecord): ErrorRecord;
  /** Stores an event, without secrets, and notifies the listeners. */
  emit(event: NewEvent): void;
  /** What has to hold while requests of a run begin; it throws otherwise. Default: nothing. */
  condition?(run: R): () => void;
  /** Where several engines share the project: who else carries out what there is of a replica, by name. */
  readonly elsewhere?: ((replicaId: string) => string | undefined) | undefined;
  /** How many run at the same time. */
  readonly limit: number;
  /** For the pauses before further attempts. Default: the system's. */
  readonly clock?: Clock | undefined;
}

/** How many run at the same time, and who waits. */
export type RunQueue = Pick<ReturnType<typeof runSlots>, 'positionOf' | 'counts' | 'setLimit'>;

/**
 * The life of runs of one kind: start, wait for a place, run, cancel, be interrupted, resume, end. Any state that the store could
 * not take is shown as interrupted, and the run has to be resumed.
 */
export class RunService<R extends Run, A extends ActiveRun, O extends OpenedRun> {
  readonly #kind: RunKind<R, A, O>;
  readonly #active = new Map<string, A>();
  /** Of runs that this process carries out: without asking the store, which may not answer when they have to stop. */
  readonly #replicas = new Map<string, string>();
  /** Why runs are interrupted when their state could not be stored. */
  readonly #unrecorded = new Map<string, ErrorRecord>();
  readonly #slots: ReturnType<typeof runSlots>;
  readonly queue: RunQueue;

  constructor(kind: RunKind<R, A, O>) {
    this.#kind = kind;
    this.#slots = runSlots(kind.limit);
    const { positionOf, counts, setLimit } = this.#slots;
    this.queue = { positionOf, counts, setLimit };
  }

  active(id: string): A | undefined {
    return this.#active.get(id);
  }

  /** What this process carries out on a replica, until all of it is closed. */
  activeOf(replicaId: string): readonly A[] {
    return [...this.#active].flatMap(([id, entry]) => (this.#replicas.get(id) === replicaId ? entry : []));
  }

  activeIds(): readonly string[] {
    return [...this.#active.keys()];
  }

  /** The run of a replica that has not ended. */
  openRunOf(replicaId: string): R | undefined {
    return this.#kind.runs.listOpen().find((run) => run.replicaId === replicaId);
  }

  /** Starts a run, or resumes it. */
  start(run: R): R {
    this.#unrecorded.delete(run.id);
    const entry = this.#kind.activate(run, {
      cancel: new AbortController(),
      force: new AbortController(),
      done: Promise.resolve(),
    });
    // A cancellation continues after a restart.
    if (run.state === 'cancelling') entry.cancel.abort(this.#cancelled());
    this.#active.set(run.id, entry);
    this.#replicas.set(run.id, run.replicaId);
    const condition = this.#kind.condition?.(run) ?? (() => undefined);
    entry.done = underCondition(condition, () => this.#run(run, entry))
      .catch((error: unknown) => this.#interrupt(run, entry, toErrorRecord(error)))
      .finally(() => {
        this.#active.delete(run.id);
        this.#replicas.delete(run.id);
      });
    return run;
  }

  emit(run: R, type: EventType, message: string, details: JsonObject = {}, taskId?: string): void {
    const { noun } = this.#kind;
    const ids = noun === 'execution' ? { executionId: run.id } : { deploymentId: run.id };
    this.#kind.emit({
      type,
      replicaId: run.replicaId,
      ...ids,
      ...(taskId === undefined ? {} : { taskId }),
      message,
      details,
    });
  }

  /** Tells the final state; `error` is free of secrets. */
  emitEnd(run: R, state: EndState, error: ErrorRecord | undefined): void {
    const { noun } = this.#kind;
    this.emit(
      run,
      `${noun}.state`,
      `the ${noun} ${ended[state]}${error === undefined ? '' : `: ${errorText(error.code).title}`}`,
      {
        state,
        ...(error === undefined ? {} : { code: error.code, evidence: error.message }),
      },
    );
  }

  /** What ran when the engine ended is marked as interrupted; to be called once, before anything else. */
  markInterrupted(): readonly R[] {
    const open = this.#kind.runs.listOpen();
    for (const run of open) {
      if (run.state !== 'pending' && run.state !== 'running') continue;
      try {
        this.#setState(run, 'interrupted', `the engine stopped during the ${this.#kind.noun}`);
      } catch (error) {
        // On a full disk the project can still be read; `asShown` says how the run is.
        if (systemFailure(error) === undefined) throw error;
      }
    }
    return open;
  }

  /** Marks what another engine has left of a replica as interrupted. Returns its open run, unless this process carries it out. */
  interruptAbandoned(replicaId: string): R | undefined {
    const run = this.openRunOf(replicaId);
    if (run === undefined || this.#active.has(run.id)) return undefined;
    if (isWaiting(run)) return run;
    if (run.state === 'pending' || run.state === 'running')
      this.#setState(run, 'interrupted', `another computer stopped during the ${this.#kind.noun}; it continues here`);
    return run;
  }

  /** Resumes everything that was interrupted. */
  resumeInterrupted(): readonly R[] {
    return this.#kind.runs
      .listOpen()
      .filter((run) => !this.#active.has(run.id))
      .map((run) => this.start(run));
  }

  /**
   * Asks a run to stop and clean up; with `force`, to leave the clean-up as well. One that was interrupted is
   * resumed only to clean up.
   * @throws CausewayError `engine.not-found`, `engine.not-active`
   */
  cancel(id: string, force: boolean): void {
    const { noun, runs } = this.#kind;
    const run = runs.find(id);
    if (run === undefined) throw new CausewayError('engine.not-found', `${noun} ${id}`);
    if (isTerminal(run)) throw new CausewayError('engine.not-active', `${noun} ${id} is ${run.state}`);
    if (run.state !== 'cancelling') this.#setState(run, 'cancelling', `the ${noun} is being cancelled`);
    if (!this.#active.has(id)) this.start({ ...run, state: 'cancelling' });
    const entry = this.#active.get(id);
    entry?.cancel.abort(this.#cancelled());
    if (force) entry?.force.abort(this.#cancelled());
  }

  /** A run as it is, whether or not the store could take that. */
  asShown(run: R): R {
    if (!isTerminal(run) && !this.#active.has(run.id)) {
      const member = this.#kind.elsewhere?.(run.replicaId);
      if (member !== undefined)
        return { ...run, state: run.state === 'interrupted' ? 'running' : run.state, error: undefined, member };
      // Any member may begin it.
      if (this.#kind.elsewhere !== undefined && isWaiting(run)) return run;
    }
    const error = this.#unrecorded.get(run.id);
    // Where engines share a project another one may have ended it since.
    if (error !== undefined && !isTerminal(run)) return { ...run, state: 'interrupted', error };
    const isAbandoned = (run.state === 'pending' || run.state === 'running') && !this.#active.has(run.id);
    return isAbandoned ? { ...run, state: 'interrupted' } : run;
  }

  /** Resolves when the run has ended. */
  async settled(id: string): Promise<void> {
    await this.#active.get(id)?.done;
  }

  /** Resolves when all are over. */
  async drain(): Promise<void> {
    while (this.#active.size > 0) await Promise.allSettled([...this.#active.values()].map((entry) => entry.done));
  }

  #setState(run: R, state: OpenState, message: string): void {
    this.#kind.runs.setState(run.id, state);
    this.emit(run, `${this.#kind.noun}.state`, message, { state });
  }

  /** The result of the run could not be recorded: it has to be resumed. */
  #interrupt(run: R, entry: A, reason: ErrorRecord): void {
    const { noun, runs, clean } = this.#kind;
    const shown = clean(reason);
    this.#unrecorded.set(run.id, shown);
    try {
      // A cancellation continues after a restart.
      if (!entry.cancel.signal.aborted) runs.setState(run.id, 'interrupted');
    } catch {
      // It is shown as interrupted all the same, and marked as such at the next opening.
    }
    this.emit(run, `${noun}.state`, `the ${noun} was interrupted: ${errorText(shown.code).title}: ${shown.message}`, {
      state: 'interrupted',
      code: shown.code,
      evidence: shown.message,
    });
  }

  /** A place among those that run; while there is none, the run waits, and says so. */
  #place(run: R, entry: A): Promise<() => void> {
    if (this.#slots.isFull() && !entry.cancel.signal.aborted)
      this.#setState(run, 'pending', `the ${this.#kind.noun} is queued`);
    return this.#slots.take(run.id, entry.cancel.signal);
  }

  async #run(run: R, entry: A): Promise<void> {
    const { noun, tasks, findReplica, graphOf, open, finish, clean, clock } = this.#kind;
    const release = await this.#place(run, entry);
    const graph = graphOf(run);
    let opened: O | undefined;
    try {
      tasks.plan(
        run.id,
        graph.map((node) => ({ id: node.id, title: node.title, cleanUp: isCleanUp(node) })),
      );
      if (!entry.cancel.signal.aborted) this.#setState(run, 'running', `${noun} started`);
      const replica = findReplica(run.replicaId);
      if (replica === undefined) throw new CausewayError('engine.not-found', `replica ${run.replicaId}`);
      opened = await open(run, replica, entry);
      const outcome = await runGraph({
        graph,
        steps: opened.steps,
        recorder: taskRecorder(tasks, run, clean, (type, taskId, message, details) =>
          this.emit(run, type, message, details, taskId),
        ),
        cancel: entry.cancel.signal,
        force: entry.force.signal,
        clock,
      });
      opened.tasksEnded?.();
      const taken = takenOver(entry, outcome.error);
      if (outcome.state === 'interrupted' || taken !== undefined)
        this.#interrupt(run, entry, taken ?? outcome.error ?? toErrorRecord(undefined));
      else finish(run, entry, { outcome: { ...outcome, state: outcome.state }, opened });
    } catch (error) {
      const taken = takenOver(entry, toErrorRecord(error));
      if (systemFailure(error) !== undefined || taken !== undefined) {
        this.#interrupt(run, entry, taken ?? toErrorRecord(error));
        return;
      }
      if (opened === undefined && tasks.list(run.id).some((task) => task.attempts > 0)) {
        // It has things to clean up, and could not even be resumed (a locked vault, an endpoint out of reach).
        this.#setState(run, 'interrupted', `the ${noun} could not be resumed: ${toErrorRecord(error).message}`);
        return;
      }
      finish(run, entry, {
        outcome: {
          state: entry.cancel.signal.aborted ? 'cancelled' : 'failed',
          error: toErrorRecord(error),
          cleanUpErrors: [],
        },
        opened,
      });
    } finally {
      await opened?.close();
      release();
    }
  }

  /** The reason of a cancelled run. */
  #cancelled(): CausewayError {
    return new CausewayError('general.cancelled', `the ${this.#kind.noun} was cancelled`);
  }
}

/** Why a run has to stop that another engine continues: how it ends is for that one to say. */
function takenOver({ cancel, force }: ActiveRun, error: ErrorRecord | undefined): ErrorRecord | undefined {
  const reasons = [cancel, force].flatMap(({ signal }) => (signal.aborted ? toErrorRecord(signal.reason) : []));
  return [...reasons, error].find((one) => one?.code === 'fleet.claim-lost');
}

/** Whether nobody has begun it. */
export function isWaiting({ state, startedAt }: Run): boolean {
  return state === 'pending' && startedAt === undefined;
}

function isTerminal({ state }: Run): boolean {
  return state === 'completed' || state === 'failed' || state === 'cancelled' || state === 'deleted';
}
