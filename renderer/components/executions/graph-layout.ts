import { Graph, layout as place, type EdgeLabel, type GraphLabel, type NodeLabel } from '@dagrejs/dagre';

/** What a layout needs to know of a task. */
export interface GraphNode {
  readonly id: string;
  readonly after: readonly string[];
}

/** Sizes in pixels; every node has the same. */
export interface BoxSize {
  readonly width: number;
  readonly height: number;
  readonly gapX: number;
  readonly gapY: number;
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** Free places between boxes, one per row that the edge passes on its way, from top to bottom. */
  readonly passes: readonly Point[];
}

export interface GraphLayout {
  /** The middle of each node. */
  readonly nodes: ReadonlyMap<string, Point>;
  /** From a node to one that comes after it; what follows from other edges is left out. */
  readonly edges: readonly GraphEdge[];
  readonly width: number;
  readonly height: number;
}

/** Places a graph in rows: each node below everything that it comes after. Unknown predecessors are left out. */
export function layOut(tasks: readonly GraphNode[], box: BoxSize): GraphLayout {
  if (tasks.length === 0) return { nodes: new Map(), edges: [], width: 0, height: 0 };
  const before = directPredecessors(tasks);
  const graph = new Graph<GraphLabel, NodeLabel, EdgeLabel>();
  // The library ranks from the ends of a graph. Upside down, a row is what can start at the same time.
  graph.setGraph({ rankdir: 'BT', ranker: 'longest-path', nodesep: box.gapX, edgesep: box.gapX, ranksep: box.gapY });
  for (const { id } of tasks) graph.setNode(id, { width: box.width, height: box.height });
  for (const { id } of tasks) for (const other of before.get(id) ?? []) graph.setEdge(id, other, {});
  place(graph);
  const { width = 0, height = 0 } = graph.graph();
  return {
    nodes: new Map(tasks.map(({ id }) => [id, middleOf(graph.node(id))])),
    // An edge bends in each gap and in each row; the bends in rows say where it fits between boxes.
    edges: graph.edges().map(({ v: to, w: from }) => ({
      from,
      to,
      passes: (graph.edge(to, from).points ?? [])
        .slice(2, -2)
        .filter((_point, index) => index % 2 === 0)
        .toReversed(),
    })),
    width,
    height,
  };
}

function middleOf({ x = 0, y = 0 }: NodeLabel): Point {
  return { x, y };
}

/** A long chain is folded into two columns, so that all of it is visible. */
export function foldChain(layout: GraphLayout, box: BoxSize, columnGap: number): GraphLayout {
  const chain = [...layout.nodes].toSorted(([, one], [, other]) => one.y - other.y);
  if (chain.length <= 6 || layout.width > box.width) return layout;
  const rows = Math.ceil(chain.length / 2);
  const nodes = chain.map(([id], index): [string, Point] => [
    id,
    {
      x: box.width / 2 + Math.floor(index / rows) * (box.width + columnGap),
      y: box.height / 2 + (index % rows) * (box.height + box.gapY),
    },
  ]);
  return {
    ...layout,
    nodes: new Map(nodes),
    width: 2 * box.width + columnGap,
    height: rows * (box.height + box.gapY) - box.gapY,
  };
}

/** For each node those that it comes after, without those that one of the others comes after anyway. */
function directPredecessors(graph: readonly GraphNode[]): ReadonlyMap<string, readonly string[]> {
  const known = new Set(graph.map(({ id }) => id));
  const after = new Map(graph.map(({ id, after: all }) => [id, all.filter((other) => known.has(other))]));
  const ancestors = new Map<string, ReadonlySet<string>>();
  const ancestorsOf = (id: string): ReadonlySet<string> => {
    const found = ancestors.get(id);
    if (found !== undefined) return found;
    const all = new Set<string>();
    ancestors.set(id, all);
    for (const other of after.get(id) ?? []) {
      all.add(other);
      for (const further of ancestorsOf(other)) all.add(further);
    }
    return all;
  };
  return new Map(
    graph.map(({ id }) => {
      const all = after.get(id) ?? [];
      return [id, all.filter((one) => !all.some((other) => other !== one && ancestorsOf(other).has(one)))];
    }),
  );
}
