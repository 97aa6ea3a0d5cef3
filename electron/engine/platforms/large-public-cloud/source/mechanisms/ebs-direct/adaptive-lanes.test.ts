import { expect, it } from 'vitest';
import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import { retryContext } from '../../../../../cloud-resources/retry-context.ts';
import { systemClock } from '../../../../../time/clock.ts';
import { AdaptiveLanes } from './adaptive-lanes.ts';

const signal = new AbortController().signal;
const around = retryContext({ clock: { ...systemClock, sleep: async () => undefined }, random: () => 0 });
const throttled = (): CausewayError => new CausewayError('cloud.rate-limited', 'too many requests');

it('lets no more work run at a time than its limit, and more with each success', async () => {
  const lanes = new AdaptiveLanes(around, { first: 2, most: 4 });
  let [active, most] = [0, 0];
  await Promise.all(
    Array.from({ length: 40 }, () =>
      lanes.run(async () => {
        active += 1;
        most = Math.max(most, active);
        await Promise.resolve();
        active -= 1;
      }, signal),
    ),
  );
  expect([most, lanes.limit]).toEqual([4, 4]);
});

it('halves the limit when it is throttled, and does the work again', async () => {
  const lanes = new AdaptiveLanes(around, { first: 16, most: 64 });
  let refusals = 3;
  await expect(
    lanes.run(async () => {
      if (refusals > 0) {
        refusals -= 1;
        throw throttled();
      }
      return 'done';
    }, signal),
  ).resolves.toBe('done');
  expect(lanes.limit).toBe(2);
});

it('does less at a time when answers stay away, as on a slow link', async () => {
  const lanes = new AdaptiveLanes(around, { first: 16, most: 64 });
  let failures = 2;
  await lanes.run(async () => {
    if (failures > 0) {
      failures -= 1;
      throw new CausewayError('cloud.no-answer', 'nothing came');
    }
  }, signal);
  expect(lanes.limit).toBe(4);
});

it('gives up what stays throttled, and what fails for good at the first time', async () => {
  const lanes = new AdaptiveLanes(around);
  await expect(lanes.run(() => Promise.reject(throttled()), signal)).rejects.toMatchObject({
    code: 'cloud.rate-limited',
  });
  expect(lanes.limit).toBe(1);
  let attempts = 0;
  await expect(
    lanes.run(() => {
      attempts += 1;
      return Promise.reject(new CausewayError('cloud.permission-denied', 'no'));
    }, signal),
  ).rejects.toMatchObject({ code: 'cloud.permission-denied' });
  expect(attempts).toBe(1);
});

it('does not begin what was called off while it waited for a lane', async () => {
  const lanes = new AdaptiveLanes(around, { first: 1, most: 1 });
  const gate = Promise.withResolvers<void>();
  const first = lanes.run(() => gate.promise, signal);
  const cancel = new AbortController();
  let begun = false;
  const second = lanes.run(async () => {
    begun = true;
  }, cancel.signal);
  cancel.abort(new CausewayError('general.cancelled', 'called off'));
  const third = lanes.run(async () => 'third', signal);
  gate.resolve();
  await first;
  await expect(second).rejects.toMatchObject({ code: 'general.cancelled' });
  await expect(third).resolves.toBe('third');
  expect(begun).toBe(false);
});
