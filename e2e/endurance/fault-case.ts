import { truncate } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { unclear } from '../conformance/every-fault.ts';
import { endHanging, faultCases, type FaultCase } from '../rigs/european-cloud/fault-cases.ts';
import { change, MiB, type Lane } from './lane.ts';

export const faultDiskMiB = 8;

export interface FaultPlan {
  readonly cases: readonly FaultCase[];
  /** The most of each kind that an execution without faults has at once. */
  readonly allowed: Readonly<Record<string, number>>;
}

/** The calls of an execution without faults, and every way in which each of them can go wrong. */
export async function planFaults(lane: Lane): Promise<FaultPlan> {
  const replica = await lane.newReplica();
  const from = lane.lab.cloud.calls.length;
  lane.peaks.take();
  const execution = await lane.execute(replica);
  if (execution.state !== 'completed')
    throw new Error(`an execution without faults is ${execution.state}: ${execution.error?.message}`);
  const plan = { allowed: lane.peaks.take(), cases: faultCases(lane.lab.cloud.calls.slice(from)) };
  await lane.deleteReplica(replica);
  return plan;
}

/** One to three faults in an execution, of the cloud or of the link; then one without, where it did not end well. */
export async function faultCase(
  lane: Lane,
  plan: FaultPlan,
  random: () => number,
): Promise<{ readonly what: string; readonly wrong: readonly string[] }> {
  await truncate(lane.image, faultDiskMiB * MiB);
  await change(lane.image, faultDiskMiB, random, 3);
  const replica = await lane.newReplica();
  if (random() < 0.3) return linkFault(lane, replica, random);
  const faults = Array.from(
    { length: random() < 0.7 ? 1 : 2 },
    () => plan.cases[Math.floor(random() * plan.cases.length)],
  ).filter((fault) => fault !== undefined);
  lane.peaks.take();
  for (const fault of faults) lane.lab.cloud.faults.add(fault);
  const wrong: string[] = [];
  const execution = await lane.execute(replica);
  lane.lab.cloud.faults.clear();
  wrong.push(...lane.peaks.beyond(plan.allowed));
  if (execution.state === 'completed') wrong.push(...(await lane.wrongAfter(execution, replica)));
  else {
    const problem = execution.state === 'failed' ? unclear(execution.error) : `it is ${execution.state}`;
    if (problem !== undefined) wrong.push(problem);
    // With several faults a clean-up may be hit as well; then it has to say so.
    if (execution.leftBehind === 0) wrong.push(...(await lane.leftOver()));
    await endHanging(lane.lab.cloud.world);
    const again = await lane.execute(replica);
    const entries = await lane.lab.use((core) => core.call('ledger.list', { orphansOnly: true }));
    if (entries.length > 0) await lane.lab.use((core) => core.call('ledger.remove', { dryRun: false }));
    wrong.push(...(await lane.wrongAfter(again, replica)).map((text) => `the next one: ${text}`));
  }
  await lane.deleteReplica(replica);
  wrong.push(...lane.lab.cloud.world.leftovers().map((line) => `after the replica was deleted: ${line}`));
  return { what: faults.map(({ effect, operation, nth }) => `${effect} at ${operation} ${nth}`).join(', '), wrong };
}

/** Every connection to the worker is cut, or goes silent for a while, at any time of the copy. */
async function linkFault(
  lane: Lane,
  replica: string,
  random: () => number,
): Promise<{ readonly what: string; readonly wrong: readonly string[] }> {
  const deed = random() < 0.5 ? 'cut' : 'freeze';
  const [afterMs, silentMs] = [Math.floor(random() * 900), Math.floor(random() * 4_000)];
  const engine = lane.lab.start(replica, { bandwidthLimit: 4 * MiB });
  lane.engines.push(engine);
  const copying = Promise.withResolvers<void>();
  engine.onEvent = ({ taskId, details }) => {
    if (taskId === 'replicate-disks' && details['state'] === 'running') copying.resolve();
  };
  await Promise.race([copying.promise, engine.ended]);
  await Promise.race([delay(afterMs), engine.ended]);
  const servers = [...lane.lab.cloud.world.servers.keys()];
  for (const server of servers) await lane.lab.machines.link(server, deed);
  if (deed === 'freeze') {
    await Promise.race([delay(silentMs), engine.ended]);
    for (const server of servers)
      if (lane.lab.cloud.world.servers.has(server)) await lane.lab.machines.link(server, 'thaw');
  }
  const final = await engine.ended;
  lane.engines.length = 0;
  const wrong = await lane.wrongAfter(final, replica);
  await lane.deleteReplica(replica);
  wrong.push(...lane.lab.cloud.world.leftovers().map((line) => `after the replica was deleted: ${line}`));
  return {
    what: `${deed} the link ${afterMs} ms into the copy${deed === 'freeze' ? ` for ${silentMs} ms` : ''}`,
    wrong,
  };
}
