import { describe, expect, test } from 'vitest';
import { layOut } from './graph-layout.ts';

describe('the layout of a graph', () => {
  test('puts every node below what it comes after, and parallel ones beside each other', () => {
    const { nodes, rows, columns } = layOut([
      { id: 'check', after: [] },
      { id: 'volumes', after: ['check'] },
      { id: 'snapshot', after: ['check'] },
      { id: 'worker', after: ['volumes'] },
      { id: 'copy', after: ['snapshot', 'worker'] },
    ]);
    expect([rows, columns]).toEqual([4, 2]);
    expect(Object.fromEntries(nodes.map(({ id, row, column }) => [id, [row, column]]))).toEqual({
      check: [0, 0.5], volumes: [1, 0], snapshot: [1, 1], worker: [2, 0], copy: [3, 0.5],
    });
  });

  test('leaves out edges that follow from others', () => {
    const { edges } = layOut([{ id: 'a', after: [] }, { id: 'b', after: ['a'] }, { id: 'end', after: ['a', 'b'] }]);
    expect(edges).toEqual([['a', 'b'], ['b', 'end']]);
  });

  test('makes do with predecessors that are not there', () => {
    expect(layOut([{ id: 'a', after: ['gone'] }])).toEqual({ nodes: [{ id: 'a', row: 0, column: 0 }], edges: [], rows: 1, columns: 1 });
    expect(layOut([])).toMatchObject({ nodes: [], rows: 0 });
  });
});
