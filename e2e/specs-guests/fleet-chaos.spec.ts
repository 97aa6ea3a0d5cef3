// needs: native workers
// Movers as processes, each with a store and links of its own, and three NATS servers; what is killed, stopped and cut off is chosen by a seed.
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { historyProblems, openLedgerEntries } from '../../electron/fleet/history.ts';
import type { StoredRecord } from '../../electron/fleet/journal-record.ts';
import type { JournalLog } from '../../electron/fleet/journal-log.ts';
import { type NatsCluster } from '../rigs/nats-cluster.ts';
import { hasNamespaces } from '../rigs/network-namespace.ts';
import type { FleetMover } from '../rigs/project/fleet-mover.ts';
import { startLabFleet, type LabFleet } from '../rigs/project/lab-fleet.ts';
import type { ProjectLab } from '../rigs/project/lab-project.ts';
import { seeded } from '../rigs/seeded.ts';
import { firstDifference } from '../rigs/sparse-files.ts';

const MiB = 1024 * 1024;
const number = (name: string, usual: number): number => Number(process.env[name] ?? usual);
const points = number('CAUSEWAY_FLEET_POINTS', 8);
const replicaCount = number('CAUSEWAY_FLEET_REPLICAS', 3);
const moverCount = number('CAUSEWAY_FLEET_MOVERS', 4);
const seed = number('CAUSEWAY_FLEET_SEED', 1);
/** How long nothing may move: on a machine that has more to do, longer. */
const patienceSeconds = number('CAUSEWAY_FLEET_PATIENCE', 120);
const diskMiB = 6;
const fleet = { project: 'chaos', replicas: 3, claimSeconds: 4 };
const unfinished = new Set(['pending', 'running', 'cancelling', 'interrupted']);

describe('a fleet in which movers, servers and links fail', () => {
  let lab: ProjectLab;
  let nats: NatsCluster;
  let log: JournalLog;
  let movers: readonly FleetMover[] = [];
  let ids: LabFleet['ids'];
  let image: LabFleet['image'];
  let close: LabFleet['close'] | undefined;
  // Failures have numbers of their own: how much work there was between them depends on the machine.
  const [failures, work] = [seeded(seed), seeded(seed + 1)];
  const below = (count: number, random = work): number => Math.floor(random() * count);
  const away = new Map<FleetMover, 'asleep' | 'cut off' | 'unplugged'>();
  const names = Array.from({ length: replicaCount }, (_, index) => `vm-${index}`);
  const never = new AbortController().signal;
  const read = new Map<string, readonly StoredRecord[]>();
  let readUpTo = 0;
  /** Why executions failed, each once. */
  const told = new Set<string>();

  async function change(name: string): Promise<void> {
    const file = await open(image(name), 'r+');
    for (let count = 1 + below(4); count > 0; count--)
      await file.write(randomBytes(64 * 1024), 0, 64 * 1024, below(diskMiB * 16 - 1) * 64 * 1024);
    await file.close();
  }

  /** Executions by id, as the journals that were read say it: journals only grow, so that each record is looked at once. */
  const states = new Map<string, { readonly name: string; readonly state: string }>();

  /** What the servers have, by a connection that no failure is put on. */
  async function journals(): Promise<Map<string, readonly StoredRecord[]>> {
    const { replicas, upTo } = await log.changed(readUpTo, never);
    await Promise.all(
      names
        .filter((name) => replicas.has(ids.get(name)!))
        .map(async (name) => {
          const known = read.get(name) ?? [];
          const more = await log.read(ids.get(name)!, known.at(-1)?.sequence ?? 0, never);
          read.set(name, [...known, ...more]);
          for (const { record } of more) {
            for (const { table, row } of record.kind === 'changes' ? record.changes : []) {
              if (table !== 'executions') continue;
              const [state, error] = [String(row['state']), String(row['error'] ?? '')];
              states.set(String(row['id']), { name, state });
              if (state === 'failed' && !told.has(error))
                console.log(`${name} failed: ${told.add(error) && error.slice(0, 500)}`);
            }
          }
        }),
    );
    readUpTo = upTo;
    return new Map(names.map((name) => [name, read.get(name) ?? []]));
  }

  /** Executions that nobody has ended, and how the others ended. */
  async function executions(): Promise<{ readonly open: readonly string[]; readonly ended: readonly string[] }> {
    await journals();
    const all = [...states.values()];
    return {
      open: all.filter(({ state }) => unfinished.has(state)).map(({ name }) => name),
      ended: all.filter(({ state }) => !unfinished.has(state)).map(({ state }) => state),
    };
  }

  /**
   * Of the replicas on which nothing is under way, by movers that the seed chooses; refusals are part of what is tested. All at once: a mover that is
   * cut off from its fleet refuses each of them only after it has waited for the servers.
   */
  async function startWork(): Promise<void> {
    const { open: busy } = await executions();
    const awake = movers.filter((mover) => away.get(mover) !== 'asleep');
    const orders: { readonly name: string; readonly mover: FleetMover }[] = [];
    for (const name of names.filter((one) => !busy.includes(one))) {
      await change(name);
      orders.push({ name, mover: awake[below(awake.length)]! });
    }
    const refused = await Promise.all(
      orders.map(({ name, mover }) =>
        mover.call('replica.execute', { replica: name, options: { bandwidthLimit: MiB } }).then(
          () => undefined,
          (error: unknown) =>
            `${away.get(mover) ?? 'there'}: ${error instanceof CausewayError ? `${error.code} ${error.message}` : String(error)}`,
        ),
      ),
    );
    // What is refused is ordered again at the next point.
    for (const [why, all] of Map.groupBy(refused, (reason) => reason))
      if (why !== undefined) console.log(`${all.length} of ${orders.length} refused by who is ${why}`);
  }

  /** Until the cloud has been asked so many times more: where the next failure comes does not depend on the machine's speed. */
  async function progress(calls: number): Promise<void> {
    const from = lab.cloud.calls.length;
    const isDone = async (): Promise<boolean> =>
      lab.cloud.calls.length - from >= calls || (await executions()).open.length === 0;
    await expect
      .poll(isDone, { timeout: 1000 * patienceSeconds, interval: 100 })
      .toBe(true)
      .catch(async (error: unknown) => {
        const { open: busy } = await executions();
        console.log(
          `${lab.cloud.calls.length - from} of ${calls} calls in ${patienceSeconds} s; under way: ${busy.join(', ')}; away: ${[...away].map(([mover, how]) => `${mover.name} ${how}`).join(', ')}`,
        );
        for (const name of busy)
          console.log(
            `${name}: written by ${(await journals())
              .get(name)!
              .flatMap(({ record }) => (record.kind === 'epoch' ? record.member.name : []))
              .slice(-3)
              .join(', ')}`,
          );
        throw error;
      });
  }

  async function bringBack(mover: FleetMover): Promise<void> {
    if (away.get(mover) === 'asleep') mover.wake();
    else if (away.get(mover) === 'unplugged') await mover.plug();
    else mover.heal();
    away.delete(mover);
  }

  async function fail(): Promise<string> {
    // Somebody is always there, and at most one of the servers is not.
    for (const mover of away.keys()) if (failures() < 0.5 || away.size >= moverCount - 1) await bringBack(mover);
    const present = movers.filter((mover) => !away.has(mover));
    const victim = present[below(present.length, failures)]!;
    const kind = [
      'kill',
      'kill',
      'kill',
      'sleep',
      'sleep',
      'cut',
      ...(hasNamespaces ? ['unplug', 'unplug'] : ['cut']),
      'server',
      'server stops',
    ][below(hasNamespaces ? 10 : 9, failures)];
    if (kind === 'kill') await victim.killAndRestart();
    else if (kind === 'sleep' && present.length > 1) away.set(victim, (victim.sleep(), 'asleep'));
    else if (kind === 'cut' && present.length > 1) away.set(victim, (victim.partition(), 'cut off'));
    else if (kind === 'unplug' && present.length > 1) {
      await victim.unplug();
      away.set(victim, 'unplugged');
    } else {
      const index = below(3, failures);
      if (kind === 'server stops') {
        nats.signal(index, 'SIGSTOP');
        await progress(1 + below(5, failures)).finally(() => nats.signal(index, 'SIGCONT'));
      } else await nats.restart(index);
      return `${kind} ${index}`;
    }
    return `${kind} ${victim.name}`;
  }

  beforeAll(
    async () => {
      ({ lab, nats, log, ids, image, movers, close } = await startLabFleet({
        names,
        diskMiB,
        fleet,
        movers: Array.from({ length: moverCount }, () => ({})),
        inNamespaces: hasNamespaces,
      }));
    },
    60_000 * (5 + replicaCount),
  );
  afterAll(() => close?.(), 120_000);

  it(
    `ends with every replica byte-identical, nothing created twice, one writer in each epoch and a clean ledger (${points} points, seed ${seed}${hasNamespaces ? '' : ', without network namespaces'})`,
    async () => {
      for (let point = 0; point < points; point++) {
        await startWork();
        await progress(1 + below(25, failures));
        console.log(`point ${point}: ${await fail()}`);
      }
      for (const mover of away.keys()) await bringBack(mover);
      await expect
        .poll(async () => (await executions()).open, { timeout: 60_000 * replicaCount, interval: 500 })
        .toEqual([]);
      const { ended } = await executions();
      console.log(
        `${ended.length} executions: ${[...Map.groupBy(ended, (state) => state)].map(([state, all]) => `${all.length} ${state}`).join(', ')}`,
      );

      // The last executions, in peace: they find what all others have left.
      for (const [index, name] of names.entries()) {
        await change(name);
        await expect
          .poll(
            () =>
              movers[index % moverCount]!.call('replica.execute', { replica: name, options: {} }).then(
                () => 'started',
                String,
              ),
            { timeout: 60_000, interval: 500 },
          )
          .toBe('started');
      }
      await expect
        .poll(async () => (await executions()).open, { timeout: 60_000 * replicaCount, interval: 500 })
        .toEqual([]);

      const records = await journals();
      expect([...records].flatMap(([name, of]) => historyProblems(of).map((problem) => `${name}: ${problem}`))).toEqual(
        [],
      );
      expect((await executions()).ended.slice(-replicaCount)).toEqual(names.map(() => 'completed'));
      const left = [...records.values()].flatMap((of) =>
        openLedgerEntries(of).filter(({ lifetime }) => lifetime === 'temporary'),
      );
      expect({
        ledger: left,
        cloud: lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume ')),
      }).toEqual({ ledger: [], cloud: [] });
      expect(lab.cloud.world.volumes.size).toBe(replicaCount);
      for (const name of names) {
        const { disks } = await movers[0]!.call('replica.show', { replica: name });
        expect(await firstDifference(image(name), lab.cloud.volumePath(disks[0]!.volumeId!)), name).toBeUndefined();
      }
      expect([...records.values()].some((of) => of.filter(({ record }) => record.kind === 'epoch').length > 1)).toBe(
        true,
      );
    },
    24 * 3_600_000,
  );
});
