import { expect, it } from 'vitest';
import type { WorkerSession } from '../ports/write-target.ts';
import { OwnVms } from './own-vms.ts';

const vm = { endpointId: 'cloud', vmId: 'vm', vmName: 'mover', volumes: 5 };
const of = (executionId: string) => ({ executionId, replicaId: 'replica' });

function ownVms(asked: unknown[] = []): OwnVms {
  const store = { ownVms: { list: () => [vm] }, ledger: { epoch: () => 7 } };
  const thisComputer = {
    metadata: async () => undefined,
    cloudInitId: async () => undefined,
    productUuid: async () => undefined,
    bootId: () => undefined,
  };
  const connect = async (use: unknown) => {
    asked.push(use);
    return {} as WorkerSession;
  };
  return new OwnVms(store as unknown as ConstructorParameters<typeof OwnVms>[0], {
    connect,
    takeTurn: async () => expect.fail('nobody waits for a turn'),
    thisComputer,
  });
}

it('a VM has volumes of a destination and copies of a source at the same time, and no more than it may', () => {
  const vms = ownVms();
  expect(vms.lease({ executionId: 'one', endpointId: 'cloud', volumes: 2 })).toEqual(vm);
  const source = vms.ofSource('cloud', of('one'))!;
  expect([source.lease(2), vms.inUse('vm')]).toEqual([true, 4]);
  // The same answer again, without a second place.
  expect([source.lease(2), vms.inUse('vm')]).toEqual([true, 4]);
  expect(vms.ofSource('cloud', of('two'))!.lease(2)).toBe(false);
  // The end of the copy to the destination does not take the copies' places, and the end of the execution does.
  vms.giveBack('one', 'destination');
  expect([vms.inUse('vm'), vms.ofSource('cloud', of('two'))!.lease(2)]).toEqual([2, true]);
  vms.giveBack('one');
  vms.giveBack('two');
  expect(vms.inUse('vm')).toBe(0);
});

it('the agent beside copies is another one than that beside volumes, and is fenced by the same claim', async () => {
  const asked: unknown[] = [];
  await ownVms(asked).ofSource('cloud', of('one'))!.connect(new AbortController().signal);
  expect(asked).toEqual([{ purpose: 'vm replica source', epoch: 7 }]);
  expect(ownVms().ofSource('elsewhere', of('one'))).toBeUndefined();
});
