import type { z } from 'zod';
import type { BackOff } from '../time/back-off.ts';

/** A value that survives a restart: plain JSON in the store, checked when it is read back. */
export interface StoredValue<T> {
  readonly schema: z.ZodType<T>;
}

/**
 * A value that lives in memory only (connections, keys). After a restart the node that yields it runs again if a node that
 * still has to run needs it.
 */
export interface MemoryValue<T> {
  readonly inMemory: true;
  /** Carries the type. Never set. */
  readonly type?: T;
}

/** The values that the nodes of a graph pass on, by name. */
export type TaskValues = Readonly<Record<string, StoredValue<unknown> | MemoryValue<unknown>>>;

export const storedValue = <T>(schema: z.ZodType<T>): StoredValue<T> => ({ schema });
export const memoryValue = <T>(): MemoryValue<T> => ({ inMemory: true });

/** A node of a task graph. Pure data: a step of the same ID does the work. Each value is yielded by one node and needed by others. */
export interface TaskNode<V extends string = string> {
  readonly id: string;
  /** For people, in the imperative: "Create volumes". */
  readonly title: string;
  /** Nodes that must end before this one starts. */
  readonly after: readonly string[];
  /** Values that it reads. */
  readonly needs: readonly V[];
  /** Values that it gives. */
  readonly yields: readonly V[];
  /**
   * Set for a clean-up: it runs when everything in `after` has ended, in whatever state, unless none of these nodes
   * was ever started. It can rely on stored values that each of these nodes needs as well; others may be absent.
   */
  readonly cleansUp?: readonly string[];
  /** Set for a clean-up that removes what a resumed graph needs: it does not run after an interruption. */
  readonly settles?: true;
  readonly retry?: RetryPolicy;
}

/** How often a node is started at most without making progress, in one life of the engine. */
export interface RetryPolicy extends BackOff {
  /** Completed nodes whose values are renewed before the next attempt, e.g. a worker that was lost. */
  readonly rerun?: readonly string[];
}

export type TaskGraph<V extends string = string> = readonly TaskNode<V>[];

export function isCleanUp(node: TaskNode): boolean {
  return node.cleansUp !== undefined;
}

/**
 * Every reason why a graph can't be run: unknown or duplicate IDs, cycles, a need that nothing before the node yields.
 * Empty if the graph is valid.
 */
export function checkGraph(graph: TaskGraph): string[] {
  const problems: string[] = [];
  const byId = new Map<string, TaskNode>();
  const producers = new Map<string, string>();
  for (const node of graph) {
    if (byId.has(node.id)) problems.push(`two nodes have the ID ${node.id}`);
    byId.set(node.id, node);
    for (const value of node.yields) {
      const other = producers.get(value);
      if (other !== undefined) problems.push(`${value} is yielded by both ${other} and ${node.id}`);
      producers.set(value, node.id);
    }
  }
  for (const node of graph) {
    for (const other of [...node.after, ...(node.cleansUp ?? []), ...(node.retry?.rerun ?? [])]) {
      if (!byId.has(other)) problems.push(`${node.id} refers to ${other}, which does not exist`);
    }
  }
  if (problems.length > 0) return problems;

  const cycle = findCycle(byId);
  if (cycle !== undefined) return [`the nodes ${cycle.join(' -> ')} wait for each other`];

  for (const node of graph) {
    const before = ancestors(byId, node.id);
    for (const value of node.needs) {
      const producer = producers.get(value);
      if (producer === undefined) problems.push(`${node.id} needs ${value}, which nothing yields`);
      else if (!before.has(producer)) problems.push(`${node.id} needs ${value}, but does not come after ${producer}`);
    }
    for (const other of [...(node.cleansUp ?? []), ...(node.retry?.rerun ?? [])]) {
      if (!before.has(other)) problems.push(`${node.id} does not come after ${other}`);
    }
  }
  return problems;
}

/** Whether a node's step always gets the value: a clean-up may run although a node before it did not. */
export function isCertain(graph: TaskGraph, values: TaskValues, node: TaskNode, name: string): boolean {
  if (node.cleansUp === undefined) return true;
  const kind = values[name];
  return (
    kind !== undefined &&
    'schema' in kind &&
    node.cleansUp.every((id) => graph.find((other) => other.id === id)?.needs.includes(name) === true)
  );
}

/** All nodes that come before `id`, direct or not. */
function ancestors(byId: ReadonlyMap<string, TaskNode>, id: string): Set<string> {
  const seen = new Set<string>();
  const open = [...(byId.get(id)?.after ?? [])];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (seen.has(next)) continue;
    seen.add(next);
    open.push(...(byId.get(next)?.after ?? []));
  }
  return seen;
}

function findCycle(byId: ReadonlyMap<string, TaskNode>): string[] | undefined {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (id: string): string[] | undefined => {
    if (done.has(id)) return undefined;
    const at = path.indexOf(id);
    if (at >= 0) return [...path.slice(at), id];
    path.push(id);
    for (const other of byId.get(id)?.after ?? []) {
      const cycle = visit(other);
      if (cycle !== undefined) return cycle;
    }
    path.pop();
    done.add(id);
    return undefined;
  };
  for (const id of byId.keys()) {
    const cycle = visit(id);
    if (cycle !== undefined) return cycle;
  }
  return undefined;
}
