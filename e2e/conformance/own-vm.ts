import { beforeAll, describe, expect, test } from 'vitest';
import type {
  AttachedVolume,
  DestinationPlatform,
  DestinationRun,
} from '../../electron/engine/ports/destination-platform.ts';
import { isOwnVmAttachment, type OwnVmAccess } from '../../electron/engine/ports/own-vm.ts';
import type { LedgerEntryStore } from '../../electron/engine/store/ledger-entries.ts';
import { ledgerScope } from '../../electron/engine/store/ledger.ts';
import { openStore, type Store } from '../../electron/engine/store/store.ts';
import { closing, temporaryFolder } from '../rigs/closing.ts';
import { hurriedClock } from '../rigs/hurried-clock.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import type { DestinationLab } from './destination-platform.ts';
import {
  callFaults,
  callsToFail,
  clearErrorOf,
  crashPoints,
  faultPatienceMs,
  killedAt,
  sampleOf,
} from './platform-calls.ts';

export interface OwnVmLab extends DestinationLab {
  /** A VM that runs and that Causeway did not make. */
  startVm(): Promise<string>;
  /** What is attached to it, besides what it boots from. */
  attachedTo(vmId: string): readonly string[];
  /** Whether it is there and runs. */
  runs(vmId: string): boolean;
  /** Switches it off. */
  stopVm(vmId: string): void | Promise<void>;
  /** What a VM is told of itself: a document of the metadata service, for requests with these headers, and the firmware's UUID. Where the platform tells it. */
  tells?(vmId: string): {
    readonly path: string;
    readonly headers?: Readonly<Record<string, string>>;
    readonly document: object;
    readonly productUuid?: string;
  };
  /** An id as the platform has them, of no VM. Default: a UUID. */
  readonly noVm?: string;
  /** One to which volumes of the environment can't be attached, because of where it is. */
  startVmElsewhere?(): Promise<string>;
  /** One that takes no further volume. Where the platform says how many a VM takes. */
  startFullVm?(): Promise<string>;
}

const mostCallsToFail = process.env['CAUSEWAY_EVERY_STEP'] === '1' ? 6 : 4;
const endpointId = 'endpoint';
const never = new AbortController().signal;

/** What every destination must do that attaches volumes to VMs on which engines run. `startLab` is called once. */
export function describeOwnVm(name: string, startLab: () => Promise<OwnVmLab>): void {
  describe(`VMs that engines run on, at ${name}`, () => {
    let lab: OwnVmLab;
    let store: Store;
    let vmId: string;
    let otherVm: string;
    let ofUser: readonly string[];
    let count = 0;

    const opened = closedAfterAll();
    beforeAll(async () => {
      lab = opened.adopt(await startLab(), closing);
      const folder = await temporaryFolder(opened, 'causeway-own-vm-');
      store = opened.adopt(openStore(folder, undefined, hurriedClock(20)), closing);
      [vmId, otherVm] = [await lab.startVm(), await lab.startVm()];
      ofUser = await lab.inventory();
    });

    interface Replica {
      /** The run as a process has it: the next execution has another id. */
      run(entries?: LedgerEntryStore): DestinationRun;
    }

    function newReplica(): Replica {
      count += 1;
      const binding = { endpointId, replicaId: `replica-${count}`, executionId: `execution-${count}` };
      return {
        run: (entries = store.ledger) => ({
          replicaId: binding.replicaId,
          executionId: binding.executionId,
          vm: { ...lab.vm, id: `vm-${count}` },
          environment: lab.environment,
          ledger: ledgerScope(entries, binding),
          note: () => undefined,
        }),
      };
    }

    const ownVmOf = (platform: DestinationPlatform): OwnVmAccess =>
      platform.ownVm ?? expect.fail('the platform attaches nothing to VMs of users');

    async function attach(
      platform: DestinationPlatform,
      run: DestinationRun,
      to: string,
      signal: AbortSignal,
    ): Promise<readonly AttachedVolume[]> {
      const volumes = await platform.ensureVolumes(run, run.vm.disks, signal);
      await ownVmOf(platform).check(run.environment, to, signal);
      await platform.claimVolumes?.(run, volumes, signal);
      const attached: AttachedVolume[] = [];
      for (const volume of volumes)
        attached.push({ volume, identity: await ownVmOf(platform).attachVolume(run, to, volume, signal) });
      return attached;
    }

    async function detach(platform: DestinationPlatform, run: DestinationRun, signal: AbortSignal): Promise<void> {
      for (const entry of run.ledger.list().filter(isOwnVmAttachment))
        await platform.removeResource(entry, run.ledger, signal);
    }

    async function cleanUp(
      platform: DestinationPlatform,
      run: DestinationRun,
      signal: AbortSignal = never,
    ): Promise<void> {
      await detach(platform, run, signal);
      await platform.stopWorker(run, 'disk-copy', signal);
      await platform.deleteVolumes(run, signal);
    }

    async function expectNothingLeft(run: DestinationRun, at = ''): Promise<void> {
      expect(await lab.inventory(), at).toEqual(ofUser);
      expect([lab.runs(vmId), lab.attachedTo(vmId), lab.attachedTo(otherVm)], at).toEqual([true, [], []]);
      expect(run.ledger.list(), at).toEqual([]);
    }

    test('a VM that is not there, or that is switched off, is refused', async () => {
      const { ownVm } = lab.open();
      expect(await ownVm!.check(lab.environment, vmId, never)).toMatchObject({ name: expect.any(String) as string });
      // As it is asked before anything of a replica is known.
      expect(await ownVm!.check({}, vmId, never)).toMatchObject({ name: expect.any(String) as string });
      await expect(
        ownVm!.check(lab.environment, lab.noVm ?? '00000000-0000-4000-8000-000000000000', never),
      ).rejects.toMatchObject({ code: 'engine.own-vm-unusable' });
      const off = await lab.startVm();
      await lab.stopVm(off);
      await expect(ownVm!.check(lab.environment, off, never)).rejects.toMatchObject({ code: 'engine.own-vm-unusable' });
      ofUser = await lab.inventory();
    });

    test('a computer is recognised by what the platform tells it, and by nothing else', async ({ skip }) => {
      if (lab.tells === undefined) skip('this platform tells its VMs nothing');
      const { path, headers = {}, document, productUuid } = lab.tells!(vmId);
      const ownVm = ownVmOf(lab.open());
      const hints = (text: string | undefined, firmware = productUuid) =>
        ownVm.hints!(
          {
            metadata: async (asked, given) =>
              asked.startsWith(path) && Object.entries(headers).every(([name, value]) => given[name] === value)
                ? text
                : undefined,
            cloudInitId: async () => undefined,
            productUuid: async () => firmware,
            bootId: () => undefined,
          },
          never,
        );
      const found = await hints(JSON.stringify(document));
      expect(found.map(({ by }) => by)).toEqual(
        productUuid === undefined ? ['metadata-service'] : ['metadata-service', 'product-uuid'],
      );
      for (const { vmId: id } of found)
        expect(await ownVm.check({}, id, never)).toEqual(await ownVm.check({}, vmId, never));
      for (const text of [
        undefined,
        '',
        '[]',
        'no JSON',
        '{}',
        JSON.stringify(document).slice(1),
        JSON.stringify(Object.fromEntries(Object.keys(document).map((key) => [key, '../../elsewhere']))),
      ]) {
        expect(await hints(text, ''), text).toEqual([]);
      }
    });

    test('one to which they can not be attached from where it is is refused, before anything is attached', async ({
      skip,
    }) => {
      if (lab.startVmElsewhere === undefined) skip('this platform has but one place');
      const run = newReplica().run();
      const elsewhere = await lab.startVmElsewhere!();
      ofUser = await lab.inventory();
      await expect(attach(lab.open(), run, elsewhere, never)).rejects.toMatchObject({ code: 'engine.own-vm-unusable' });
      expect(lab.attachedTo(elsewhere)).toEqual([]);
      await cleanUp(lab.open(), run);
      await expectNothingLeft(run);
    });

    test('it says how many more volumes a VM takes', async ({ skip }) => {
      if (lab.startFullVm === undefined) skip('this platform does not say it');
      const platform = lab.open();
      const full = await lab.startFullVm!();
      ofUser = await lab.inventory();
      expect(await ownVmOf(platform).check(lab.environment, full, never)).toMatchObject({ room: 0 });
      const { room = 0 } = await ownVmOf(platform).check(lab.environment, vmId, never);
      const run = newReplica().run();
      const { length } = await attach(platform, run, vmId, never);
      expect(await ownVmOf(platform).check(lab.environment, vmId, never)).toMatchObject({ room: room - length });
      await cleanUp(platform, run);
      await expectNothingLeft(run);
    });

    test('volumes are attached, told from others, recorded, attached once, and taken back by another process, and the VM stays', async () => {
      const run = newReplica().run();
      const attached = await attach(lab.open(), run, vmId, never);
      // Not by their order, and each by another thing.
      expect(attached.map(({ identity }) => identity.kind)).not.toContain('order');
      expect(new Set(attached.map(({ identity: { sizeBytes: _, ...known } }) => JSON.stringify(known))).size).toBe(
        attached.length,
      );
      expect(ownVmOf(lab.open()).bySerial).toBe(attached.every(({ identity }) => identity.kind === 'serial'));
      const ids = attached.map(({ volume }) => volume.id);
      expect(lab.attachedTo(vmId).toSorted()).toEqual(ids.toSorted());
      const entries = run.ledger.list().filter(isOwnVmAttachment);
      expect(entries.map(({ lifetime, state }) => `${lifetime} ${state}`)).toEqual(ids.map(() => 'temporary existing'));
      const next = lab.open();
      expect((await attach(next, run, vmId, never)).map(({ identity }) => identity)).toEqual(
        attached.map(({ identity }) => identity),
      );
      for (const entry of entries)
        expect(await next.findResource(entry, never)).toMatchObject({ id: entry.resourceId });
      await detach(next, run, never);
      expect(lab.attachedTo(vmId)).toEqual([]);
      for (const entry of entries) expect(await next.findResource(entry, never)).toBeUndefined();
      await cleanUp(next, run);
      await expectNothingLeft(run);
    });

    test('an engine on another VM takes them over, and a worker gets them after they were taken back', async () => {
      const run = newReplica().run();
      const platform = lab.open();
      const attached = await attach(platform, run, vmId, never);
      await expect(
        platform
          .startWorker(run, 'disk-copy', never)
          .then((worker) => platform.attachVolume(run, worker.workerId, attached[0]!.volume, never)),
      ).rejects.toMatchObject({ code: 'cloud.volume-in-use' });
      await detach(platform, run, never);
      await attach(platform, run, otherVm, never);
      expect([lab.attachedTo(vmId).length, lab.attachedTo(otherVm).length]).toEqual([0, attached.length]);
      await detach(platform, run, never);
      const worker = await platform.startWorker(run, 'disk-copy', never);
      for (const { volume } of attached) await platform.attachVolume(run, worker.workerId, volume, never);
      // And back, from the worker.
      await attach(platform, run, vmId, never);
      expect(lab.attachedTo(vmId)).toHaveLength(attached.length);
      await cleanUp(platform, run);
      await expectNothingLeft(run);
    });

    test.for(callFaults)(
      '%s: it ends well or with a clear error, and is taken back',
      { timeout: faultPatienceMs },
      async (fault, { skip }) => {
        if (!lab.faults.includes(fault)) skip(`this lab can not make it: ${fault}`);
        const plain = newReplica().run();
        const start = lab.callCount();
        const platform = lab.open();
        await attach(platform, plain, vmId, never);
        await cleanUp(platform, plain);
        const calls = lab.callCount() - start;
        const ended = { well: 0, withError: 0 };
        const numbers = sampleOf(callsToFail(lab, fault, start, calls), mostCallsToFail);
        for (const n of numbers) {
          const run = newReplica().run();
          const first = lab.callCount();
          lab.failCall(n, fault);
          const victim = lab.open();
          const error = await clearErrorOf(attach(victim, run, vmId, never), /^cloud\./, `${fault} at call ${n}`);
          const hit = `${fault} at call ${n}, ${lab.callName(first + n)}`;
          if (error === undefined) expect(lab.attachedTo(vmId), hit).toHaveLength(run.vm.disks.length);
          ended[error === undefined ? 'well' : 'withError'] += 1;
          if ((await clearErrorOf(cleanUp(victim, run), /^cloud\./, hit)) !== undefined) await cleanUp(lab.open(), run);
          await expectNothingLeft(run, hit);
          lab.clearFaults();
        }
        if (fault !== 'fails-later') expect(ended).toEqual({ well: numbers.length, withError: 0 });
      },
    );

    test(
      'a process that is killed at any call is followed by one on this or another VM, or by a clean-up',
      { timeout: faultPatienceMs },
      async () => {
        const plain = newReplica().run();
        const start = lab.callCount();
        await attach(lab.open(), plain, vmId, never);
        await cleanUp(lab.open(), plain);
        let kills = 0;
        for (const [index, point] of crashPoints(lab, start, lab.callCount() - start, 16).entries()) {
          const replica = newReplica();
          const first = lab.callCount();
          kills += Number(
            await killedAt(lab, point, async (process) => {
              const platform = lab.open();
              const mortal = replica.run(process.ledger(store.ledger));
              await attach(platform, mortal, vmId, process.signal);
              await cleanUp(platform, mortal, process.signal);
            }),
          );
          const at = `killed ${point.when} call ${point.n}, ${lab.callName(first + point.n)}`;
          const run = replica.run();
          const successor = lab.open();
          if (index % 2 === 0) {
            // What was begun to be taken away, or is with another VM, is taken away before: as the engine does it.
            await detach(successor, run, never);
            const to = index % 4 === 0 ? otherVm : vmId;
            await attach(successor, run, to, never);
            expect(lab.attachedTo(to), at).toHaveLength(run.vm.disks.length);
          }
          await cleanUp(successor, run);
          await expectNothingLeft(run, at);
        }
        expect(kills).toBeGreaterThan(0);
      },
    );

    test('all of its requests conform to the description of the API', () => {
      expect([...new Set(lab.violations())]).toEqual([]);
    });
  });
}
