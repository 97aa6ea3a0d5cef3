import { describe, expect, test } from 'vitest';
import { checkGraph, type TaskNode } from './task-graph.ts';

const node = (id: string, rest: Partial<TaskNode> = {}): TaskNode => ({
  id,
  title: id,
  after: [],
  needs: [],
  yields: [],
  ...rest,
});

describe('checking a graph', () => {
  test('a sound one has no problems', () => {
    expect(checkGraph([node('a', { yields: ['x'] }), node('b', { after: ['a'], needs: ['x'] })])).toEqual([]);
  });
  test('nodes that wait for each other are named in order', () => {
    expect(checkGraph([node('a', { after: ['b'] }), node('b', { after: ['a'] })])).toEqual([
      'the nodes a -> b -> a wait for each other',
    ]);
  });
  test('a need that nothing yields is found', () => {
    expect(checkGraph([node('a', { needs: ['x'] })])).toEqual(['a needs x, which nothing yields']);
  });
  test('a producer that is not before its consumer is found', () => {
    expect(checkGraph([node('a', { yields: ['x'] }), node('b', { needs: ['x'] })])).toEqual([
      'b needs x, but does not come after a',
    ]);
  });
  test('unknown and doubled names are all told at once', () => {
    const problems = checkGraph([node('a', { after: ['nobody'], yields: ['x'] }), node('a', { yields: ['x'] })]);
    expect(problems).toEqual([
      'two nodes have the ID a',
      'x is yielded by both a and a',
      'a refers to nobody, which does not exist',
    ]);
  });
});
