import { describe, expect, test } from 'vitest';
import type { Execution, ExecutionState } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import type { Deployment, DeploymentState } from '../../../shared/model/deployment.ts';
import { isIdle, latestOf, replicaStatus } from './replica-status.ts';

const replica: Replica = {
  id: 'rep_1',
  name: 'web',
  sourceEndpointId: 'ep_1',
  destinationEndpointId: 'ep_2',
  vmId: 'web',
  vmName: 'web',
  sourceEnvironment: {},
  destinationEnvironment: {},
  createdAt: '2026-11-20T00:00:00Z',
  disks: [],
};
const execution = (number: number, state: ExecutionState): Execution => ({
  id: `exe_${number}`,
  replicaId: 'rep_1',
  number,
  state,
  options: {},
  createdAt: '2026-11-20T00:00:00Z',
  leftBehind: 0,
});

const deployment = (state: DeploymentState, createdAt: string, executionIds: string[] = []): Deployment => ({
  id: 'dep_1',
  replicaId: 'rep_1',
  replicaName: 'web',
  destinationEndpointId: 'ep_2',
  number: 1,
  state,
  options: {},
  createdAt,
  leftBehind: 0,
  kept: false,
  executionIds,
});

describe('where a replica stands', () => {
  test('one that never ran is not replicated', () => {
    expect(replicaStatus(replica, undefined)).toEqual({ kind: 'never', steps: ['replicate'] });
  });

  test('it is in sync as of its oldest disk', () => {
    const disks = [
      { diskId: 'a', sizeBytes: 1, synchronisedTo: '2026-11-20T10:00:00Z' },
      { diskId: 'b', sizeBytes: 1, synchronisedTo: '2026-11-20T09:00:00Z' },
    ];
    const life = replicaStatus({ ...replica, disks, lastSuccess: '2026-11-20T10:05:00Z' }, execution(1, 'completed'));
    expect(life).toMatchObject({ kind: 'in-sync', steps: ['deploy', 'again'], syncedTo: '2026-11-20T09:00:00Z' });
  });

  test('a disk that was never synchronised leaves no moment to name', () => {
    const disks = [
      { diskId: 'a', sizeBytes: 1, synchronisedTo: '2026-11-20T10:00:00Z' },
      { diskId: 'b', sizeBytes: 1 },
    ];
    expect(
      replicaStatus({ ...replica, disks, lastSuccess: '2026-11-20T10:05:00Z' }, execution(2, 'failed')),
    ).not.toHaveProperty('syncedTo');
  });

  test.each([
    ['pending', 'watch'],
    ['running', 'watch'],
    ['cancelling', 'watch'],
    ['interrupted', 'resume'],
    ['failed', 'why'],
    ['cancelled', 'replicate'],
  ] as const)('after a run that is %s the next step is to %s', (state, step) => {
    expect(replicaStatus(replica, execution(1, state)).steps[0]).toBe(step);
  });

  test('the newest execution counts, in whatever order they come', () => {
    expect(
      latestOf([execution(2, 'failed'), execution(3, 'running'), execution(1, 'completed')]).get('rep_1')?.number,
    ).toBe(3);
  });

  test.each([
    ['pending', 'deploying', 'watch-deployment'],
    ['running', 'deploying', 'watch-deployment'],
    ['interrupted', 'deployment-interrupted', 'resume-deployment'],
    ['completed', 'deployed', 'open'],
    ['failed', 'deployment-failed', 'why-deployment'],
  ] as const)('with a later deployment that is %s it is %s', (state, kind, step) => {
    const life = replicaStatus(
      { ...replica, lastSuccess: '2026-11-20T00:01:00Z' },
      execution(1, 'completed'),
      deployment(state, '2026-11-20T01:00:00Z'),
    );
    expect([life.kind, life.steps[0], life.deployment?.id]).toEqual([kind, step, 'dep_1']);
    expect(isIdle(life)).toBe(state === 'completed' || state === 'failed');
  });

  test.each(['cancelled', 'deleted'] as const)('a deployment that is %s leaves it as it was', (state) => {
    const life = replicaStatus(
      { ...replica, lastSuccess: '2026-11-20T00:01:00Z' },
      execution(1, 'completed'),
      deployment(state, '2026-11-20T01:00:00Z'),
    );
    expect([life.kind, life.deployment]).toEqual(['in-sync', undefined]);
  });

  test('a rehearsal that has passed leaves it as it was', () => {
    const rehearsal = {
      ...deployment('completed', '2026-11-20T01:00:00Z'),
      options: { purpose: 'rehearsal' as const },
    };
    const life = replicaStatus(
      { ...replica, lastSuccess: '2026-11-20T00:01:00Z' },
      execution(1, 'completed'),
      rehearsal,
    );
    expect([life.kind, life.deployment]).toEqual(['in-sync', undefined]);
  });

  test("an execution after a deployment is what counts, unless it is the migration's own", () => {
    const synced = { ...replica, lastSuccess: '2026-11-20T00:01:00Z' };
    expect(replicaStatus(synced, execution(2, 'completed'), deployment('completed', '2026-11-19T00:00:00Z')).kind).toBe(
      'in-sync',
    );
    expect(
      replicaStatus(synced, execution(2, 'completed'), deployment('completed', '2026-11-19T00:00:00Z', ['exe_2'])).kind,
    ).toBe('deployed');
  });
});
