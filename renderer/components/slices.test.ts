import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { filterSteps, inSlices, sortSteps, useInSlices } from './slices.ts';

/** As much of React as one component needs: its state, and what it starts once it is drawn. */
const drawn = vi.hoisted(() => ({
  states: [] as unknown[],
  next: 0,
  effects: [] as (() => unknown)[],
  changed: () => undefined as void,
}));

vi.mock('react', () => ({
  startTransition: (change: () => void) => change(),
  useMemo: (make: () => unknown) => make(),
  useEffect: (start: () => unknown) => drawn.effects.push(start),
  useState() {
    const own = drawn.next++;
    return [
      drawn.states[own],
      (value: unknown) => {
        drawn.states[own] = value;
        drawn.changed();
      },
    ];
  },
}));

function draw<T>(component: () => T): T {
  Object.assign(drawn, { next: 0, effects: [] });
  return component();
}

const rows = fc.array(fc.record({ key: fc.nat(20), place: fc.nat() }), { maxLength: 600 });
const byKey = (one: { readonly key: number }, other: { readonly key: number }): number => one.key - other.key;

/** The outcome, and how many steps it took. */
function run<R>(steps: Iterator<unknown, R>): { readonly value: R; readonly steps: number } {
  for (let count = 0; ; count += 1) {
    const step = steps.next();
    if (step.done === true) return { value: step.value, steps: count };
  }
}

test('rows come in the order of a stable sort, whatever they are, and stay untouched', () => {
  fc.assert(
    fc.property(rows, (given) => {
      const before = [...given];
      expect(run(sortSteps(given, byKey)).value).toEqual(given.toSorted(byKey));
      expect(given).toEqual(before);
    }),
  );
});

test('rows for which something holds keep their order', () => {
  fc.assert(
    fc.property(rows, (given) => {
      expect(run(filterSteps(given, ({ key }) => key > 9)).value).toEqual(given.filter(({ key }) => key > 9));
    }),
  );
});

test('rows that are in order already are compared once each, and every few hundred there may be a break', () => {
  const many = Array.from({ length: 100_000 }, (_, key) => ({ key, place: 0 }));
  let compared = 0;
  const { steps } = run(
    sortSteps(many, (one, other) => {
      compared += 1;
      return byKey(one, other);
    }),
  );
  expect(compared).toBeLessThan(many.length);
  expect(steps).toBeGreaterThan(many.length / 200);
  expect(run(filterSteps(many, () => true)).steps).toBe(many.length / 200);
});

test('between slices others have their turn, and what is called off ends there', async () => {
  const stop = new AbortController();
  let clock = 0;
  let turns = 0;
  const slices = { signal: stop.signal, sliceMs: 25, now: () => (clock += 10), pause: async () => void (turns += 1) };
  expect(
    await inSlices(
      filterSteps(
        Array.from({ length: 2000 }, (_, index) => index),
        () => true,
      ),
      slices,
    ),
  ).toHaveLength(2000);
  expect(turns).toBeGreaterThan(2);
  await expect(
    inSlices(
      filterSteps(
        Array.from({ length: 2000 }, (_, index) => index),
        () => true,
      ),
      { ...slices, onBreak: () => stop.abort() },
    ),
  ).rejects.toThrow();
});

test.each([
  ['few', 10],
  ['very many', 10_000],
])('what goes wrong with %s rows is thrown while they are drawn, until there is other work', async (_many, count) => {
  const numbers = Array.from({ length: count }, (_, index) => index);
  const fails = () =>
    filterSteps(numbers, (row) => {
      if (row === 7) throw new Error('row 7 is damaged');
      return true;
    });
  const changed = new Promise<void>((resolve) => (drawn.changed = resolve));
  if (count > 5_000) {
    expect(draw(() => useInSlices(fails, count))).toEqual({ value: undefined, isCurrent: false });
    for (const start of drawn.effects) start();
    await changed;
  }
  expect(() => draw(() => useInSlices(fails, count))).toThrow('row 7 is damaged');
  expect(draw(() => useInSlices(() => filterSteps(numbers, () => true), count)).isCurrent).toBe(count <= 5_000);
});
