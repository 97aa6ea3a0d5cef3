import { expect, test } from 'vitest';
import { FaultPlan } from './faults.ts';

test('a fault hits its nth call and as many in a row as it says, and tells which never came', () => {
  const plan = new FaultPlan();
  plan.add({ operation: 'CreateVolume', nth: 2, times: 2, effect: '500' });
  plan.add({ operation: '*', nth: 5, effect: '429' });
  plan.add({ operation: 'DeleteVolume', effect: 'hang' });
  const calls = ['CreateVolume', 'CreateVolume', 'GetVolume', 'CreateVolume', 'GetVolume', 'CreateVolume'];
  expect(calls.map((operation) => plan.take(operation)?.effect)).toEqual([
    undefined,
    '500',
    undefined,
    '500',
    '429',
    undefined,
  ]);
  expect(plan.pending()).toEqual([{ operation: 'DeleteVolume', effect: 'hang' }]);
});
