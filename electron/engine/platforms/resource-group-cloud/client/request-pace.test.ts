import { expect, test } from 'vitest';
import type { Clock } from '../../../time/clock.ts';
import { createRequestPace, spacingOf } from './request-pace.ts';

const url = new URL('https://management.example/subscriptions/s/providers/Microsoft.Compute/disks');
const signal = new AbortController().signal;

/** Sleeping is what makes time pass. */
function steppedClock(): Clock & { readonly slept: number[] } {
  let now = 0;
  const slept: number[] = [];
  return {
    slept,
    monotonic: () => now,
    wallTime: () => now,
    after: () => () => undefined,
    async sleep(ms) {
      slept.push(ms);
      now += ms;
    },
  };
}

const left = (kind: string, remaining: string): Headers =>
  new Headers({ [`x-ms-ratelimit-remaining-subscription-${kind}`]: remaining });

test('a bucket with enough left holds nobody up, and one that is nearly empty is used as fast as it fills', () => {
  expect(spacingOf('reads', left('reads', '249'))).toBe(0);
  expect(spacingOf('reads', left('reads', '10'))).toBe(40);
  expect(spacingOf('writes', left('writes', '0'))).toBe(100);
  expect(spacingOf('writes', left('reads', '0'))).toBe(0);
  expect(spacingOf('reads', left('reads', 'many'))).toBe(0);
});

test('what is left of a policy of Compute has to do for its window', () => {
  const of = (text: string): number => spacingOf('reads', new Headers({ 'x-ms-ratelimit-remaining-resource': text }));
  expect(of('Microsoft.Compute/HighCostGet3Min;107,Microsoft.Compute/HighCostGet30Min;980')).toBe(0);
  expect(of('Microsoft.Compute/HighCostGet3Min;2,Microsoft.Compute/HighCostGet30Min;980')).toBe(6_000);
  expect(of('Microsoft.Compute/HighCostGet3Min;5,Microsoft.Compute/HighCostGet30Min;0')).toBe(120_000);
  expect(of('')).toBe(0);
});

test('requests of one kind wait for each other, others do not', async () => {
  const clock = steppedClock();
  const pace = createRequestPace(clock);
  pace.after('PUT', url, { status: 200, headers: left('writes', '3') }, undefined);
  for (let request = 0; request < 3; request += 1) await pace.before('POST', url, signal);
  expect(clock.slept).toEqual([100, 100]);
  await pace.before('GET', url, signal);
  await pace.before('DELETE', url, signal);
  expect(clock.slept).toEqual([100, 100]);
  // It has filled again.
  pace.after('PUT', url, { status: 200, headers: left('writes', '180') }, undefined);
  await pace.before('PUT', url, signal);
  await pace.before('PUT', url, signal);
  expect(clock.slept).toHaveLength(3);
});

test('after one refusal all requests of its kind wait as long as the service says', async () => {
  const clock = steppedClock();
  const pace = createRequestPace(clock);
  pace.after('GET', url, { status: 429, headers: new Headers() }, 17_000);
  await pace.before('GET', url, signal);
  await pace.before('GET', url, signal);
  await pace.before('PUT', url, signal);
  expect(clock.slept).toEqual([17_000]);
});
