import { expect, test } from 'vitest';
import { inSlices } from './in-slices.ts';

/** Takes its time on the processor. */
function work(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

test('everything comes in order, others get their turn in between, and each slice begins anew', async () => {
  const told: (number | string)[] = [];
  let slices = 0;
  const other = setInterval(() => told.push('other'), 1);
  await inSlices([1, 2, 3, 4], () => {
    slices += 1;
    return (thing) => {
      work(20);
      told.push(thing);
    };
  });
  clearInterval(other);
  expect(told.filter((one) => one !== 'other')).toEqual([1, 2, 3, 4]);
  expect(told.slice(0, told.indexOf(4))).toContain('other');
  expect(slices).toBe(4);
});

test('it ends when nobody wants it any more', async () => {
  const controller = new AbortController();
  const done: number[] = [];
  const running = inSlices(
    [1, 2, 3],
    () => (thing) => {
      work(20);
      done.push(thing);
      controller.abort(new Error('gone'));
    },
    controller.signal,
  );
  await expect(running).rejects.toThrow('gone');
  expect(done).toEqual([1]);
});
