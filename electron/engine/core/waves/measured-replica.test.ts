import { expect, test } from 'vitest';
import type { Store } from '../../store/store.ts';
import { measuredReplica, newestVm } from './measured-replica.ts';

const MiB = 1024 ** 2;
const at = (minutes: number): string => new Date(Date.UTC(2026, 0, 1, 0, minutes)).toISOString();

interface Pass {
  readonly number: number;
  readonly minute: number;
  readonly changed: number;
  readonly sent: number;
  readonly copySeconds: number;
  readonly readEverything?: boolean;
}

/** A store with executions that took two minutes each, newest first. */
function storeOf(passes: readonly Pass[]): Store {
  const executions = passes
    .map(({ number, minute }) => ({
      id: `exe-${number}`,
      number,
      state: 'completed',
      startedAt: at(minute),
      finishedAt: at(minute + 2),
    }))
    .toReversed();
  return {
    executions: { list: () => executions, find: (id: string) => executions.find((one) => one.id === id) },
    tasks: {
      list: (id: string) => {
        const pass = passes.find(({ number }) => `exe-${number}` === id)!;
        const outcome = {
          bytesChanged: pass.changed,
          bytesSent: pass.sent,
          durationSeconds: pass.copySeconds,
          readEverything: pass.readEverything ?? false,
        };
        return [
          { id: 'take-snapshot', finishedAt: at(pass.minute) },
          { id: 'replicate-disks', result: { outcomes: [outcome] } },
        ];
      },
    },
    deployments: {
      list: () => [{ state: 'completed', startedAt: at(0), finishedAt: at(10), executionIds: ['exe-1'] }],
    },
  } as unknown as Store;
}

test('change rate, compressibility and speed are those of all executions together; a whole copy is no change', () => {
  const measured = measuredReplica(
    storeOf([
      { number: 1, minute: 0, changed: 1000 * MiB, sent: 500 * MiB, copySeconds: 100 },
      { number: 2, minute: 60, changed: 60 * MiB, sent: 30 * MiB, copySeconds: 10 },
      { number: 3, minute: 120, changed: 30 * MiB, sent: 10 * MiB, copySeconds: 5 },
    ]),
    'rep-1',
  );
  expect(measured).toMatchObject({
    executions: 3,
    changeBytesPerSecond: (90 * MiB) / 7200,
    sentShare: 540 / 1090,
    overheadSeconds: 110,
    deploySeconds: 480,
  });
  expect(measured.sentPerSecond).toBeCloseTo((540 * MiB) / 115, 3);
});

test('an execution that had to read everything again says nothing of what changes', () => {
  expect(
    measuredReplica(
      storeOf([
        { number: 1, minute: 0, changed: 100 * MiB, sent: 100 * MiB, copySeconds: 100 },
        { number: 2, minute: 60, changed: 100 * MiB, sent: 100 * MiB, copySeconds: 100, readEverything: true },
      ]),
      'rep-1',
    ).changeBytesPerSecond,
  ).toBeUndefined();
});

test('a few bytes tell of a change rate and not of a link', () => {
  expect(
    measuredReplica(
      storeOf([
        { number: 1, minute: 0, changed: 0, sent: 0, copySeconds: 0 },
        { number: 2, minute: 60, changed: 3600, sent: 1800, copySeconds: 1 },
      ]),
      'rep-1',
    ),
  ).toMatchObject({ changeBytesPerSecond: 1, sentShare: 0.5, sentPerSecond: undefined });
});

test('nothing was measured of a replica that was never executed', () => {
  expect(
    measuredReplica({ executions: { list: () => [] }, deployments: { list: () => [] } } as unknown as Store, 'rep-1'),
  ).toMatchObject({ executions: 0, changeBytesPerSecond: undefined, deploySeconds: undefined, vm: undefined });
});

test('what a VM has is read again only after another execution succeeded', () => {
  const vm = (vcpus: number) => ({ id: 'vm-1', name: 'web', os_type: 'linux', vcpus, disks: [], nics: [] });
  let asked = 0;
  let vcpus = 2;
  const store = {
    executions: { list: () => [{ id: 'exe-1', state: 'completed' }] },
    tasks: { list: () => ((asked += 1), [{ id: 'describe-vm', result: { vm: vm(vcpus) } }]) },
  } as unknown as Store;
  expect([
    newestVm(store, { id: 'rep-1', lastSuccess: at(1) }),
    newestVm(store, { id: 'rep-1', lastSuccess: at(1) }),
    asked,
  ]).toEqual([vm(2), vm(2), 1]);
  vcpus = 4;
  expect([
    newestVm(store, { id: 'rep-1', lastSuccess: at(2) })?.vcpus,
    newestVm(store, { id: 'rep-2' })?.vcpus,
    asked,
  ]).toEqual([4, 4, 3]);
});
