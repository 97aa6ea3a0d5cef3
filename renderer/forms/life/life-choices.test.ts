import { describe, expect, test } from 'vitest';
import { lifeStates } from '../../../shared/model/machine-life.ts';
import { choicesOf, isPossible } from './life-choices.ts';

describe('what can be done with a VM', () => {
  test('is what leads on, and what else, in each state', () => {
    const told = lifeStates.map((state) => {
      const { next, others } = choicesOf({ state, next: state === 'in-sync' ? 'rehearse' : 'none' });
      return `${state}: ${[next ?? '-', ...others].join(' ')}`;
    });
    expect(told).toEqual([
      'not-ready: -',
      'ready: -',
      'initial-copy: -',
      'in-sync: rehearse approve cut-over',
      'rehearsed: approve rehearse cut-over',
      'approved: cut-over rehearse withdraw',
      'cutting-over: -',
      'cut-over-failed: roll-back cut-over',
      'running-at-destination: finalise roll-back',
      'rolling-back: roll-back',
      'rolled-back: -',
      'finalising: finalise',
      'finalised: -',
    ]);
  });

  test('does not go on while the settings have errors', () => {
    expect(
      ['in-sync', 'rehearsed', 'approved'].map((state) =>
        isPossible({ state: state as 'in-sync', next: 'fix-settings' }, 'cut-over'),
      ),
    ).toEqual([false, false, false]);
    expect(isPossible({ state: 'approved', next: 'fix-settings' }, 'withdraw')).toBe(true);
  });
});
