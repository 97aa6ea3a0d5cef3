import { isTerminalTask, type TaskState } from '../../../shared/model/task.ts';
import { isCleanUp, type TaskGraph, type TaskNode } from './task-graph.ts';

export interface NodeStatus {
  readonly state: TaskState;
  /** Whether it was ever started, also before a restart of the engine. */
  readonly started: boolean;
}

export type Statuses = ReadonlyMap<string, NodeStatus>;

/** What to do with a pending node. */
export type Decision = 'wait' | 'start' | 'skip';

/**
 * Decides about one pending node. `stopping`: the run was cancelled, or a node failed; nothing but clean-up starts then.
 */
export function decide(graph: TaskGraph, node: TaskNode, statuses: Statuses, stopping: boolean): Decision {
  const before = waitsFor(graph, node).map((id) => statusOf(statuses, id));
  if (isCleanUp(node)) {
    if (!before.every((status) => isTerminalTask(status.state))) return 'wait';
    const anyStarted = (node.cleansUp ?? []).some((id) => statusOf(statuses, id).started);
    return anyStarted ? 'start' : 'skip';
  }
  if (stopping) return 'skip';
  if (before.some((status) => ['failed', 'cancelled', 'skipped'].includes(status.state))) return 'skip';
  return before.every((status) => status.state === 'completed') ? 'start' : 'wait';
}

/**
 * What has to be over first: what the node says, and the nodes that yield what it needs. The latter matters after a restart,
 * when a node in between has completed while the one that yields a missing value runs again.
 */
function waitsFor(graph: TaskGraph, node: TaskNode): string[] {
  const producers = graph.filter(
    (other) => other.id !== node.id && other.yields.some((value) => node.needs.includes(value)),
  );
  return [...new Set([...node.after, ...producers.map((other) => other.id)])];
}

/**
 * The states with which an interrupted run resumes. What was running starts again (every handler can be
 * repeated); what had completed stays, but for nodes whose values are missing and still needed by a node that isn't a clean-up.
 */
export function statesForResume(
  graph: TaskGraph,
  stored: ReadonlyMap<string, TaskState>,
  isMissing: (value: string) => boolean,
): Map<string, TaskState> {
  return withProducers(
    graph,
    new Map(graph.map((node) => [node.id, interrupted(stored.get(node.id))] as const)),
    isMissing,
  );
}

/**
 * The nodes that run again when the work of some has to be repeated: these, what came after them, the nodes that yield values that
 * are missing then, and the clean-ups after any of those.
 */
export function takenBack(
  graph: TaskGraph,
  ids: readonly string[],
  states: ReadonlyMap<string, TaskState>,
  isMissing: (value: string) => boolean,
): string[] {
  const again = new Set(ids.filter((id) => states.get(id) === 'completed'));
  for (let before = -1; before < again.size;) {
    before = again.size;
    for (const node of graph) {
      if (!isCleanUp(node) && states.get(node.id) === 'completed' && node.after.some((id) => again.has(id)))
        again.add(node.id);
    }
  }
  const renewed = withProducers(
    graph,
    new Map([...states].map(([id, state]) => [id, again.has(id) ? 'pending' : state])),
    isMissing,
  );
  for (const [id, state] of renewed) if (state === 'pending' && states.get(id) === 'completed') again.add(id);
  for (const node of graph) {
    if (isCleanUp(node) && states.get(node.id) !== 'pending' && (node.cleansUp ?? []).some((id) => again.has(id)))
      again.add(node.id);
  }
  return [...again];
}

/** All nodes that come after some, directly or not. */
export function comeAfter(graph: TaskGraph, ids: readonly string[]): ReadonlySet<string> {
  const later = new Set<string>();
  for (let before = -1; before < later.size;) {
    before = later.size;
    for (const node of graph) if (node.after.some((id) => ids.includes(id) || later.has(id))) later.add(node.id);
  }
  return later;
}

function withProducers(
  graph: TaskGraph,
  states: Map<string, TaskState>,
  isMissing: (value: string) => boolean,
): Map<string, TaskState> {
  const producers = new Map(
    graph.flatMap((node) => node.yields.filter(isMissing).map((value) => [value, node.id] as const)),
  );
  // Until nothing changes, because a node that has to run again may itself need missing values.
  for (let changed = true; changed;) {
    changed = false;
    for (const node of graph) {
      if (isCleanUp(node) || states.get(node.id) !== 'pending') continue;
      for (const value of node.needs) {
        const producer = producers.get(value);
        if (producer !== undefined && states.get(producer) === 'completed') {
          states.set(producer, 'pending');
          changed = true;
        }
      }
    }
  }
  return states;
}

function interrupted(state: TaskState | undefined): TaskState {
  return state === undefined || state === 'running' ? 'pending' : state;
}

function statusOf(statuses: Statuses, id: string): NodeStatus {
  return statuses.get(id) ?? { state: 'pending', started: false };
}
