import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { TaskState } from '../../../shared/model/task.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { retryContext } from '../cloud-resources/retry-context.ts';
import type { DeploymentContext } from '../deployments/deployment-context.ts';
import { startWorker as startPreparationWorker } from '../deployments/steps/worker.ts';
import type { ExecutionContext } from '../executions/execution-context.ts';
import { startWorker as startCopyWorker } from '../executions/steps/worker.ts';
import type { DestinationPlatform, WorkerAccess, WorkerRole } from '../ports/destination-platform.ts';
import type { LedgerEntry, LedgerScope, ResourceKind } from '../ports/ledger.ts';
import { ledgerScope } from '../store/ledger.ts';
import { openStore, type Store } from '../store/store.ts';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
import { stopWorker } from './stop-worker.ts';
import { temporary, type WorkerKeyRing, type WorkerKeys } from './worker-entries.ts';
import { dropUnreachableWorker } from './worker-server.ts';

const signal = new AbortController().signal;
const around = retryContext({ clock: createHastyClock() });
const keys = {} as WorkerKeys;

const entry = (
  entryId: string,
  state: LedgerEntry['state'],
  key = 'worker/disk-copy/server',
  kind: LedgerEntry['kind'] = 'server',
): LedgerEntry => ({
  entryId,
  endpointId: 'e',
  kind,
  key,
  name: entryId,
  lifetime: 'temporary',
  state,
  resourceId: entryId,
  details: {},
  createdAt: '',
});

test('before a worker starts, those go that nobody can enter, and all whose deletion was interrupted, servers first', async () => {
  const entries = [
    entry('old-rule', 'removing', 'worker/disk-copy/rule/22', 'security-group-rule'),
    entry('group', 'existing', 'worker/disk-copy/group', 'security-group'),
    entry('known', 'existing'),
    entry('lost', 'existing'),
    entry('half-deleted', 'removing'),
    entry('gone', 'removed'),
    entry('other-role', 'removing', 'worker/osmorphing/server'),
  ];
  const released: string[] = [];
  const ledger = {
    list: () => entries,
    release: async ({ name }: LedgerEntry) => void released.push(name),
  } as unknown as LedgerScope;
  const deleter = { findId: async () => undefined, isThere: async () => false, remove: async () => undefined };
  const keyRing: WorkerKeyRing = new Map([['known', keys]]);
  await dropUnreachableWorker(
    { ...around, deleterFor: () => deleter },
    keyRing,
    { ledger, note: () => undefined },
    'disk-copy',
    signal,
  );
  expect(released).toEqual(['lost', 'half-deleted', 'old-rule']);
});

describe('a worker that the cloud never deletes', () => {
  let folder: string;
  let store: Store;
  let ledger: LedgerScope;
  let made: number;
  const there = new Set<string>();
  const tries: string[] = [];
  const notes: string[] = [];
  let failsBy: (id: string) => CausewayError | undefined;
  const cloud = {
    ...around,
    deleterFor: () => ({
      findId: async () => undefined,
      isThere: async (id: string) => there.has(id),
      remove: async (id: string) => {
        tries.push(id);
        const failure = failsBy(id);
        if (failure !== undefined) throw failure;
        there.delete(id);
      },
    }),
  };

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-worker-'));
    store = openStore(folder, undefined, createHastyClock());
    ledger = ledgerScope(store.ledger, { endpointId: 'ep', replicaId: 'rep', executionId: 'exe' });
    made = 0;
    there.clear();
    tries.length = 0;
    notes.length = 0;
    failsBy = (id) => (id === 'server-1' ? new CausewayError('cloud.unavailable', 'the cloud answers 500') : undefined);
  });
  afterEach(() => {
    store.close();
    rmSync(folder, { recursive: true, force: true });
  });

  const ensure = async (kind: ResourceKind, part: string, role: WorkerRole): Promise<LedgerEntry> => {
    const owned = await ledger.ensure(
      temporary(kind, role, part, {}),
      {
        find: async () => undefined,
        get: async (id) => (there.has(id) ? { id } : undefined),
        create: async () => {
          const id = `${part}-${(made += 1)}`;
          there.add(id);
          return { id };
        },
      },
      signal,
    );
    return owned.entry;
  };
  /** The parts of a worker in the order in which platforms make them. */
  const start = async (keyRing: WorkerKeyRing, role: WorkerRole = 'disk-copy'): Promise<string | undefined> => {
    await dropUnreachableWorker(cloud, keyRing, { ledger, note: (message) => void notes.push(message) }, role, signal);
    await ensure('security-group', 'group', role);
    await ensure('nic', 'nic', role);
    const server = await ensure('server', 'server', role);
    keyRing.set(server.entryId, keys);
    // The clock of the ledger has milliseconds.
    const now = Date.now();
    while (Date.now() <= now) await new Promise(setImmediate);
    return server.resourceId;
  };
  const ids = (state: LedgerEntry['state']): (string | undefined)[] =>
    ledger
      .list()
      .filter((one) => one.state === state)
      .map((one) => one.resourceId);

  /** Another process starts a worker that the one before left without its keys. */
  async function interrupted(role?: WorkerRole): Promise<void> {
    made = -2;
    await start(new Map(), role);
    expect(ids('existing')).toEqual(['group--1', 'nic-0', 'server-1']);
  }

  test('does not keep the next one from starting, with a network interface of its own', async () => {
    await interrupted();
    const keyRing: WorkerKeyRing = new Map();
    await start(keyRing);
    expect(tries).toEqual(['server-1', 'server-1', 'server-1']);
    expect(ids('existing')).toEqual(['group--1', 'nic-2', 'server-3']);
    expect(ids('removing')).toEqual(['nic-0', 'server-1']);
    expect(notes.at(-1)).toMatch(/^The server of an earlier worker could not be deleted: the cloud answers 500\./);
    // Reconnecting to the new one costs no further tries, and leaves it its parts.
    await start(keyRing);
    expect([tries.length, ids('existing')]).toEqual([3, ['group--1', 'nic-2', 'server-3']]);
    // At the end the new one goes with its parts. What the other holds is said, and stays recorded.
    await expect(stopWorker(cloud, keyRing, { ledger }, 'disk-copy', signal)).rejects.toMatchObject({
      code: 'cloud.clean-up-incomplete',
      details: { left: [{ resourceId: 'server-1' }, { resourceId: 'nic-0' }, { resourceId: 'group--1' }] },
    });
    expect([...there]).toEqual(['group--1', 'nic-0', 'server-1']);
    expect(ledger.list().map((one) => one.resourceId)).toEqual([...there]);
    // Once the cloud is well again, nothing is left.
    failsBy = () => undefined;
    await stopWorker(cloud, keyRing, { ledger }, 'disk-copy', signal);
    expect([there.size, ledger.list()]).toEqual([0, []]);
  });

  test('and is waited for once, not three times as long', async () => {
    await interrupted();
    failsBy = (id) =>
      id === 'server-1'
        ? new CausewayError('cloud.not-ready', 'remove server 1: still DELETING after 1200 s')
        : undefined;
    await start(new Map());
    expect(tries).toEqual(['server-1']);
    expect(ids('existing')).toEqual(['group--1', 'nic-2', 'server-3']);
  });

  describe('does not keep a later attempt of the same process from starting one, either:', () => {
    const vm: Vm = { id: 'vm', name: 'vm', os_type: 'linux', disks: [], nics: [] };
    const rest = { signal, redo: async () => undefined, progressed: () => undefined };
    const event = (_type: string, message: string): void => void notes.push(message);
    const contextOf = (keyRing: WorkerKeyRing) => ({
      replicaId: 'rep',
      ledger,
      options: {},
      policy: { hasWindowsWorkerImage: false },
      event,
      destination: {
        startWorker: async (_run, role) => ({ workerId: await start(keyRing, role) }) as WorkerAccess,
        stopWorker: (run, role, s) => stopWorker(cloud, keyRing, run, role, s),
      } satisfies Partial<DestinationPlatform>,
    });
    const expectAnother = (): void => {
      // The one before is gone with its network interface; the other is tried once more, and given up as before.
      expect(tries.slice(3)).toEqual(['server-1', 'server-3', 'nic-2']);
      expect([...there]).toEqual(['group--1', 'nic-0', 'server-1', 'nic-4', 'server-5']);
      expect(notes.at(-1)).toMatch(
        /^not all of the former worker could be deleted: server server-1: the cloud answers 500; /,
      );
    };

    test('a preparation is tried again', async () => {
      await interrupted('osmorphing-linux');
      const run = { ...contextOf(new Map()), deploymentId: 'exe', environment: {} } as unknown as DeploymentContext;
      const step = startPreparationWorker(run);
      const attempt = (number: number, state: TaskState) =>
        step({ ...rest, values: { vm, deployedVolumes: [] }, attempt: number, stateOf: () => state });
      expect(await attempt(1, 'pending')).toMatchObject({ worker: { workerId: 'server-3' } });
      expect(await attempt(2, 'running')).toMatchObject({ worker: { workerId: 'server-5' } });
      expectAnother();
    });

    test('a copy goes on after its worker stopped responding', async () => {
      await interrupted();
      const run = {
        ...contextOf(new Map()),
        store: { replicas: { find: () => ({ destinationEndpointId: 'endpoint' }) }, ledger: { list: () => [] } },
        executionId: 'exe',
        environments: { source: {}, destination: {} },
        workerPatienceMs: 1000,
        workers: {
          close: async () => undefined,
          get: async () => {
            throw new CausewayError('transport.unreachable', 'no answer');
          },
        },
      } as unknown as ExecutionContext;
      const step = startCopyWorker(run);
      const attempt = (number: number) =>
        step({ ...rest, values: { vm, volumes: [] }, attempt: number, stateOf: () => 'running' });
      expect(await attempt(1)).toMatchObject({ worker: { workerId: 'server-3' } });
      expect(await attempt(2)).toMatchObject({ worker: { workerId: 'server-5' } });
      expectAnother();
    });
  });

  test('is tried again by the next process, and then goes with what it held', async () => {
    await interrupted();
    await start(new Map());
    failsBy = () => undefined;
    await start(new Map());
    expect(ids('removing')).toEqual([]);
    expect(ids('existing')).toEqual(['group--1', 'nic-2', 'server-4']);
    expect([...there]).toEqual(['group--1', 'nic-2', 'server-4']);
  });
});
