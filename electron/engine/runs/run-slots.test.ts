import { describe, expect, test } from 'vitest';
import { runSlots } from './run-slots.ts';

const never = new AbortController().signal;
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Asks for a place and says when it was given. */
function ask(
  slots: ReturnType<typeof runSlots>,
  id: string,
  order: string[],
  hurry: AbortSignal = never,
): Promise<() => void> {
  return slots.take(id, hurry).then((release) => {
    order.push(id);
    return release;
  });
}

describe('places for runs', () => {
  test('are given in the order of asking, and each knows its position', async () => {
    const slots = runSlots(1);
    const order: string[] = [];
    const [first, second, third] = [ask(slots, 'a', order), ask(slots, 'b', order), ask(slots, 'c', order)];
    expect([slots.positionOf('a'), slots.positionOf('b'), slots.positionOf('c')]).toEqual([undefined, 1, 2]);
    expect([slots.isFull(), slots.counts()]).toEqual([true, { running: 1, waiting: 2 }]);
    (await first)();
    (await second)();
    (await third)();
    expect(order).toEqual(['a', 'b', 'c']);
    expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
  });

  test('become more at once when the limit is raised, and fewer only as runs end', async () => {
    const slots = runSlots(1);
    const order: string[] = [];
    const releases = ['a', 'b', 'c'].map((id) => ask(slots, id, order));
    slots.setLimit(2);
    await settled();
    expect(order).toEqual(['a', 'b']);
    slots.setLimit(1);
    (await releases[0]!)();
    await settled();
    expect(order).toEqual(['a', 'b']);
    (await releases[1]!)();
    await settled();
    expect(order).toEqual(['a', 'b', 'c']);
  });

  test('are not waited for by one that is cancelled, which gives back nothing that it never had', async () => {
    const slots = runSlots(1);
    const order: string[] = [];
    const hurry = new AbortController();
    const first = await ask(slots, 'a', order);
    const cancelled = ask(slots, 'b', order, hurry.signal);
    hurry.abort();
    (await cancelled)();
    expect(slots.counts()).toEqual({ running: 1, waiting: 0 });
    first();
    first();
    expect(slots.counts()).toEqual({ running: 0, waiting: 0 });
  });
});
