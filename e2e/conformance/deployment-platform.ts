import { beforeAll, describe, expect, test } from 'vitest';
import { closing } from '../rigs/closing.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import {
  bootFirst,
  census,
  deploy,
  DeploymentBench,
  undo,
  type Deployed,
  type DeploymentLab,
  type Hand,
  type Replica,
  type Steps,
} from './deployment-lab.ts';
import {
  clearErrorOf,
  crashPoints,
  faultPatienceMs,
  faultsAt,
  faultSorts,
  killedAt,
  ofSort,
} from './platform-calls.ts';

const never = new AbortController().signal;
/** Errors that say what to do: of the platform, or of the deployment itself. */
const clear = /^(cloud|deployment)\./;

/** How many faults and crash points are tried of each stretch; `CAUSEWAY_ALL_FAULTS=1` tries all. */
export interface Samples {
  readonly faults: number;
  readonly crashes: number;
}

/**
 * What every platform must do that makes replicas into running VMs, whatever is behind it. `startLab` is called once.
 *
 * @param samples fewer for a lab whose servers are slow
 */
export function describeDeploymentPlatform(
  name: string,
  startLab: () => Promise<DeploymentLab>,
  samples: Samples = { faults: 6, crashes: 4 },
): void {
  describe(`deployment platform ${name}`, () => {
    const opened = closedAfterAll();
    let lab: DeploymentLab;
    let bench: DeploymentBench;
    let replica: Replica;
    let count = 0;

    beforeAll(async () => {
      lab = opened.adopt(await startLab(), closing);
      bench = opened.adopt(new DeploymentBench(lab), closing);
      replica = await bench.replica();
    });

    const newId = (): string => `deployment-${(count += 1)}`;
    const ids = (all: readonly { readonly id: string }[]): string[] => all.map(({ id }) => id);

    /** The calls that some work makes, and what there is once it is done. */
    async function counted<T>(
      work: () => Promise<T>,
    ): Promise<{ readonly result: T; readonly start: number; readonly calls: number }> {
      const start = lab.callCount();
      const result = await work();
      return { result, start, calls: lab.callCount() - start };
    }

    async function expectServer({ run }: Hand, { volumes, nics, server }: Deployed, at = ''): Promise<void> {
      const seen = await lab.server(server.id);
      expect(seen, at).toMatchObject({ isRunning: true, volumeIds: ids(bootFirst(run, volumes)) });
      expect(ids(seen?.nics ?? []), at).toEqual(ids(nics));
    }

    describe('step by step', () => {
      test('a plan creates nothing, is plain data, and is the same when it is made again', async () => {
        const before = await lab.inventory();
        const { deployment, run } = replica.hand(newId());
        const plan = await deployment.plan(run, replica.volumes, never);
        expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
        expect(plan.machineType).not.toBe('');
        expect(await replica.hand(run.deploymentId).deployment.plan(run, replica.volumes, never)).toEqual(plan);
        expect(await lab.inventory()).toEqual(before);
        await replica.expectAlone();
      });

      test('a plan refuses what can not be made, before anything is created', async () => {
        for (const { about, environment, vm, code } of lab.refused) {
          const { deployment, run } = replica.hand(newId(), undefined, {
            ...(environment && { environment }),
            ...(vm && { vm }),
          });
          await expect(deployment.plan(run, replica.volumes, never), about).rejects.toMatchObject({ code });
        }
        await replica.expectAlone();
      });

      test('volumes have the content of the snapshots and a life of their own', async () => {
        const hand = replica.hand(newId());
        const { snapshots, volumes } = await deploy(hand, { until: 'volumes' });
        expect(snapshots.map(({ diskId, volumeId }) => [diskId, volumeId])).toEqual(
          replica.volumes.map(({ id, diskId }) => [diskId, id]),
        );
        expect(volumes.map(({ diskId, sizeBytes }) => [diskId, sizeBytes])).toEqual(
          replica.volumes.map(({ diskId, sizeBytes }) => [diskId, sizeBytes]),
        );
        expect(await Promise.all(ids(volumes).map((id) => lab.readMark(id)))).toEqual(replica.marks);
        const again = await deploy(replica.hand(hand.run.deploymentId), { until: 'volumes' });
        expect([again.snapshots, ids(again.volumes)]).toEqual([snapshots, ids(volumes)]);
        for (const { id } of volumes) await lab.writeMark(id, 'changed by the guest');
        expect(await Promise.all(ids(replica.volumes).map((id) => lab.readMark(id)))).toEqual(replica.marks);
        await undo(hand);
        await replica.expectAlone();
      });

      test('NICs are those of the source, in their order, with the MAC addresses that the server has', async () => {
        const hand = replica.hand(newId());
        const made = await deploy(hand);
        expect(made.nics.map(({ sourceNicId }) => sourceNicId)).toEqual(lab.vm.nics.map(({ id }) => id));
        const seen = (await lab.server(made.server.id))?.nics ?? [];
        for (const [index, { macAddress }] of made.nics.entries()) {
          // A platform that assigns it at the first boot must not guess.
          expect(macAddress === undefined).toBe(hand.deployment.macAddressesAtBoot === true);
          if (macAddress === undefined) continue;
          expect(macAddress).toMatch(/^[0-9a-f]{2}(:[0-9a-f]{2}){5}$/);
          expect(seen[index]?.macAddress.toLowerCase()).toBe(macAddress);
        }
        expect(await replica.hand(hand.run.deploymentId).deployment.createNics(hand.run, made.plan, never)).toEqual(
          made.nics,
        );
        await undo(hand);
        await replica.expectAlone();
      });

      test.for(['bios', 'uefi'] as const)(
        'a server with %s runs from its volumes, boot disk first, and is made once',
        async (firmware, { skip }) => {
          if (lab.firmwares?.includes(firmware) === false) skip(`this platform has no ${firmware}`);
          const hand = replica.hand(newId(), undefined, { vm: { firmware } });
          const made = await deploy(hand, { keepSnapshots: true });
          await expectServer(hand, made);
          const seen = await lab.server(made.server.id);
          if (seen?.firmware !== undefined) expect(seen.firmware).toBe(firmware);
          expect(made.server.name).not.toBe('');
          for (const { ipAddress } of made.nics)
            if (ipAddress !== undefined) expect(made.server.addresses).toContain(ipAddress);
          if (hand.deployment.consoleLog !== undefined)
            expect(await hand.deployment.consoleLog(made.server.id, hand.run, never)).toBeTypeOf('string');
          const before = await census(lab);
          const again = await replica
            .hand(hand.run.deploymentId, undefined, { vm: { firmware } })
            .deployment.createServer(hand.run, made.plan, made.volumes, made.nics, never);
          expect(again).toEqual(made.server);
          expect(await census(lab)).toEqual(before);
          await undo(hand);
          await replica.expectAlone();
        },
      );

      test('the server outlives its snapshots, and the replica that it was made of', async () => {
        const short = await bench.replica();
        const hand = short.hand(newId());
        const made = await deploy(hand);
        await hand.deployment.deleteSnapshots(hand.run, never);
        await hand.platform.deleteVolumes(hand.run, never);
        await expectServer(hand, made);
        expect(new Set(short.entries().map(({ lifetime }) => lifetime))).toEqual(new Set(['deployment']));
        await undo(hand);
        expect(short.entries()).toEqual([]);
        await replica.expectAlone();
      });

      test('every entry of the ledger leads to its resource, by id and by name', async () => {
        const hand = replica.hand(newId());
        await deploy(hand, { keepSnapshots: true });
        const stranger = lab.open();
        for (const entry of replica.entries()) {
          const { resourceId, ...nameless } = entry;
          expect(await stranger.findResource(entry, never), `${entry.kind} by id`).toEqual({ id: resourceId });
          expect(await stranger.findResource(nameless, never), `${entry.kind} by name`).toEqual({ id: resourceId });
        }
        await undo(hand);
        await replica.expectAlone();
      });
    });

    describe('roll-back', () => {
      test.for<Steps | 'nothing'>(['nothing', 'snapshots', 'volumes', 'nics', 'worker', 'server'])(
        'after %s leaves the replica alone, as often as it is asked',
        async (until) => {
          const { run } = replica.hand(newId());
          if (until !== 'nothing') await deploy(replica.hand(run.deploymentId), { until, keepSnapshots: true });
          await undo(replica.hand(run.deploymentId));
          await undo(replica.hand(run.deploymentId));
          await replica.expectAlone();
        },
      );

      test('takes away its own deployment and no other one of the replica', async () => {
        const [one, other] = [replica.hand(newId()), replica.hand(newId())];
        await deploy(one);
        const kept = await deploy(other);
        await undo(one);
        await expectServer(other, kept);
        await undo(other);
        await replica.expectAlone();
      });
    });

    describe('in place', () => {
      /** A deployment in place that came as far as a running server, and changed the replica's volumes. */
      async function spoilt(own: Replica, id: string): Promise<Deployed> {
        const hand = own.hand(id);
        await deploy(hand, { inPlace: true, until: 'nics' });
        for (const volume of own.volumes) await lab.writeMark(volume.id, 'changed by the guest');
        return deploy(hand, { inPlace: true, keepSnapshots: true });
      }

      /** Gives the replica its content back and takes the rest away, as another process. */
      async function restore(own: Replica, id: string, snapshots: Deployed['snapshots']): Promise<string[]> {
        const hand = own.hand(id);
        await hand.platform.stopWorker(hand.run, hand.run.preparationRole, never);
        const restored = await hand.deployment.restoreVolumes(hand.run, snapshots, never);
        expect(restored.map(({ diskId }) => diskId)).toEqual(own.volumes.map(({ diskId }) => diskId));
        expect(ids(await own.hand(id).deployment.restoreVolumes(hand.run, snapshots, never))).toEqual(ids(restored));
        await hand.deployment.rollBack(hand.run, never);
        return ids(restored);
      }

      async function withOwn(skip: (why: string) => void, work: (own: Replica) => Promise<void>): Promise<void> {
        if (lab.inPlace === false) skip('this platform deploys nothing in place');
        await replica.delete();
        try {
          const own = await bench.replica();
          await work(own);
          await own.delete();
        } finally {
          replica = await bench.replica();
        }
      }

      test('a deployment that failed gives the replica its content back, which goes on with it', ({ skip }) =>
        withOwn(skip, async (own) => {
          const id = newId();
          const { snapshots } = await spoilt(own, id);
          const restored = await restore(own, id, snapshots);
          await own.expectAlone('', restored);
          const { platform, run } = own.hand('execution');
          const next = await platform.ensureVolumes(run, run.vm.disks, never);
          expect(next.map((volume) => [volume.id, volume.createdByThisCall])).toEqual(
            restored.map((volumeId) => [volumeId, false]),
          );
        }));

      test("a deployment that succeeded owns the replica's volumes, where the platform can do that", ({ skip }) =>
        withOwn(skip, async (own) => {
          const hand = own.hand(newId());
          const made = await deploy(hand, { inPlace: true });
          if (hand.deployment.transferVolumesToDeployment !== undefined) {
            for (let time = 0; time < 2; time += 1)
              await own
                .hand(hand.run.deploymentId)
                .deployment.transferVolumesToDeployment?.(hand.run, made.volumes, never);
            await hand.platform.deleteVolumes(hand.run, never);
            await expectServer(hand, made);
          }
          await undo(hand);
        }));

      test(
        'a process that is killed while it restores is followed by one that ends the restoration',
        { timeout: faultPatienceMs },
        ({ skip }) =>
          withOwn(skip, async (own) => {
            const id = newId();
            const made = await spoilt(own, id);
            const { result, start, calls } = await counted(() => restore(own, id, made.snapshots));
            await own.expectAlone('', result);
            await own.delete();
            for (const point of crashPoints(lab, start, calls, samples.crashes)) {
              const current = await bench.replica();
              const of = newId();
              const { snapshots } = await spoilt(current, of);
              const first = lab.callCount();
              await killedAt(lab, point, async (process) => {
                const { platform, deployment, run, signal } = current.hand(of, process);
                await platform.stopWorker(run, run.preparationRole, signal);
                await deployment.restoreVolumes(run, snapshots, signal);
                await deployment.rollBack(run, signal);
              });
              const at = `killed ${point.when} call ${point.n}, ${lab.callName(first + point.n)}`;
              await current.expectAlone(at, await restore(current, of, snapshots));
              await current.delete();
            }
          }),
      );
    });

    describe('going wrong', () => {
      test.for(faultSorts)(
        'a fault at any call$label ends well or with a clear error; it goes on or is rolled back, and nothing is doubled or left',
        { timeout: faultPatienceMs },
        async ({ sort }) => {
          const plain = replica.hand(newId());
          const { start, calls } = await counted(() => deploy(plain));
          const expected = await census(lab);
          await undo(plain);
          const cases = faultsAt(lab, start, calls, samples.faults).filter(ofSort(sort));
          for (const [index, { n, fault }] of cases.entries()) {
            const hand = replica.hand(newId());
            const first = lab.callCount();
            lab.failCall(n, fault);
            const error = await clearErrorOf(deploy(hand), clear, `${fault} at call ${n}`);
            lab.clearFaults();
            const at = `${fault} at call ${n}, ${lab.callName(first + n)}: ${error?.message ?? 'went well'}`;
            // Whatever passes by itself must not end a deployment.
            if (fault !== 'fails-later') expect(error, at).toBeUndefined();
            if (error !== undefined && index % 2 === 0) await deploy(replica.hand(hand.run.deploymentId));
            if (error === undefined || index % 2 === 0) expect(await census(lab), at).toEqual(expected);
            await undo(replica.hand(hand.run.deploymentId));
            await replica.expectAlone(at);
          }
        },
      );

      test.for(faultSorts)(
        'a fault at any call of the roll-back$label leaves nothing that a second one does not take',
        { timeout: faultPatienceMs },
        async ({ sort }) => {
          const plain = replica.hand(newId());
          await deploy(plain, { keepSnapshots: true });
          const { start, calls } = await counted(() => undo(plain));
          for (const { n, fault } of faultsAt(lab, start, calls, Math.ceil(samples.faults / 2)).filter(ofSort(sort))) {
            const { run } = replica.hand(newId());
            await deploy(replica.hand(run.deploymentId), { keepSnapshots: true });
            lab.failCall(n, fault);
            const error = await clearErrorOf(undo(replica.hand(run.deploymentId)), clear, `${fault} at call ${n}`);
            lab.clearFaults();
            if (error !== undefined) await undo(replica.hand(run.deploymentId));
            await replica.expectAlone(`${fault} at call ${n} of the roll-back: ${error?.message ?? 'went well'}`);
          }
        },
      );

      test(
        'a process that is killed at any call is followed by one that goes on, or rolls back',
        { timeout: faultPatienceMs },
        async () => {
          const plain = replica.hand(newId());
          const { start, calls } = await counted(() => deploy(plain));
          const expected = await census(lab);
          await undo(plain);
          let kills = 0;
          for (const [index, point] of crashPoints(lab, start, calls, samples.crashes * 2).entries()) {
            const { run } = replica.hand(newId());
            const first = lab.callCount();
            // How often something is polled differs: the last calls may not come.
            kills += Number(await killedAt(lab, point, (process) => deploy(replica.hand(run.deploymentId, process))));
            const at = `killed ${point.when} call ${point.n}, ${lab.callName(first + point.n)}`;
            if (index % 2 === 0) {
              const hand = replica.hand(run.deploymentId);
              await expectServer(hand, await deploy(hand), at);
              expect(await census(lab), at).toEqual(expected);
            }
            await undo(replica.hand(run.deploymentId));
            await replica.expectAlone(at);
          }
          expect(kills).toBeGreaterThan(0);
        },
      );

      test(
        'a process that is killed while it rolls back is followed by one that ends the roll-back',
        { timeout: faultPatienceMs },
        async () => {
          const plain = replica.hand(newId());
          await deploy(plain, { keepSnapshots: true });
          const { start, calls } = await counted(() => undo(plain));
          for (const point of crashPoints(lab, start, calls, samples.crashes)) {
            const { run } = replica.hand(newId());
            await deploy(replica.hand(run.deploymentId), { keepSnapshots: true });
            await killedAt(lab, point, (process) => undo(replica.hand(run.deploymentId, process)));
            await undo(replica.hand(run.deploymentId));
            await replica.expectAlone(`killed ${point.when} call ${point.n} of the roll-back`);
          }
        },
      );
    });

    test('nothing is left once the replica is deleted, and all requests conformed to the description of the API', async () => {
      await replica.delete();
      expect([...new Set(lab.violations())]).toEqual([]);
    });
  });
}
