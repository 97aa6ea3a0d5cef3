import { describe, expect, test } from 'vitest';
import { foldChain, layOut, type GraphLayout, type GraphNode } from './graph-layout.ts';

const box = { width: 100, height: 40, gapX: 20, gapY: 30 };

/** Pairs of boxes that are closer to each other than the gaps. */
function overlaps({ nodes }: GraphLayout): string[] {
  const all = [...nodes];
  return all.flatMap(([id, one], index) =>
    all
      .slice(index + 1)
      .filter(
        ([, other]) =>
          Math.abs(one.x - other.x) < box.width + box.gapX && Math.abs(one.y - other.y) < box.height + box.gapY,
      )
      .map(([other]) => `${id} ${other}`),
  );
}

describe('the layout of a graph', () => {
  const replication: GraphNode[] = [
    { id: 'check', after: [] },
    { id: 'volumes', after: ['check'] },
    { id: 'snapshot', after: ['check'] },
    { id: 'worker', after: ['volumes'] },
    { id: 'copy', after: ['snapshot', 'worker'] },
  ];

  test('puts every node below what it comes after, apart from all others', () => {
    const layout = layOut(replication, box);
    for (const { from, to } of layout.edges)
      expect(layout.nodes.get(to)!.y - layout.nodes.get(from)!.y, `${from} ${to}`).toBeGreaterThanOrEqual(
        box.height + box.gapY,
      );
    expect(overlaps(layout)).toEqual([]);
    for (const { x, y } of layout.nodes.values()) {
      expect(x - box.width / 2).toBeGreaterThanOrEqual(0);
      expect(x + box.width / 2).toBeLessThanOrEqual(layout.width);
      expect(y + box.height / 2).toBeLessThanOrEqual(layout.height);
    }
  });

  test('has in one row what can start at the same time', () => {
    const { nodes } = layOut(replication, box);
    expect(nodes.get('volumes')!.y).toBe(nodes.get('snapshot')!.y);
  });

  test('leads an edge that passes a row beside the boxes of that row', () => {
    const layout = layOut(replication, box);
    const long = layout.edges.filter(({ passes }) => passes.length > 0);
    expect(long.length).toBeGreaterThan(0);
    for (const { passes } of long) {
      for (const pass of passes) {
        const cut = [...layout.nodes].filter(
          ([, { x, y }]) => Math.abs(pass.x - x) < box.width / 2 && Math.abs(pass.y - y) < box.height,
        );
        expect(cut).toEqual([]);
      }
    }
  });

  test('leaves out edges that follow from others', () => {
    const { edges } = layOut(
      [
        { id: 'a', after: [] },
        { id: 'b', after: ['a'] },
        { id: 'end', after: ['a', 'b'] },
      ],
      box,
    );
    expect(edges).toEqual([
      { from: 'a', to: 'b', passes: [] },
      { from: 'b', to: 'end', passes: [] },
    ]);
  });

  test('does without predecessors that are not there', () => {
    const { nodes, edges, width, height } = layOut([{ id: 'a', after: ['gone'] }], box);
    expect([[...nodes], edges, width, height]).toEqual([[['a', { x: 50, y: 20 }]], [], 100, 40]);
    expect(layOut([], box)).toMatchObject({ edges: [], width: 0, height: 0 });
  });

  test('folds a long chain, and nothing else', () => {
    const chain = Array.from({ length: 7 }, (_, index) => ({
      id: `${index}`,
      after: index === 0 ? [] : [`${index - 1}`],
    }));
    const folded = foldChain(layOut(chain, box), box, 60);
    expect(folded.nodes.get('3')).toEqual({ x: 50, y: 230 });
    expect(folded.nodes.get('4')).toEqual({ x: 210, y: 20 });
    expect([folded.width, folded.height]).toEqual([260, 250]);
    const branched = layOut(replication, box);
    expect(foldChain(branched, box, 60)).toBe(branched);
  });
});
