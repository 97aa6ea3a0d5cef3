import { CausewayError, toErrorRecord, type ErrorRecord } from '../../../shared/model/causeway-error.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import { isTerminalTask, type TaskState } from '../../../shared/model/task.ts';
import { backOffMs } from '../time/back-off.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { comeAfter, decide, statesForResume, takenBack, type NodeStatus } from './schedule.ts';
import type { BoundSteps } from './steps.ts';
import { checkGraph, isCertain, isCleanUp, type TaskGraph, type TaskNode, type TaskValues } from './task-graph.ts';

/** An attempt that comes next. */
export interface NextAttempt {
  /** Its number in this life of the engine, from 2. */
  readonly attempt: number;
  /** Its number since the task last made progress, and how many are allowed without progress. */
  readonly withoutProgress: number;
  readonly limit: number;
  readonly waitMs: number;
}

export interface RecordedTask {
  readonly id: string;
  readonly state: TaskState;
  /** How often it was started, in all lives of the engine. */
  readonly attempts: number;
  readonly result?: JsonObject | undefined;
  readonly error?: ErrorRecord | undefined;
}

/** Keeps the states of one run; each call is durable when it returns. */
export interface TaskRecorder {
  load(): readonly RecordedTask[];
  start(id: string): void;
  finish(id: string, state: TaskState, outcome: { result?: JsonObject; error?: ErrorRecord }): void;
  retry(id: string, next: NextAttempt, error: ErrorRecord): void;
  /** These are pending again, all of them or, if it throws, none. Their values stay until they yield new ones. */
  takeBack(ids: readonly string[]): void;
}

export interface RunOptions {
  readonly graph: TaskGraph;
  readonly steps: BoundSteps;
  readonly recorder: TaskRecorder;
  /** Cancels: what runs is asked to stop, then clean-ups run. */
  readonly cancel: AbortSignal;
  /** Cancels the clean-ups as well. */
  readonly force: AbortSignal;
  readonly random?: () => number;
  /** For the pauses before further attempts. Default: the system's. */
  readonly clock?: Clock | undefined;
}

export interface RunOutcome {
  /** `interrupted`: a state could not be recorded, so the graph has to be resumed. */
  readonly state: 'completed' | 'failed' | 'cancelled' | 'interrupted';
  /** Of the first node that failed; of an interrupted run, why its state could not be recorded. */
  readonly error?: ErrorRecord;
  /** Errors of clean-ups; the work itself may have succeeded. */
  readonly cleanUpErrors: readonly ErrorRecord[];
}

/**
 * Runs a graph to its end, from the states that the recorder has. Nodes that are ready run at the same time. Never
 * rejects for a node's failure: the outcome says it. When states or
 * results can't be written, nothing further is started but clean-ups, which then stay unrecorded: a run that is resumed
 * needs them again.
 * @throws CausewayError `engine.graph-invalid`
 */
export async function runGraph(options: RunOptions): Promise<RunOutcome> {
  const { graph, recorder, steps } = options;
  const problems = checkGraph(graph);
  for (const node of graph) {
    if (steps.handlers[node.id] === undefined) problems.push(`${node.id} has no implementation`);
    for (const name of node.yields)
      if (steps.values[name] === undefined) problems.push(`${node.id} yields ${name}, which is not declared`);
  }
  if (problems.length > 0) throw new CausewayError('engine.graph-invalid', problems.join('; '));

  const stored = recorder.load();
  const values = readBack(steps.values, stored);
  /** A value that has to be made again before a node can use it: one in memory, or one that the store does not have in today's form. */
  const isMissing = (name: string): boolean => !isStored(steps.values, name) || !values.has(name);
  const resumed = statesForResume(graph, new Map(stored.map((task) => [task.id, task.state])), isMissing);
  const statuses = new Map<string, NodeStatus>();
  let firstError: ErrorRecord | undefined;
  for (const node of graph) {
    const task = stored.find((candidate) => candidate.id === node.id);
    statuses.set(node.id, { state: resumed.get(node.id) ?? 'pending', started: (task?.attempts ?? 0) > 0 });
  }
  const cleanUpErrors: ErrorRecord[] = [];
  const running = new Map<string, Promise<void>>();
  // A run that was failing when the engine ended goes on failing: its clean-ups still have to run.
  const failedBefore = graph.find((node) => !isCleanUp(node) && statuses.get(node.id)?.state === 'failed');
  let failed = failedBefore !== undefined;
  firstError = stored.find((task) => task.id === failedBefore?.id)?.error;

  let recordingError: unknown;

  /** Whether it is durable now. */
  const record = (write: () => void): boolean => {
    try {
      write();
      return true;
    } catch (error) {
      recordingError ??= error;
      return false;
    }
  };
  /** After a failed recording only what was completed is worth recording: all else is done again. */
  const recordEnd = (node: TaskNode, state: TaskState, outcome: Parameters<TaskRecorder['finish']>[2]): void => {
    if (recordingError === undefined || (state === 'completed' && !isCleanUp(node)))
      record(() => recorder.finish(node.id, state, outcome));
  };

  const setState = (node: TaskNode, state: TaskState, started: boolean): void => {
    statuses.set(node.id, { state, started: started || (statuses.get(node.id)?.started ?? false) });
  };

  /** Nothing starts while a node takes others back. */
  let takingBack = 0;
  /** @param asking the node that takes back, and the one that it runs for: waiting for either would never end */
  const redo = async (ids: readonly string[], asking: readonly [string, string]): Promise<void> => {
    const [caller, host] = asking;
    const later = comeAfter(graph, ids);
    const useless = (): string[] =>
      takenBack(
        graph,
        ids,
        new Map(
          [...statuses].map(([id, { state }]) => [
            id,
            id === host && id !== caller && later.has(id) ? 'completed' : state,
          ]),
        ),
        isMissing,
      );
    takingBack += 1;
    try {
      // What is under way used what is useless; a clean-up ends before what it cleans up after starts again.
      const underWay = [...new Set([...later, ...useless()])].filter((id) => !asking.includes(id));
      await Promise.all(underWay.flatMap((id) => running.get(id) ?? []));
      const again = useless();
      // Durable before anything starts again: with new values of some and former ones of others, a resumed run would find nothing amiss.
      if (again.length > 0 && !record(() => recorder.takeBack(again))) throw recordingError;
      for (const id of again) statuses.set(id, { state: 'pending', started: statuses.get(id)?.started ?? false });
    } finally {
      takingBack -= 1;
    }
  };

  const runOnce = async (
    node: TaskNode,
    attempt: number,
    progressed: () => void,
    host: TaskNode = node,
  ): Promise<void> => {
    const handler = steps.handlers[node.id];
    if (handler === undefined) throw new CausewayError('engine.graph-invalid', `${node.id} has no implementation`);
    const isUnrecorded = isCleanUp(node) && recordingError !== undefined;
    if (!isUnrecorded && !record(() => recorder.start(node.id)) && !isCleanUp(node)) throw recordingError;
    setState(node, 'running', true);
    const lacking = node.needs.find((name) => !values.has(name) && isCertain(graph, steps.values, node, name));
    if (lacking !== undefined)
      throw new CausewayError(
        'engine.graph-invalid',
        `${node.id} needs ${lacking}, which the store has in no known form`,
      );
    const needed = Object.fromEntries(
      node.needs.filter((name) => values.has(name)).map((name) => [name, values.get(name)]),
    );
    const signal = isCleanUp(node) ? options.force : AbortSignal.any([options.cancel, options.force]);
    signal.throwIfAborted();
    const result =
      (await handler({
        signal,
        values: needed,
        attempt,
        progressed,
        stateOf: (id) => statuses.get(id)?.state ?? 'pending',
        redo: (ids) => redo(ids, [node.id, host.id]),
      })) ?? {};
    const durable: Record<string, JsonValue> = {};
    for (const name of node.yields) {
      if (!(name in result)) throw new CausewayError('engine.graph-invalid', `${node.id} did not yield ${name}`);
      values.set(name, result[name]);
      if (isStored(steps.values, name)) durable[name] = result[name] as JsonValue;
    }
    recordEnd(node, 'completed', { result: durable });
    setState(node, 'completed', true);
  };

  /** Attempts without progress of nodes that start again because their attempt was taken back. */
  const fruitless = new Map<string, number>();

  const runNode = async (node: TaskNode): Promise<void> => {
    const signal = isCleanUp(node) ? options.force : AbortSignal.any([options.cancel, options.force]);
    let withoutProgress = fruitless.get(node.id) ?? 1;
    fruitless.delete(node.id);
    const progressed = (): void => void (withoutProgress = 1);
    for (let attempt = 1; ; attempt += 1, withoutProgress += 1) {
      try {
        if (attempt > 1) {
          for (const id of node.retry?.rerun ?? []) {
            const other = graph.find((candidate) => candidate.id === id);
            if (other !== undefined) await runOnce(other, attempt, () => {}, node);
            // Its turn comes again, after what was taken back with it.
            if (statuses.get(node.id)?.state !== 'pending') continue;
            fruitless.set(node.id, withoutProgress);
            return;
          }
        }
        await runOnce(node, attempt, progressed);
        return;
      } catch (thrown) {
        const error = toErrorRecord(thrown);
        const policy = node.retry;
        if (
          recordingError === undefined &&
          !signal.aborted &&
          error.retryable &&
          error.code !== 'general.cancelled' &&
          policy !== undefined &&
          withoutProgress < policy.attempts
        ) {
          const waitMs = Math.round(backOffMs(policy, withoutProgress, options.random));
          const isTold = record(() =>
            recorder.retry(
              node.id,
              { attempt: attempt + 1, withoutProgress: withoutProgress + 1, limit: policy.attempts, waitMs },
              error,
            ),
          );
          const woken =
            isTold &&
            (await (options.clock ?? systemClock).sleep(waitMs, signal).then(
              () => true,
              () => false,
            ));
          if (woken) continue;
        }
        // If the node itself could not write, the work has not failed: it can resume once the store can be written again.
        if (
          !isCleanUp(node) &&
          !signal.aborted &&
          (error.code === 'store.disk-full' || error.code === 'store.not-writable')
        )
          recordingError ??= thrown;
        const state = signal.aborted ? 'cancelled' : 'failed';
        for (const id of [node.id, ...(policy?.rerun ?? [])]) {
          if (id === node.id || statuses.get(id)?.state === 'running') {
            const ended = graph.find((candidate) => candidate.id === id);
            if (ended !== undefined) recordEnd(ended, state, { error });
            statuses.set(id, { state, started: true });
          }
        }
        if (isCleanUp(node)) cleanUpErrors.push(error);
        else if (state === 'failed' && recordingError === undefined) {
          failed = true;
          firstError ??= error;
        }
        return;
      }
    }
  };

  for (;;) {
    const stopping = failed || recordingError !== undefined || options.cancel.aborted || options.force.aborted;
    let moved = false;
    for (const node of graph) {
      if (takingBack > 0 || statuses.get(node.id)?.state !== 'pending' || running.has(node.id)) continue;
      const isKept = recordingError !== undefined && node.settles === true;
      const decision = isKept ? 'skip' : decide(graph, node, statuses, stopping);
      if (decision === 'wait') continue;
      moved = true;
      if (decision === 'skip') {
        recordEnd(node, 'skipped', {});
        setState(node, 'skipped', false);
      } else {
        running.set(
          node.id,
          runNode(node).finally(() => running.delete(node.id)),
        );
      }
    }
    if (graph.every((node) => isTerminalTask(statuses.get(node.id)?.state ?? 'pending'))) break;
    if (running.size > 0) await Promise.race(running.values());
    else if (!moved) throw new CausewayError('general.bug', 'no task can proceed');
  }

  if (recordingError !== undefined)
    return { state: 'interrupted', error: toErrorRecord(recordingError), cleanUpErrors };
  const completed = graph.every((node) => isCleanUp(node) || statuses.get(node.id)?.state === 'completed');
  const state = completed ? 'completed' : failed ? 'failed' : 'cancelled';
  return { state, ...(firstError === undefined ? {} : { error: firstError }), cleanUpErrors };
}

function isStored(values: TaskValues, name: string): boolean {
  const kind = values[name];
  return kind !== undefined && 'schema' in kind;
}

/** What completed nodes yielded, as far as the store has it in a form that the schemas accept. Other values count as not there. */
function readBack(values: TaskValues, stored: readonly RecordedTask[]): Map<string, unknown> {
  const read = new Map<string, unknown>();
  for (const [name, value] of stored.flatMap((task) => Object.entries(task.result ?? {}))) {
    const kind = values[name];
    const parsed = kind !== undefined && 'schema' in kind ? kind.schema.safeParse(value) : undefined;
    if (parsed?.success === true) read.set(name, parsed.data);
  }
  return read;
}
