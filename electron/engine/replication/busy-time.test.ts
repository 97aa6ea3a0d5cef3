import { expect, test } from 'vitest';
import { BusyTime } from './busy-time.ts';

test('counts the time in which something is under way once, however much of it there is, also when it fails', async () => {
  let now = 1000;
  const busy = new BusyTime({ monotonic: () => now });
  const [one, other] = [Promise.withResolvers<string>(), Promise.withResolvers<string>()];
  const [first, second] = [busy.during(one.promise), busy.during(other.promise)];
  now += 2000;
  expect(busy.seconds).toBe(2);
  one.resolve('done');
  expect(await first).toBe('done');
  now += 1000;
  other.reject(new Error('refused'));
  await expect(second).rejects.toThrow('refused');
  now += 5000;
  expect(busy.seconds).toBe(3);
  const third = busy.during(Promise.resolve());
  now += 500;
  await third;
  expect(busy.seconds).toBe(3.5);
});
