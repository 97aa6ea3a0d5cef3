/**
 * How the throughput of a fleet grows with its movers. Each mover carries one execution at a time, and each execution is limited to a rate, as by a
 * link of its own: what is measured is how well work is distributed, and not how many processors this computer has.
 *
 *   node e2e/bench/fleet-movers.ts [--replicas 12] [--mib 8] [--json]
 */
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import { hasNats } from '../rigs/nats-cluster.ts';
import type { FleetMover } from '../rigs/project/fleet-mover.ts';
import { startLabFleet, type LabFleet } from '../rigs/project/lab-fleet.ts';
import { firstDifference } from '../rigs/sparse-files.ts';
import { startReport } from './results.ts';

const mebibyte = 1024 * 1024;
const most = 4;
const linkBytes = mebibyte;
const { values } = parseArgs({
  options: { replicas: { type: 'string' }, mib: { type: 'string' }, json: { type: 'boolean' } },
});
const names = Array.from({ length: Number(values.replicas ?? 12) }, (_, index) => `vm-${index}`);
const mib = Number(values.mib ?? 8);
const never = new AbortController().signal;
const kept = startReport('fleet-movers');
kept.version('nats-server');

if (process.geteuid?.() !== 0 || !hasNats) {
  console.error(hasNats ? 'Native workers need root' : "Debian's nats-server is not installed");
  process.exit(2);
}
const carriers = Array.from({ length: most }, () => ({ carries: 1 }));
const fleet = await startLabFleet({
  names,
  diskMiB: mib,
  fleet: { project: 'movers', replicas: 3, claimSeconds: 10 },
  movers: [{ carries: 0 }, ...carriers],
});
try {
  const rates: number[] = [];
  for (let count = 1; count <= most; count++) {
    rates.push(await rateWith(fleet, count));
    console.log(
      `${count} movers: ${(rates.at(-1)! / mebibyte).toFixed(2)} MiB/s in sum, ${(rates.at(-1)! / rates[0]!).toFixed(2)} × one; load ${(loadavg()[0] ?? 0).toFixed(1)}`,
    );
  }
  for (const [index, rate] of rates.entries()) {
    kept.add({
      group: `${names.length} VMs of ${mib} MiB, ${index + 1} ${index === 0 ? 'mover' : 'movers'} with a link of 1 MiB/s each`,
      what: 'rate in sum',
      unit: 'MiB/s',
      ways: [
        { name: `${index + 1}`, value: rate / mebibyte },
        { name: 'one mover', value: rates[0]! / mebibyte },
      ],
      peer: 'one mover',
    });
  }
  kept.finish();
} finally {
  await fleet.close();
}

/** Bytes per second of copying every disk in whole, from the first order to the last end, with so many members that take something. */
async function rateWith({ movers, image, lab }: LabFleet, count: number): Promise<number> {
  const [planner, ...others] = movers as [FleetMover, ...FleetMover[]];
  const idOf = async (mover: FleetMover): Promise<string> =>
    (await mover.call('fleet.view', {})).members.find(({ isThis }) => isThis)!.id;
  const ids = await Promise.all(others.map(idOf));
  for (const [index, member] of ids.entries())
    await planner.call('fleet.drain', { member, isDraining: index >= count });
  await until(async () => {
    const { members } = await planner.call('fleet.view', {});
    return ids.every((id, index) => members.find((member) => member.id === id)?.isDraining === index >= count);
  });
  for (const name of names) writeFileSync(image(name), randomBytes(mib * mebibyte));
  const begun = performance.now();
  for (const name of names) await order(planner, name);
  await until(async () => {
    const all = await planner.call('execution.list', { latest: true });
    const failed = all.find(({ state }) => state === 'failed');
    if (failed !== undefined) throw new Error(`an execution failed: ${failed.error?.message}`);
    return all.length === names.length && all.every(({ state }) => state === 'completed');
  });
  const seconds = (performance.now() - begun) / 1000;
  for (const name of names) {
    const { disks } = await planner.call('replica.show', { replica: name });
    if ((await firstDifference(image(name), lab.cloud.volumePath(disks[0]!.volumeId!))) !== undefined)
      throw new Error(`${name} differs`);
  }
  return (names.length * mib * mebibyte) / seconds;
}

/** A member that has just ended an execution may still hold the claim of its replica. */
async function order(planner: FleetMover, replica: string): Promise<void> {
  await until(async () => {
    try {
      await planner.call('replica.execute', { replica, inFleet: true, options: { bandwidthLimit: linkBytes } });
      return true;
    } catch (error) {
      if (error instanceof CausewayError && error.code === 'fleet.claimed-elsewhere') return false;
      throw error;
    }
  });
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 1_800_000; !(await isSo());) {
    if (performance.now() > end) throw new Error('it took longer than half an hour');
    await systemClock.sleep(200, never);
  }
}
