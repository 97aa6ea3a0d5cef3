import { expect, test } from 'vitest';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { isSoundOrder, orderOf, plannedOrder } from './plan-order.tsx';

const members = ['db', 'app', 'web'].map((name) => ({
  replicaId: `rep-${name}`,
  name,
})) as unknown as WaveDetail['memberList'];

test('an order comes back from the dialog as it was, with the names of those that the plan names by ID', () => {
  const order = orderOf(
    { groups: [{ name: 'Data', needsGo: true, members: ['rep-db'] }], after: { web: ['rep-app', 'db'] } },
    members,
  );
  expect(plannedOrder(order)).toEqual({
    groups: [{ name: 'Data', needsGo: true, members: ['db'] }],
    after: { web: ['app', 'db'] },
  });
  expect(plannedOrder(orderOf({}, members))).toEqual({});
});

test('dependencies of one member are one, and members that would wait for each other are refused', () => {
  const after = (...dependencies: readonly (readonly [string, readonly string[]])[]) => ({
    groups: [],
    dependencies: dependencies.map(([member, of]) => ({ member, after: of })),
  });
  expect(plannedOrder(after(['web', ['app']], ['web', ['db', 'app']]))).toEqual({ after: { web: ['app', 'db'] } });
  expect(
    [after(['web', ['app']]), after(['', ['app']]), after(['web', []]), after(['web', ['app']], ['app', ['web']])].map(
      (order) => isSoundOrder(order, members),
    ),
  ).toEqual([true, false, false, false]);
  // A group that comes first cannot wait for a later one.
  expect(
    isSoundOrder({ ...after(['db', ['web']]), groups: [{ name: 'Data', needsGo: false, members: ['db'] }] }, members),
  ).toBe(false);
});
