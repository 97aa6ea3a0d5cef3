/** What a layout needs to know of a task. */
export interface GraphNode {
  readonly id: string;
  readonly after: readonly string[];
}

export interface PlacedNode {
  readonly id: string;
  /** 0 is the top row. */
  readonly row: number;
  /** Place in its row, in units of one node's width; below the middle of two others it is a half. */
  readonly column: number;
}

export interface GraphLayout {
  readonly nodes: readonly PlacedNode[];
  /** From a node to one that comes after it; what follows from other edges is left out. */
  readonly edges: readonly (readonly [from: string, to: string])[];
  readonly rows: number;
  readonly columns: number;
}

/** Places a graph in rows: each node below everything that it comes after. Unknown predecessors are left out. */
export function layOut(graph: readonly GraphNode[]): GraphLayout {
  const before = directPredecessors(graph);
  const rowOf = new Map<string, number>();
  // The graph has no cycles and few nodes; as many rounds as there are nodes settle every row.
  for (let round = 0; round < graph.length; round += 1) {
    for (const { id } of graph) rowOf.set(id, Math.max(-1, ...(before.get(id) ?? []).map((other) => rowOf.get(other) ?? 0)) + 1);
  }
  const rows = Math.max(0, ...[...rowOf.values()].map((row) => row + 1));
  const members = Array.from({ length: rows }, (_, row) => graph.filter(({ id }) => rowOf.get(id) === row).map(({ id }) => id));
  const columns = Math.max(1, ...members.map((ids) => ids.length));
  const columnOf = new Map<string, number>();
  for (const ids of members) {
    // Below what it comes after, as far as there is room.
    const wanted = ids.map((id) => ({ id, column: mean(before.get(id), columnOf) ?? (columns - ids.length) / 2 })).sort((one, other) => one.column - other.column);
    // Beside each other they are centred below what they share.
    const middle = wanted.reduce((sum, { column }) => sum + column, 0) / wanted.length;
    const first = Math.min(Math.max(0, middle - (wanted.length - 1) / 2), columns - wanted.length);
    for (const [index, { id, column }] of wanted.entries()) columnOf.set(id, wanted.length === 1 ? column : first + index);
  }
  return {
    nodes: graph.map(({ id }) => ({ id, row: rowOf.get(id) ?? 0, column: columnOf.get(id) ?? 0 })),
    edges: graph.flatMap(({ id }) => (before.get(id) ?? []).map((other) => [other, id] as const)),
    rows,
    columns,
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
  return new Map(graph.map(({ id }) => {
    const all = after.get(id) ?? [];
    return [id, all.filter((one) => !all.some((other) => other !== one && ancestorsOf(other).has(one)))];
  }));
}

function mean(ids: readonly string[] | undefined, columnOf: ReadonlyMap<string, number>): number | undefined {
  const columns = (ids ?? []).map((id) => columnOf.get(id) ?? 0);
  return columns.length === 0 ? undefined : columns.reduce((sum, column) => sum + column, 0) / columns.length;
}
