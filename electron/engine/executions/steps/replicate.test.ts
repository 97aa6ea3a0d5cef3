import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { runGraph, type NextAttempt, type RecordedTask } from '../../jobs/runner.ts';
import { bindSteps } from '../../jobs/steps.ts';
import type { TaskGraph } from '../../jobs/task-graph.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import type { Resumability } from '../../replication/index.ts';
import { replicaGraph, replicaValues, type ReplicaNode } from '../replica-graph.ts';
import type { WorkerWithVolumes } from '../../workers/attach-volumes.ts';
import type { ExecutionContext } from '../execution-context.ts';
import { replicateDisks, verifyDisks } from './replicate.ts';

const sizeBytes = 2 ** 40;
const diskIds = ['vda', 'vdb'];
const linkLost = () => new CausewayError('general.deadline', 'the link is lost', { retryable: true });

/** The two steps of the graph that need a link, with a transfer that is told at which attempts it fails and how far it gets. */
async function execution(attempts: {
  readonly copy?: readonly { readonly durable: number; readonly tag?: string }[];
  readonly verify?: readonly (string | undefined)[];
}) {
  const copy = [...(attempts.copy ?? [])];
  const verify = [...(attempts.verify ?? [])];
  const reached = new Map<string, number>();
  const retries: NextAttempt[] = [];
  const compared: string[] = [];
  let tag = 's1';
  const run = {
    options: {},
    environments: { source: {}, destination: {} },
    policy: { volumesAreZeroed: false },
    replicaId: 'rep-1',
    transferFolder: '/nowhere',
    store: {
      db: undefined,
      snapshots: { list: () => [] },
      replicas: { find: () => ({ disks: [] }), claimForWriting: () => false },
    },
    workers: {
      get: async () => ({
        lost: new AbortController().signal,
        devices: async () => diskIds.map((id) => ({ path: id, serial: id, byPath: [], sizeBytes, inUse: false })),
        open: async () => ({ close: async () => undefined }),
      }),
    },
    source: { openDisk: async () => ({ close: async () => undefined }) },
    replication: {
      openTransferState: ({ diskId }: { readonly diskId: string }) => ({
        diskId,
        mustReadAll: () => true,
        resumability: (of: string): Resumability => ({
          kind: 'resume',
          durableBytes: diskId === 'vda' ? (reached.get(of) ?? 0) : 0,
        }),
      }),
      replicateDisk: async ({
        state,
        snapshotId,
      }: {
        readonly state: { readonly diskId: string };
        readonly snapshotId: string;
      }) => {
        if (state.diskId !== 'vda') return { bytesSent: 0 };
        const next = copy.shift();
        if (next === undefined) return { bytesSent: 0 };
        reached.set(snapshotId, next.durable);
        tag = next.tag ?? tag;
        throw linkLost();
      },
      verifyDisk: async ({ state }: { readonly state: { readonly diskId: string } }) => {
        compared.push(state.diskId);
        const failsAt = verify[0];
        if (failsAt !== state.diskId) return { matches: true };
        verify.shift();
        throw linkLost();
      },
    },
    event: () => undefined,
    publishProgress: () => undefined,
  } as unknown as ExecutionContext;
  const vm: Vm = {
    id: 'vm',
    name: 'vm',
    os_type: 'linux',
    disks: diskIds.map((id) => ({ id, size_bytes: sizeBytes })),
    nics: [],
  };
  const nothing = async (): Promise<void> => {};
  const steps = bindSteps<typeof replicaValues, ReplicaNode>(replicaValues, {
    'check-source': nothing,
    'check-destination': nothing,
    'shut-down-vm': nothing,
    'stop-worker': nothing,
    'confirm-snapshot': nothing,
    'record-success': async () => ({ digests: [] }),
    'release-snapshot': nothing,
    'describe-vm': async () => ({ vm }),
    'ensure-volumes': async () => ({
      volumes: diskIds.map((id) => ({ id, diskId: id, sizeBytes, createdByThisCall: false })),
    }),
    'take-snapshot': async () => ({
      snapshot: { tag, disks: diskIds.map((diskId) => ({ diskId, sizeBytes })) } as unknown as Snapshot,
    }),
    'start-worker': async () => ({
      worker: {
        attached: diskIds.map((id) => ({
          volume: { id, diskId: id, sizeBytes, createdByThisCall: false },
          identity: { kind: 'serial', serial: id, sizeBytes },
        })),
      } as unknown as WorkerWithVolumes,
    }),
    'replicate-disks': replicateDisks(run),
    'verify-disks': verifyDisks(run),
  });
  const whole: TaskGraph = replicaGraph({});
  const graph = whole.map((node) =>
    node.retry === undefined ? node : { ...node, retry: { ...node.retry, firstMs: 1, capMs: 1 } },
  );
  const tasks = new Map<string, RecordedTask>();
  const never = new AbortController().signal;
  const outcome = await runGraph({
    graph,
    steps,
    recorder: {
      load: () => [...tasks.values()],
      start: () => undefined,
      finish: () => undefined,
      retry: (_id, next) => void retries.push(next),
      takeBack: () => undefined,
    },
    cancel: never,
    force: never,
  });
  return { state: outcome.state, retries, compared };
}

describe('a link that is lost again and again', () => {
  test('does not end a copy that goes on in between', async () => {
    const { state, retries } = await execution({
      copy: Array.from({ length: 40 }, (_, index) => ({ durable: (index + 1) * 2 ** 26 })),
    });
    expect([state, retries.length, Math.max(...retries.map((next) => next.withoutProgress))]).toEqual([
      'completed',
      40,
      2,
    ]);
    expect(retries.at(-1)).toMatchObject({ attempt: 41, withoutProgress: 2, limit: 6 });
  });

  test('ends a copy that stays where it is', async () => {
    const { state, retries } = await execution({ copy: Array.from({ length: 40 }, () => ({ durable: 2 ** 26 })) });
    expect([state, retries.length]).toEqual(['failed', 5]);
  });

  test('ends a copy that has to begin with a new snapshot each time', async () => {
    const { state } = await execution({
      copy: Array.from({ length: 40 }, (_, index) => ({ durable: 2 ** 30, tag: `s${index + 2}` })),
    });
    expect(state).toBe('failed');
  });

  test('does not end a verification that gets a disk done in between, and compares no disk twice', async () => {
    const { state, compared } = await execution({ verify: ['vda', 'vda', 'vdb', 'vdb'] });
    expect(state).toBe('completed');
    expect(compared.filter((id) => id === 'vda')).toHaveLength(3);
  });
});
