import { describe, expect, test } from 'vitest';
import type { Execution, ExecutionState } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { latestExecutions, replicaLife } from './replica-life.ts';

const replica: Replica = {
  id: 'rep_1', name: 'web', sourceEndpointId: 'ep_1', destinationEndpointId: 'ep_2', vmId: 'web', vmName: 'web',
  sourceEnvironment: {}, destinationEnvironment: {}, createdAt: '2026-11-20T00:00:00Z', disks: [],
};
const execution = (number: number, state: ExecutionState): Execution => ({
  id: `exe_${number}`, replicaId: 'rep_1', number, state, options: {}, createdAt: '2026-11-20T00:00:00Z', leftBehind: 0,
});

describe('where a replica stands', () => {
  test('one that never ran is not replicated', () => {
    expect(replicaLife(replica, undefined)).toEqual({ kind: 'never', step: 'replicate' });
  });

  test('it is in sync as of its oldest disk', () => {
    const disks = [
      { diskId: 'a', sizeBytes: 1, synchronisedTo: '2026-11-20T10:00:00Z' },
      { diskId: 'b', sizeBytes: 1, synchronisedTo: '2026-11-20T09:00:00Z' },
    ];
    const life = replicaLife({ ...replica, disks, lastSuccess: '2026-11-20T10:05:00Z' }, execution(1, 'completed'));
    expect(life).toMatchObject({ kind: 'in-sync', step: 'again', syncedTo: '2026-11-20T09:00:00Z' });
  });

  test('a disk that was never synchronised leaves no moment to name', () => {
    const disks = [{ diskId: 'a', sizeBytes: 1, synchronisedTo: '2026-11-20T10:00:00Z' }, { diskId: 'b', sizeBytes: 1 }];
    expect(replicaLife({ ...replica, disks, lastSuccess: '2026-11-20T10:05:00Z' }, execution(2, 'failed'))).not.toHaveProperty('syncedTo');
  });

  test.each([
    ['pending', 'watch'], ['running', 'watch'], ['cancelling', 'watch'], ['interrupted', 'resume'], ['failed', 'why'], ['cancelled', 'replicate'],
  ] as const)('after a run that is %s the next step is to %s', (state, step) => {
    expect(replicaLife(replica, execution(1, state)).step).toBe(step);
  });

  test('the newest execution counts, in whatever order they come', () => {
    expect(latestExecutions([execution(2, 'failed'), execution(3, 'running'), execution(1, 'completed')]).get('rep_1')?.number).toBe(3);
  });
});
