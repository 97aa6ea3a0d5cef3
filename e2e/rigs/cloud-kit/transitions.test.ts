import { describe, expect, it } from 'vitest';
import { ManualClock } from './clock.ts';
import { Transitions } from './transitions.ts';
import type { OperationRecord, Transition } from './transitions.ts';

const operation = (): OperationRecord => ({ id: '1', about: undefined, state: 'running', startedAt: 0 });

/** A transition that writes down what becomes of it. */
function told(seen: string[], more: Partial<Transition> = {}): Transition {
  return { succeed: () => void seen.push('succeeded'), fail: (reason) => void seen.push(`failed: ${reason}`), ...more };
}

describe('a state that changes later', () => {
  it('changes when the clock is that far, and not before', async () => {
    const clock = new ManualClock(1_000);
    const transitions = new Transitions(clock, 500);
    const seen: string[] = [];
    const record = operation();
    transitions.start(told(seen, { operation: record }));
    await clock.advance(499);
    expect({ seen, state: record.state }).toEqual({ seen: [], state: 'running' });
    await clock.advance(1);
    expect({ seen, record }).toEqual({
      seen: ['succeeded'],
      record: { id: '1', about: undefined, state: 'succeeded', startedAt: 0, endedAt: 1_500 },
    });
  });

  it('fails with its work, fails by a fault, and never ends by another', async () => {
    const clock = new ManualClock();
    const transitions = new Transitions(clock, 10);
    const seen: string[] = [];
    const [broken, faulty, hanging] = [operation(), operation(), operation()];
    transitions.start(told(seen, { work: () => Promise.reject(new Error('no space')), operation: broken }));
    transitions.start(told(seen, { fault: { operation: '*', effect: 'status-error' }, operation: faulty }));
    transitions.start(told(seen, { fault: { operation: '*', effect: 'hang' }, operation: hanging }));
    await clock.advance(1_000);
    expect(seen).toEqual(['failed: no space', 'failed: the back end failed']);
    expect([broken, faulty, hanging].map(({ state, reason }) => [state, reason])).toEqual([
      ['failed', 'no space'],
      ['failed', 'the back end failed'],
      ['running', undefined],
    ]);
  });

  it('what is due happens in order of time, also what it sets off', async () => {
    const clock = new ManualClock();
    const transitions = new Transitions(clock, 0);
    const seen: string[] = [];
    transitions.start({ delayMs: 30, succeed: () => void seen.push('c'), fail: () => {} });
    transitions.start({
      delayMs: 10,
      succeed: () => {
        seen.push('a');
        transitions.start({ delayMs: 10, succeed: () => void seen.push('b'), fail: () => {} });
      },
      fail: () => {},
    });
    await clock.advance(30);
    expect(seen).toEqual(['a', 'b', 'c']);
  });

  it('is waited for in real time, and nothing settles after the end', async () => {
    const { realClock } = await import('./clock.ts');
    const transitions = new Transitions(realClock, 1);
    const seen: string[] = [];
    transitions.start(told(seen));
    await transitions.settled();
    const late = Promise.withResolvers<void>();
    const begun = Promise.withResolvers<void>();
    transitions.start(told(seen, { work: () => (begun.resolve(), late.promise) }));
    await begun.promise;
    const closing = transitions.close();
    late.resolve();
    await closing;
    expect(seen).toEqual(['succeeded']);
  });
});
