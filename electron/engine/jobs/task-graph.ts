import type { BackOff } from '../time/back-off.ts';

/**
 * A node of a task graph. Pure data: what it does is a handler of the same id. Values have names; a value is what one
 * node yields and others need.
 */
export interface TaskNode {
  readonly id: string;
  /** For people, in the imperative: "Create volumes". */
  readonly title: string;
  /** Nodes that have to be over before this one starts. */
  readonly after: readonly string[];
  /** Values that it reads. */
  readonly needs: readonly string[];
  /** Values that it gives. */
  readonly yields: readonly string[];
  /**
   * Values of `yields` that live in memory only (connections, keys). After a restart the node is run again if a node
   * that still has to run needs one of them.
   */
  readonly volatile?: readonly string[];
  /**
   * Set for a clean-up: it runs when everything in `after` is over, however that ended, unless none of these nodes
   * was ever started. Its needs may be absent then.
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

export type TaskGraph = readonly TaskNode[];

export function isCleanUp(node: TaskNode): boolean {
  return node.cleansUp !== undefined;
}

/**
 * Every reason why a graph can't be run: unknown or doubled ids, cycles, a need that nothing before the node yields.
 * Empty = good.
 */
export function checkGraph(graph: TaskGraph, given: readonly string[] = []): string[] {
  const problems: string[] = [];
  const byId = new Map<string, TaskNode>();
  const producers = new Map<string, string>();
  for (const node of graph) {
    if (byId.has(node.id)) problems.push(`two nodes have the ID ${node.id}`);
    byId.set(node.id, node);
    for (const value of node.yields) {
      const other = producers.get(value) ?? (given.includes(value) ? 'the input' : undefined);
      if (other !== undefined) problems.push(`${value} is yielded by both ${other} and ${node.id}`);
      producers.set(value, node.id);
    }
    for (const value of node.volatile ?? []) {
      if (!node.yields.includes(value)) problems.push(`${node.id} calls ${value} volatile but does not yield it`);
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
      if (given.includes(value)) continue;
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
