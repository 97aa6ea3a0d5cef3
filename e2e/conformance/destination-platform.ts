import { beforeAll, describe, expect, test } from 'vitest';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import type {
  DestinationPlatform,
  DestinationRun,
  Volume,
  WorkerAccess,
} from '../../electron/engine/ports/destination-platform.ts';
import type { LedgerScope, ResourceKind } from '../../electron/engine/ports/ledger.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { Vm } from '../../shared/model/vm.ts';
import { closing, temporaryFolder } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import {
  callFaults,
  callsToFail,
  clearErrorOf,
  crashPoints,
  faultPatienceMs,
  killedAt,
  sampleOf,
  type MortalProcess,
  type PlatformCalls,
} from './platform-calls.ts';
import {
  attachVolumes,
  startWorkerWith,
  type WorkerWithVolumes,
} from '../../electron/engine/workers/attach-volumes.ts';

/** A platform in a lab where everything can be seen and calls can be made to go wrong. */
export interface DestinationLab extends PlatformCalls {
  /** A platform as a new process would make it: nothing of an earlier one's memory. */
  open(connection?: 'right' | 'wrong-key'): DestinationPlatform;
  readonly environment: JsonObject;
  readonly vm: Vm;
  /** Everything that is there and was made by the platform's user, as `<kind> <name>`. */
  inventory(): readonly string[] | Promise<readonly string[]>;
  volumeGib(id: string): number | undefined | Promise<number | undefined>;
  /** Of the smallest volume that the platform has. Default: as small as the disk. */
  readonly smallestVolumeGib?: number;
  /** Makes a volume disappear behind the platform's back. */
  loseVolume(id: string): void | Promise<void>;
  /** What did not conform to the platform's own description of its API. */
  violations(): readonly string[];
  /** Proves that a worker can be entered; undefined where the lab has no machines. */
  readonly enter?: (access: WorkerAccess) => Promise<void>;
  close(): Promise<void>;
}

/** Of each sort of fault: six in the full tier, three (a quarter, as of every sample) in the usual one, all with `CAUSEWAY_ALL_FAULTS=1`. */
const mostCallsToFail = process.env['CAUSEWAY_EVERY_STEP'] === '1' ? 6 : 12;
const gib = 2 ** 30;
const endpointId = 'endpoint';
const never = new AbortController().signal;

/**
 * What every destination platform must do, whatever is behind it. `startLab` is called once.
 *
 * @param scope `records`: all of it; `machines`: without going through all calls, for a lab whose workers are slow to start
 */
export function describeDestinationPlatform(
  name: string,
  startLab: () => Promise<DestinationLab>,
  scope: 'records' | 'machines' = 'records',
): void {
  describe(`destination platform ${name}`, () => {
    let lab: DestinationLab;
    const opened = closedAfterAll();
    let store: Store;
    let count = 0;

    beforeAll(async () => {
      lab = opened.adopt(await startLab(), closing);
      const folder = await temporaryFolder(opened, 'causeway-destination-');
      store = opened.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
    });

    interface Replica {
      readonly run: DestinationRun;
      readonly notes: string[];
      withVm(vm: Vm): DestinationRun;
      withLedger(ledger: LedgerScope): DestinationRun;
      /** The run as a process has it that will be killed. */
      inProcess(process: MortalProcess): DestinationRun;
    }

    function newReplica(): Replica {
      count += 1;
      const notes: string[] = [];
      const binding = { endpointId, replicaId: `replica-${count}`, executionId: `execution-${count}` };
      const vm = { ...lab.vm, id: `vm-${count}` };
      const run: DestinationRun = {
        replicaId: binding.replicaId,
        executionId: binding.executionId,
        vm,
        environment: lab.environment,
        ledger: ledgerScope(store.ledger, binding),
        note: (message) => void notes.push(message),
      };
      return {
        run,
        notes,
        withVm: (other) => ({ ...run, vm: other }),
        withLedger: (ledger) => ({ ...run, ledger }),
        inProcess: (process) => ({ ...run, ledger: ledgerScope(process.ledger(store.ledger), binding) }),
      };
    }

    async function cleanUp(platform: DestinationPlatform, run: DestinationRun): Promise<void> {
      await platform.stopWorker(run, 'disk-copy', never);
      await platform.deleteVolumes(run, never);
    }

    async function execute(
      platform: DestinationPlatform,
      run: DestinationRun,
    ): Promise<{ volumes: readonly Volume[]; access: WorkerWithVolumes }> {
      const volumes = await platform.ensureVolumes(run, run.vm.disks, never);
      const access = await startWorkerWith(platform, run, 'disk-copy', volumes, never);
      return { volumes, access };
    }

    /** How many of each kind there are, so that a second one of anything stands out. */
    async function census(): Promise<Record<string, number>> {
      const kinds: Record<string, number> = {};
      for (const line of await lab.inventory()) {
        const kind = line.split(' ')[0] ?? '';
        kinds[kind] = (kinds[kind] ?? 0) + 1;
      }
      return kinds;
    }

    test('the check of a right endpoint passes, step by step with evidence', async () => {
      const report = await lab.open().check(never);
      expect(report.steps.filter((step) => step.outcome === 'failed')).toEqual([]);
      expect(report.passed).toBe(true);
      expect(report.steps.length).toBeGreaterThan(3);
      expect(report.steps.every((step) => step.evidence !== '')).toBe(true);
    });

    test('the check with a wrong key fails with a remedy, and skips what it can not try', async () => {
      const report = await lab.open('wrong-key').check(never);
      expect(report.passed).toBe(false);
      const failed = report.steps.find((step) => step.outcome === 'failed');
      expect(failed?.evidence.length).toBeGreaterThan(20);
      expect(report.steps.at(-1)?.outcome).toBe('skipped');
      expect(JSON.stringify(report)).not.toContain('PRIVATE');
    });

    test('the catalog and the choices of form fields name the same resources', async () => {
      const platform = lab.open();
      const catalog = await platform.catalog(lab.environment, never);
      const options = await platform.options(
        ['networks', 'images', 'volume_types', 'no_such_kind'],
        lab.environment,
        never,
      );
      expect(Object.keys(options).sort()).toEqual(['images', 'networks', 'volume_types']);
      for (const kind of ['networks', 'images', 'volume_types'] as const) {
        expect(catalog[kind]?.length).toBeGreaterThan(0);
        expect(options[kind]?.map((option) => option.id).sort()).toEqual(catalog[kind]?.map((each) => each.id).sort());
      }
    });

    test('a good environment has no findings of weight', async () => {
      const findings = await lab.open().checkEnvironment(lab.environment, lab.vm, never);
      expect(findings.filter((finding) => finding.severity === 'error')).toEqual([]);
    });

    test('volumes are created once, empty, and reused by the next execution and the next process', async () => {
      const { run } = newReplica();
      const platform = lab.open();
      const first = await platform.ensureVolumes(run, run.vm.disks, never);
      expect(first.map((volume) => [volume.diskId, volume.createdByThisCall])).toEqual(
        run.vm.disks.map((disk) => [disk.id, true]),
      );
      first.forEach((volume, index) =>
        expect(volume.sizeBytes).toBeGreaterThanOrEqual(run.vm.disks[index]?.size_bytes ?? 0),
      );
      const again = await lab.open().ensureVolumes(run, run.vm.disks, never);
      expect(again).toEqual(first.map((volume) => ({ ...volume, createdByThisCall: false })));
      await cleanUp(platform, run);
      expect(await lab.inventory()).toEqual([]);
    });

    test('a volume follows a disk that grew, and an added disk gets its own', async () => {
      const { run, withVm } = newReplica();
      const platform = lab.open();
      const before = await platform.ensureVolumes(run, run.vm.disks, never);
      const larger = (lab.smallestVolumeGib ?? 0) + 5;
      const disks = [
        ...run.vm.disks.map((disk, index) => (index === 0 ? { ...disk, size_bytes: larger * gib } : disk)),
        { id: 'added', size_bytes: gib },
      ];
      const grown = withVm({ ...run.vm, disks });
      const after = await platform.ensureVolumes(grown, disks, never);
      expect(after.map((volume) => volume.createdByThisCall)).toEqual([...before.map(() => false), true]);
      expect(after.slice(0, before.length).map((volume) => volume.id)).toEqual(before.map((volume) => volume.id));
      expect(await lab.volumeGib(after[0]?.id ?? '')).toBe(larger);
      await cleanUp(platform, grown);
      expect(await lab.inventory()).toEqual([]);
    });

    test('a disk that shrank, be it by a sector, is refused and nothing is changed', async () => {
      const { run } = newReplica();
      const platform = lab.open();
      await platform.ensureVolumes(run, run.vm.disks, never);
      const before = await lab.inventory();
      const disks = [
        ...run.vm.disks.map((disk, index) => (index === 0 ? { ...disk, size_bytes: disk.size_bytes - 512 } : disk)),
        { id: 'added', size_bytes: gib },
      ];
      await expect(platform.ensureVolumes(run, disks, never)).rejects.toMatchObject({
        code: 'replication.disk-shrank',
      });
      expect(await lab.inventory()).toEqual(before);
      await cleanUp(platform, run);
    });

    test('a volume that somebody deleted is replaced by a new one, and that is said', async () => {
      const { run, notes } = newReplica();
      const platform = lab.open();
      const [lost] = await platform.ensureVolumes(run, run.vm.disks, never);
      await lab.loseVolume(lost?.id ?? '');
      const again = await platform.ensureVolumes(run, run.vm.disks, never);
      expect(again.map((volume) => volume.createdByThisCall)).toEqual([true, ...again.slice(1).map(() => false)]);
      expect(notes.join('\n')).toContain(lost?.id);
      await cleanUp(platform, run);
      expect(await lab.inventory()).toEqual([]);
    });

    test('a worker starts with the volumes attached, starting it again adopts it, stopping it twice leaves the volumes alone', async () => {
      const { run, notes } = newReplica();
      const platform = lab.open();
      const { volumes, access } = await execute(platform, run);
      const kept = JSON.stringify([run.ledger.list(), notes]);
      for (const line of access.privateKeyPem.split('\n').slice(2, -2)) expect(kept).not.toContain(line);
      expect(access.attached.map(({ volume }) => volume.id)).toEqual(volumes.map((volume) => volume.id));
      expect(new Set(access.attached.map(({ identity }) => JSON.stringify(identity))).size).toBe(volumes.length);
      for (const { volume, identity } of access.attached) expect(identity.sizeBytes).toBe(volume.sizeBytes);
      expect(access.privateKeyPem).toContain('PRIVATE KEY');
      await lab.enter?.(access);
      expect(await platform.workerFailure(run.environment, access.workerId, never)).toBeUndefined();
      const counted = await census();
      const [one] = volumes;
      if (one === undefined) throw new Error('the VM of the lab has no disk');
      await platform.detachVolume(run, access.workerId, one, never);
      await platform.detachVolume(run, access.workerId, one, never);
      expect(await platform.attachVolume(run, access.workerId, one, never)).toEqual(access.attached[0]?.identity);
      expect(await platform.attachVolume(run, access.workerId, one, never)).toEqual(access.attached[0]?.identity);
      const again = await startWorkerWith(platform, run, 'disk-copy', volumes, never);
      expect(again).toEqual(access);
      expect(await census()).toEqual(counted);
      await platform.stopWorker(run, 'disk-copy', never);
      expect(Object.keys(await census())).toEqual(['volume']);
      expect(await census()).toEqual({ volume: volumes.length });
      expect(await platform.workerFailure(run.environment, access.workerId, never)).toMatch(/no longer exists/);
      await platform.stopWorker(run, 'disk-copy', never);
      await platform.deleteVolumes(run, never);
      await platform.deleteVolumes(run, never);
      expect(await lab.inventory()).toEqual([]);
      expect(run.ledger.list()).toEqual([]);
    });

    test('a worker of a pool has the volumes of one replica after the other, and outlives their executions', async () => {
      count += 1;
      const binding = { endpointId, executionId: `pool-${count}` };
      const pool: DestinationRun = {
        replicaId: binding.executionId,
        executionId: binding.executionId,
        vm: lab.vm,
        environment: lab.environment,
        ledger: ledgerScope(store.ledger, binding),
        note: () => undefined,
      };
      const keeper = lab.open();
      const access = await keeper.startWorker(pool, 'disk-copy', never);
      // One that can't be shared is not kept.
      const isShared = access.open === undefined && access.winrm === undefined;
      const counted = await census();
      const replicas = isShared ? [newReplica(), newReplica()] : [];
      for (const { run } of replicas) {
        // Each execution has a connection of its own, which knows no key of the pool's worker.
        const platform = lab.open();
        const volumes = await platform.ensureVolumes(run, run.vm.disks, never);
        await platform.claimVolumes?.(run, volumes, never);
        const { attached } = await attachVolumes(platform, run, access, volumes, never);
        expect(attached.length).toBeGreaterThan(0);
        for (const { volume, identity } of attached) {
          expect(await platform.attachVolume(run, access.workerId, volume, never)).toEqual(identity);
          await platform.detachVolume(run, access.workerId, volume, never);
        }
        await platform.stopWorker(run, 'disk-copy', never);
        expect(await keeper.workerFailure(pool.environment, access.workerId, never)).toBeUndefined();
        await lab.enter?.(access);
      }
      const volumes = replicas.flatMap(({ run }) => run.vm.disks).length;
      expect(await census()).toEqual({
        ...counted,
        ...(volumes === 0 ? {} : { volume: volumes + (counted['volume'] ?? 0) }),
      });
      await keeper.stopWorker(pool, 'disk-copy', never);
      await keeper.stopWorker(pool, 'disk-copy', never);
      expect(await census()).toEqual(volumes === 0 ? {} : { volume: volumes });
      expect(pool.ledger.list()).toEqual([]);
      for (const { run } of replicas) await keeper.deleteVolumes(run, never);
      expect(await lab.inventory()).toEqual([]);
    });

    test('a worker whose key died with its process is replaced, and that is said', async () => {
      const { run, notes } = newReplica();
      const { volumes, access } = await execute(lab.open(), run);
      const counted = await census();
      const successor = lab.open();
      const second = await startWorkerWith(successor, run, 'disk-copy', volumes, never);
      expect(second.workerId).not.toBe(access.workerId);
      expect(await census()).toEqual(counted);
      expect(notes.join('\n')).toMatch(/replaced/);
      await lab.enter?.(second);
      await cleanUp(successor, run);
      expect(await lab.inventory()).toEqual([]);
    });

    test('every entry of the ledger leads to its resource, and each can be removed on its own, last one first', async () => {
      const { run } = newReplica();
      await execute(lab.open(), run);
      const stranger = lab.open();
      const entries = [...run.ledger.list()].reverse();
      const managed = await stranger.listManaged?.([lab.environment], never);
      if (managed !== undefined) {
        const known = new Set(entries.map((entry) => entry.resourceId));
        const ours = managed.filter(({ replicaId }) => replicaId === undefined || replicaId.startsWith('replica-'));
        expect(ours.map((resource) => resource.id).filter((id) => !known.has(id))).toEqual([]);
        expect(managed.length).toBeGreaterThanOrEqual(lab.vm.disks.length + 1);
      }
      for (const entry of entries) expect(await stranger.findResource(entry, never)).toEqual({ id: entry.resourceId });
      for (const entry of entries) {
        const { resourceId: _, ...nameless } = entry;
        expect(await stranger.findResource(nameless, never), `by name: ${entry.kind}`).toEqual({
          id: entry.resourceId,
        });
      }
      for (const entry of entries) {
        await stranger.removeResource(entry, run.ledger, never);
        expect(await stranger.findResource(entry, never)).toBeUndefined();
        await stranger.removeResource(entry, run.ledger, never);
      }
      expect(await lab.inventory()).toEqual([]);
      expect(run.ledger.list()).toEqual([]);
    });

    describe('a crash between a creation and its record', () => {
      const kinds: readonly ResourceKind[] = [
        'volume',
        'security-group',
        'security-group-rule',
        'nic',
        'public-ip',
        'server',
      ];
      test.for(kinds)('of a %s: the next start adopts, and doubles nothing', async (kind, { skip }) => {
        const plain = newReplica();
        await execute(lab.open(), plain.run);
        const expected = await census();
        const used = plain.run.ledger.list().some((entry) => entry.kind === kind);
        await cleanUp(lab.open(), plain.run);
        if (!used) skip(`this platform makes no ${kind}`);
        const { run, withLedger } = newReplica();
        await expect(execute(lab.open(), withLedger(crashAfterCreating(run.ledger, kind)))).rejects.toThrow('crash');
        const successor = lab.open();
        await execute(successor, run);
        expect(await census()).toEqual(expected);
        await cleanUp(successor, run);
        expect(await lab.inventory()).toEqual([]);
      });

      test.for(kinds)('of a %s: cleaning up without starting again leaves nothing', async (kind) => {
        const { run, withLedger } = newReplica();
        await execute(lab.open(), withLedger(crashAfterCreating(run.ledger, kind))).catch(() => undefined);
        await cleanUp(lab.open(), run);
        expect(await lab.inventory()).toEqual([]);
        expect(run.ledger.list()).toEqual([]);
      });
    });

    describe.skipIf(scope === 'machines')('every call going wrong once, one after another', () => {
      test.for(callFaults)(
        '%s: it ends well or with a clear error, doubles nothing and cleans up',
        { timeout: faultPatienceMs },
        async (fault, { skip }) => {
          if (!lab.faults.includes(fault)) skip(`this lab can not make it: ${fault}`);
          const plain = newReplica();
          const start = lab.callCount();
          const platform = lab.open();
          await execute(platform, plain.run);
          const expected = await census();
          await cleanUp(platform, plain.run);
          const calls = lab.callCount() - start;
          expect(calls).toBeGreaterThan(10);
          const numbers = sampleOf(callsToFail(lab, fault, start, calls), mostCallsToFail);
          const ended = { well: 0, withError: 0 };
          for (const n of numbers) {
            const { run } = newReplica();
            const first = lab.callCount();
            lab.failCall(n, fault);
            const victim = lab.open();
            const error = await clearErrorOf(execute(victim, run), /^cloud\./, `${fault} at call ${n}`);
            const hit = `${fault} at call ${n}, ${lab.callName(first + n)}`;
            if (error === undefined) expect(await census(), hit).toEqual(expected);
            ended[error === undefined ? 'well' : 'withError'] += 1;
            if ((await clearErrorOf(cleanUp(victim, run), /^cloud\./, hit)) !== undefined)
              await cleanUp(lab.open(), run);
            expect(await lab.inventory(), hit).toEqual([]);
            expect(run.ledger.list(), hit).toEqual([]);
            lab.clearFaults();
          }
          if (fault !== 'fails-later') expect(ended).toEqual({ well: numbers.length, withError: 0 });
        },
      );
    });

    test.skipIf(scope === 'machines')(
      'a process that is killed at any call is followed by one that goes on, or cleans up',
      { timeout: faultPatienceMs },
      async () => {
        const plain = newReplica();
        const start = lab.callCount();
        await execute(lab.open(), plain.run);
        const expected = await census();
        await cleanUp(lab.open(), plain.run);
        let kills = 0;
        for (const [index, point] of crashPoints(lab, start, lab.callCount() - start, 16).entries()) {
          const { run, inProcess } = newReplica();
          const first = lab.callCount();
          let isCleaning = false;
          kills += Number(
            await killedAt(lab, point, async (process) => {
              const platform = lab.open();
              const mortal = inProcess(process);
              const volumes = await platform.ensureVolumes(mortal, run.vm.disks, process.signal);
              await startWorkerWith(platform, mortal, 'disk-copy', volumes, process.signal);
              isCleaning = true;
              await platform.stopWorker(mortal, 'disk-copy', process.signal);
              await platform.deleteVolumes(mortal, process.signal);
            }),
          );
          const at = `killed ${point.when} call ${point.n}, ${lab.callName(first + point.n)}`;
          const successor = lab.open();
          // A clean-up that has begun is brought to its end.
          if (index % 2 === 0 && !isCleaning) {
            await execute(successor, run);
            expect(await census(), at).toEqual(expected);
          }
          await cleanUp(successor, run);
          expect(await lab.inventory(), at).toEqual([]);
          expect(run.ledger.list(), at).toEqual([]);
        }
        expect(kills).toBeGreaterThan(0);
      },
    );

    test('cancelling ends a start at once, and what it made can be cleaned up', async () => {
      const { run } = newReplica();
      const platform = lab.open();
      const volumes = await platform.ensureVolumes(run, run.vm.disks, never);
      for (const after of [3, 8, 14]) {
        const cancel = new AbortController();
        const limit = lab.callCount() + after;
        const watch = setInterval(
          () => lab.callCount() >= limit && cancel.abort(new CausewayError('general.cancelled', 'asked to stop')),
          1,
        );
        await startWorkerWith(platform, run, 'disk-copy', volumes, cancel.signal).catch((error: unknown) =>
          expect(error).toMatchObject({ code: 'general.cancelled' }),
        );
        clearInterval(watch);
        await platform.stopWorker(run, 'disk-copy', never);
        expect(await census()).toEqual({ volume: volumes.length });
      }
      await platform.deleteVolumes(run, never);
      expect(await lab.inventory()).toEqual([]);
    });

    test('all of its requests conform to the description of the API', () => {
      expect([...new Set(lab.violations())]).toEqual([]);
    });
  });
}

/** A ledger whose process dies right after the platform created the first resource of a kind. */
function crashAfterCreating(ledger: LedgerScope, kind: ResourceKind): LedgerScope {
  return {
    ...ledger,
    ensure: (intent, how, signal) =>
      ledger.ensure(
        intent,
        {
          ...how,
          async create(entry, s) {
            const created = await how.create(entry, s);
            if (intent.kind === kind) throw new Error('crash');
            return created;
          },
        },
        signal,
      ),
  };
}
