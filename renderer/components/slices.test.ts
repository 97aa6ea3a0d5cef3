import fc from 'fast-check';
import { expect, test } from 'vitest';
import { filterSteps, inSlices, sortSteps } from './slices.ts';

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
  fc.assert(fc.property(rows, (given) => {
    const before = [...given];
    expect(run(sortSteps(given, byKey)).value).toEqual(given.toSorted(byKey));
    expect(given).toEqual(before);
  }));
});

test('rows for which something holds keep their order', () => {
  fc.assert(fc.property(rows, (given) => {
    expect(run(filterSteps(given, ({ key }) => key > 9)).value).toEqual(given.filter(({ key }) => key > 9));
  }));
});

test('rows that are in order already are compared once each, and every few hundred there may be a break', () => {
  const many = Array.from({ length: 100_000 }, (_, key) => ({ key, place: 0 }));
  let compared = 0;
  const { steps } = run(sortSteps(many, (one, other) => {
    compared += 1;
    return byKey(one, other);
  }));
  expect(compared).toBeLessThan(many.length);
  expect(steps).toBeGreaterThan(many.length / 200);
  expect(run(filterSteps(many, () => true)).steps).toBe(many.length / 200);
});

test('between slices others have their turn, and what is called off ends there', async () => {
  const stop = new AbortController();
  let clock = 0;
  let turns = 0;
  const slices = { signal: stop.signal, sliceMs: 25, now: () => (clock += 10), pause: async () => void (turns += 1) };
  expect(await inSlices(filterSteps(Array.from({ length: 2000 }, (_, index) => index), () => true), slices)).toHaveLength(2000);
  expect(turns).toBeGreaterThan(2);
  await expect(inSlices(filterSteps(Array.from({ length: 2000 }, (_, index) => index), () => true), { ...slices, onBreak: () => stop.abort() })).rejects.toThrow();
});
