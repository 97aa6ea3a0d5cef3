import { describe, expect, it } from 'vitest';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
import type { Look } from '../time/poll.ts';
import { waitForState } from './wait-for-state.ts';

const plan = { deadlineMs: 10_000, firstMs: 1_000, capMs: 3_000 };
const signal = new AbortController().signal;

describe('waiting for a state', () => {
  it('looks at growing pauses until it is there', async () => {
    const clock = createHastyClock();
    let looks = 0;
    const look = async (): Promise<Look<string>> =>
      (looks += 1) < 4 ? { done: false, state: 'CREATING' } : { done: true, value: 'there' };
    expect(await waitForState({ operation: 'volume v' }, look, plan, clock, signal)).toBe('there');
    expect(clock.sleeps).toEqual([1_000, 1_500, 2_250]);
  });

  it('gives up at its deadline, naming the last state', async () => {
    const clock = createHastyClock();
    const look = async (): Promise<Look<never>> => ({ done: false, state: 'ATTACHING' });
    await expect(waitForState({ operation: 'volume v' }, look, plan, clock, signal)).rejects.toMatchObject({
      code: 'cloud.not-ready',
      message: 'volume v: still ATTACHING after 10 s',
      retryable: true,
    });
    expect(clock.monotonic()).toBe(10_000);
  });

  it('stops when it is cancelled', async () => {
    const cancel = new AbortController();
    const look = async (): Promise<Look<never>> => {
      cancel.abort(new Error('cancelled'));
      return { done: false, state: 'x' };
    };
    await expect(waitForState({ operation: 'x' }, look, plan, createHastyClock(), cancel.signal)).rejects.toThrow(
      'cancelled',
    );
  });
});
