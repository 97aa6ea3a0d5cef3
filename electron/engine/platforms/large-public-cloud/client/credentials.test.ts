import { expect, it } from 'vitest';
import { remembered } from './credentials.ts';

const minute = 60_000;
const until = (ends: number | undefined) => ({
  accessKeyId: 'AKIAEXAMPLE',
  secretAccessKey: 'secret',
  ...(ends === undefined ? {} : { expiration: new Date(ends) }),
});

/** A sign-in with a clock of its own, which counts how often it is asked. */
function signIn(give: (asked: number) => Promise<ReturnType<typeof until>>) {
  const state = { now: 0, asked: 0 };
  const credentials = remembered(
    () => give((state.asked += 1)),
    () => state.now,
  );
  return { state, credentials };
}

it('asks once for what does not end, also when many want it at the same time', async () => {
  const { state, credentials } = signIn(async () => until(undefined));
  await Promise.all(Array.from({ length: 64 }, credentials));
  state.now = 1000 * minute;
  await credentials();
  expect(state.asked).toBe(1);
});

it('asks anew before the end, but not with every request where the same credentials are given again', async () => {
  const { state, credentials } = signIn(async () => until(60 * minute));
  await credentials();
  state.now = 56 * minute;
  for (let request = 0; request < 100; request += 1) await credentials();
  expect(state.asked).toBe(2);
  state.now = 57 * minute;
  await credentials();
  expect(state.asked).toBe(3);
});

it('goes on with the old ones to their end while no new ones are to be had', async () => {
  const { state, credentials } = signIn(async (asked) => {
    if (asked > 1) throw new Error('the token of single sign-on has ended');
    return until(60 * minute);
  });
  await credentials();
  state.now = 58 * minute;
  await expect(credentials()).resolves.toMatchObject({ accessKeyId: 'AKIAEXAMPLE' });
  state.now = 61 * minute;
  await expect(credentials()).rejects.toThrow('has ended');
  await expect(credentials()).rejects.toThrow('has ended');
});
