import { describe, expect, test } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import { runGraph, type RecordedTask } from '../../jobs/runner.ts';
import { bindSteps } from '../../jobs/steps.ts';
import type { TaskGraph } from '../../jobs/task-graph.ts';
import type { Snapshot } from '../../ports/source-platform.ts';
import type { StoredSnapshot } from '../../store/snapshots.ts';
import type { WorkerWithVolumes } from '../../workers/attach-volumes.ts';
import type { ExecutionContext } from '../execution-context.ts';
import { replicaGraph, replicaValues, type ReplicaNode } from '../replica-graph.ts';
import { cleanUpSnapshots, takeSnapshot } from './snapshot.ts';

type Sizes = Readonly<Record<string, number>>;
const before: Sizes = { vda: 10 };
const after: Sizes = { vda: 12, vdb: 5 };

interface Case {
  /** What the source says the VM's disks are, each time that it is asked; the last for good. */
  readonly described: readonly Sizes[];
  /** What the snapshots have, one after the other. */
  readonly snapshots: readonly Sizes[];
  /** Which snapshots can still be read when it is asked for. */
  readonly alive?: (tag: string) => boolean;
  /** An execution that was interrupted while it copied from its first snapshot, by another life of the engine. */
  readonly resumed?: boolean;
  /** How often the link is lost in the middle of a copy. */
  readonly lost?: number;
  /** Set when the engine ends right after the VM was described for the second time, and another one resumes the execution. */
  readonly killed?: boolean;
}

/** The graph of an execution with its real snapshot step; the other steps say what they were given. */
async function execution({
  described,
  snapshots,
  alive = () => true,
  resumed = false,
  lost = 0,
  killed = false,
}: Case) {
  const vms = [...described];
  const disksOf = (sizes: Sizes) => Object.entries(sizes).map(([diskId, sizeBytes]) => ({ diskId, sizeBytes }));
  const vmWith = (sizes: Sizes): Vm => ({
    id: 'vm',
    name: 'vm',
    os_type: 'linux',
    firmware: 'bios',
    disks: disksOf(sizes).map(({ diskId, sizeBytes }) => ({ id: diskId, size_bytes: sizeBytes })),
    nics: [],
  });
  const stored: StoredSnapshot[] = [];
  const notes: string[] = [];
  let taken = 0;
  const take = (tag: string): Snapshot => ({
    id: tag,
    tag,
    vmId: 'vm',
    takenAt: '',
    disks: disksOf(snapshots[Math.min(taken++, snapshots.length - 1)] ?? {}),
    state: {},
  });
  const keep = (tag: string, snapshot?: Snapshot): void => {
    const at = stored.findIndex((one) => one.tag === tag);
    const row = {
      tag,
      replicaId: 'rep',
      executionId: 'exe',
      role: snapshot === undefined ? 'intended' : 'taken',
      snapshot,
    } as StoredSnapshot;
    if (at < 0) stored.push(row);
    else stored[at] = row;
  };
  const run = {
    executionId: 'exe',
    replicaId: 'rep',
    options: {},
    environments: { source: {}, destination: {} },
    store: {
      ledger: { settled: () => Promise.resolve() },
      replicas: { find: () => ({ vmId: 'vm', disks: [] }) },
      snapshots: {
        list: () => [...stored],
        base: () => undefined,
        intend: ({ tag }: { readonly tag: string }) => keep(tag),
        setTaken: keep,
        setDropped: (tag: string) =>
          void stored.splice(
            stored.findIndex((one) => one.tag === tag),
            1,
          ),
      },
      tasks: { list: () => [] },
    },
    source: {
      prepare: async () => undefined,
      isAlive: async ({ tag }: Snapshot) => alive(tag),
      createSnapshot: async ({ tag }: { readonly tag: string }) => take(tag),
      discardSnapshot: async () => undefined,
    },
    event: (_type: string, message: string) => void notes.push(message),
  } as unknown as ExecutionContext;

  const tasks = new Map<string, RecordedTask>();
  if (resumed) {
    const completed = (id: string, result: JsonObject = {}): void =>
      void tasks.set(id, { id, state: 'completed', attempts: 1, result });
    const first = vms.shift() ?? {};
    keep('causeway-exe', take('causeway-exe'));
    completed('check-source');
    completed('describe-vm', { vm: JSON.parse(JSON.stringify(vmWith(first))) as JsonObject });
    completed('check-destination');
    completed('ensure-volumes', {
      volumes: disksOf(first).map(({ diskId, sizeBytes }) => ({
        id: `vol-${diskId}`,
        diskId,
        sizeBytes,
        createdByThisCall: false,
      })),
    });
    completed('take-snapshot');
    completed('start-worker');
    tasks.set('replicate-disks', { id: 'replicate-disks', state: 'running', attempts: 1 });
  }
  const copied: unknown[] = [];
  const started: string[] = [];
  let left = lost;
  const nothing = async (): Promise<void> => {};
  const stepsOfLife = () =>
    bindSteps<typeof replicaValues, ReplicaNode>(replicaValues, {
      'check-source': nothing,
      'check-destination': nothing,
      'shut-down-vm': nothing,
      'verify-disks': nothing,
      'stop-worker': nothing,
      'confirm-snapshot': nothing,
      'record-success': async () => ({ digests: [] }),
      'release-snapshot': nothing,
      'describe-vm': async () => ({ vm: vmWith((vms.length > 1 ? vms.shift() : vms[0]) ?? {}) }),
      'ensure-volumes': async ({ values: { vm } }) => ({
        volumes: vm.disks.map(({ id, size_bytes }) => ({
          id: `vol-${id}`,
          diskId: id,
          sizeBytes: size_bytes,
          createdByThisCall: false,
        })),
      }),
      'take-snapshot': takeSnapshot(run),
      // Takes its time, so that the snapshot is there first.
      'start-worker': async ({ values: { volumes } }) => {
        for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate);
        return { worker: { attached: volumes.map((volume) => ({ volume })) } as unknown as WorkerWithVolumes };
      },
      'replicate-disks': async ({ values: { vm, snapshot, worker } }) => {
        if (left > 0) {
          left -= 1;
          throw new CausewayError('general.deadline', 'the link is lost', { retryable: true });
        }
        copied.push({
          described: Object.fromEntries(vm.disks.map((disk) => [disk.id, disk.size_bytes])),
          snapshot: Object.fromEntries(snapshot.disks.map((disk) => [disk.diskId, disk.sizeBytes])),
          attached: worker.attached.map(({ volume }) => volume.diskId),
        });
        return { outcomes: [] };
      },
    });
  const graph: TaskGraph = replicaGraph({});
  const never = new AbortController().signal;
  /** What the store had each time that the VM was described. */
  const afterDescribing: Map<string, RecordedTask>[] = [];
  const live = (kept: Map<string, RecordedTask>) =>
    runGraph({
      graph: graph.map((node) =>
        node.retry === undefined ? node : { ...node, retry: { ...node.retry, firstMs: 1, capMs: 1 } },
      ),
      steps: stepsOfLife(),
      recorder: {
        load: () => [...kept.values()],
        start(id) {
          started.push(id);
          kept.set(id, { ...kept.get(id), id, state: 'running', attempts: (kept.get(id)?.attempts ?? 0) + 1 });
        },
        finish(id, state, done) {
          kept.set(id, {
            id,
            state,
            attempts: kept.get(id)?.attempts ?? 0,
            ...(JSON.parse(JSON.stringify(done)) as typeof done),
          });
          if (id === 'describe-vm') afterDescribing.push(new Map(kept));
        },
        takeBack(ids) {
          for (const id of ids) kept.set(id, { attempts: 0, ...kept.get(id), id, state: 'pending' });
        },
        retry: () => undefined,
      },
      cancel: never,
      force: never,
    });
  let outcome = await live(tasks);
  if (killed) {
    copied.length = 0;
    outcome = await live(afterDescribing[1] ?? new Map());
  }
  return { outcome, copied, started, notes };
}

const copyOf = (sizes: Sizes) => ({ described: sizes, snapshot: sizes, attached: Object.keys(sizes) });

describe('a snapshot of other disks than were described', () => {
  test('taken after the engine was restarted: the VM is described again, and its volumes are made, before the disks are copied', async () => {
    const { outcome, copied, started, notes } = await execution({
      described: [before, after],
      snapshots: [before, after],
      alive: (tag) => tag !== 'causeway-exe',
      resumed: true,
    });
    expect([outcome.error, outcome.state, copied]).toEqual([undefined, 'completed', [copyOf(after)]]);
    for (const id of ['describe-vm', 'check-destination', 'ensure-volumes'])
      expect(
        started.filter((other) => other === id),
        id,
      ).toHaveLength(1);
    expect(notes.join('\n')).toContain('disk vda has 12 bytes instead of 10; disk vdb was added');
  });

  test('taken after the link was lost, beside a worker that lives: the same', async () => {
    let gone = false;
    const { outcome, copied } = await execution({
      described: [before, after],
      snapshots: [before, after],
      lost: 1,
      alive: () => {
        const was = gone;
        gone = true;
        return was;
      },
    });
    expect([outcome.error, outcome.state, copied]).toEqual([undefined, 'completed', [copyOf(after)]]);
  });

  test('taken right after the description: the same', async () => {
    const { outcome, copied } = await execution({ described: [before, after], snapshots: [after] });
    expect([outcome.error, outcome.state, copied]).toEqual([undefined, 'completed', [copyOf(after)]]);
  });

  test('and the engine ends once the VM is described again: the next one makes the volumes before it copies', async () => {
    const { outcome, copied } = await execution({ described: [before, after], snapshots: [after], killed: true });
    expect([outcome.error, outcome.state, copied]).toEqual([undefined, 'completed', [copyOf(after)]]);
  });

  test('by a source that says two things of its disks: it is asked once more, not for ever', async () => {
    const { outcome, started } = await execution({ described: [before], snapshots: [after] });
    expect(outcome.state).toBe('completed');
    expect(started.filter((id) => id === 'describe-vm')).toHaveLength(2);
  });
});

test('a snapshot of the disks that were described leaves the description alone', async () => {
  const { outcome, copied, started } = await execution({ described: [before], snapshots: [before], lost: 2 });
  expect([outcome.state, copied]).toEqual(['completed', [copyOf(before)]]);
  expect(started.filter((id) => id === 'describe-vm')).toHaveLength(1);
});

test('which snapshot is the base is known to whoever continues before the source deletes the former one', async () => {
  const done: string[] = [];
  const stored = ['superseded', 'base'].map(
    (role) =>
      ({ tag: role, replicaId: 'rep', executionId: 'exe', role, snapshot: { tag: role } }) as unknown as StoredSnapshot,
  );
  const run = {
    replicaId: 'rep',
    store: {
      ledger: { settled: async () => void done.push('recorded') },
      snapshots: {
        list: () => stored,
        base: () => stored[1],
        setDropped: (tag: string) => void done.push(`dropped ${tag}`),
      },
      tasks: { list: () => [] },
    },
    source: {
      promoteToBase: async ({ tag }: Snapshot, former?: Snapshot) =>
        void done.push(`promoted ${tag}, deleted ${former?.tag}`),
    },
  } as unknown as ExecutionContext;
  await cleanUpSnapshots(run)({ signal: new AbortController().signal, values: {} } as never);
  expect(done).toEqual(['recorded', 'promoted base, deleted superseded', 'dropped superseded']);
});
