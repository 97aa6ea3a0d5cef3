import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { bindSteps, type Step } from './steps.ts';
import { checkGraph, memoryValue, storedValue, type TaskGraph } from './task-graph.ts';

const values = { vm: storedValue(z.string()), size: storedValue(z.number()), link: memoryValue<AbortController>() };

const graph = [
  { id: 'read', title: 'Read', after: [], needs: [], yields: ['vm', 'size'] },
  { id: 'start', title: 'Start', after: ['read'], needs: ['vm'], yields: ['link'] },
  { id: 'stop', title: 'Stop', after: ['start'], needs: ['vm', 'size', 'link'], yields: [], cleansUp: ['start'] },
] as const satisfies TaskGraph<keyof typeof values>;
type Node = (typeof graph)[number];
type Context<Id extends Node['id']> = Parameters<Step<typeof values, Node, Id>>[0];

const read: Step<typeof values, Node, 'read'> = async () => ({ vm: 'web', size: 1 });
const start: Step<typeof values, Node, 'start'> = async () => ({ link: new AbortController() });
const stop: Step<typeof values, Node, 'stop'> = async () => {};

test('the graph of these tests can be run', () => expect(checkGraph(graph)).toEqual([]));

// The type checker is what fails here when a type no longer says what it should.
describe('the types of steps', () => {
  test('a step gets exactly what its node needs', () => {
    expectTypeOf<Context<'read'>['values']>().toEqualTypeOf<Readonly<Record<never, never>>>();
    expectTypeOf<Context<'start'>['values']>().toEqualTypeOf<{ readonly vm: string }>();
  });

  test('a clean-up can rely on what all that it cleans up after needed as well, if the store keeps it', () => {
    expectTypeOf<Context<'stop'>['values']>().toEqualTypeOf<{
      readonly vm: string;
      readonly size: number | undefined;
      readonly link: AbortController | undefined;
    }>();
  });

  test('a step refers to tasks of its graph', () => {
    expectTypeOf<Parameters<Context<'stop'>['stateOf']>[0]>().toEqualTypeOf<'read' | 'start' | 'stop'>();
  });

  test('a wrong name, a wrong type and a missing step are errors', () => {
    // @ts-expect-error: yields no size
    const lacking: Step<typeof values, Node, 'read'> = async () => ({ vm: 'web' });
    // @ts-expect-error: a size is a number
    const wrong: Step<typeof values, Node, 'read'> = async () => ({ vm: 'web', size: '1' });
    // @ts-expect-error: start does not need a size
    const greedy: Step<typeof values, Node, 'start'> = async ({ values: { size } }) => ({
      link: new AbortController(),
      size,
    });
    // @ts-expect-error: no step for stop
    bindSteps<typeof values, Node>(values, { read, start });
    bindSteps<typeof values, Node>(values, { read, start, stop });
    // @ts-expect-error: no such value
    const unknown = [{ id: 'a', title: 'A', after: [], needs: ['nothing'], yields: [] }] as const satisfies TaskGraph<
      keyof typeof values
    >;
    void [lacking, wrong, greedy, unknown];
  });
});
