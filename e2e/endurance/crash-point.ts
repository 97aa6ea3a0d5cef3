import { setTimeout as delay } from 'node:timers/promises';
import { replicaGraph } from '../../electron/engine/executions/replica-graph.ts';
import type { EngineProcess } from '../rigs/project/lab-project.ts';
import { change, MiB, type Lane } from './lane.ts';

export const crashDiskMiB = 48;

/** So long after a task has begun, an engine or all workers are killed. */
interface Blow {
  readonly after: string;
  readonly delayMs: number;
  readonly victim: 'engine' | 'worker';
}

const tasks = [
  'describe-vm',
  'ensure-volumes',
  'ensure-volumes',
  'take-snapshot',
  'start-worker',
  'start-worker',
  'replicate-disks',
  'replicate-disks',
  'replicate-disks',
  'replicate-disks',
  'verify-disks',
  'stop-worker',
  'stop-worker',
  'confirm-snapshot',
  'record-success',
  'release-snapshot',
];
// A blow that waits for a task that no execution has would never fall.
const known = new Set<string>(replicaGraph({}).map(({ id }) => id));
const unknown = tasks.filter((task) => !known.has(task));
if (unknown.length > 0) throw new Error(`no tasks of an execution: ${unknown.join(', ')}`);

function chooseBlow(random: () => number): Blow {
  const after = tasks[Math.floor(random() * tasks.length)] ?? 'replicate-disks';
  const withWorker = after === 'replicate-disks' || after === 'verify-disks';
  const longest =
    after === 'replicate-disks' ? 900 : after === 'start-worker' ? 1_000 : after === 'stop-worker' ? 300 : 40;
  return {
    after,
    delayMs: Math.floor(random() * longest),
    victim: withWorker && random() < 0.35 ? 'worker' : 'engine',
  };
}

/** Up to three blows, one after another, in one execution that is resumed each time. */
export async function crashPoint(
  lane: Lane,
  state: { replica: string | undefined },
  random: () => number,
): Promise<{ readonly what: string; readonly wrong: readonly string[] }> {
  if (state.replica !== undefined && random() < 0.15) {
    await lane.deleteReplica(state.replica);
    state.replica = undefined;
  }
  const replica = (state.replica ??= await lane.newReplica());
  await change(lane.image, crashDiskMiB, random, 6);
  const blows: Blow[] = [];
  const options = { bandwidthLimit: 12 * MiB };
  for (let count = random() < 0.7 ? 1 : random() < 0.7 ? 2 : 3; count > 0; count -= 1) {
    const blow = chooseBlow(random);
    blows.push(blow);
    const engine = lane.lab.start(replica, options);
    lane.engines.push(engine);
    await strike(lane, engine, blow);
    if (blow.victim === 'worker') break;
    if ((await engine.ended) !== undefined) break;
  }
  let final = await lane.engines.at(-1)?.ended;
  if (final === undefined) {
    const last = lane.lab.start(replica);
    lane.engines.push(last);
    final = await last.ended;
  }
  lane.engines.length = 0;
  return { what: JSON.stringify(blows), wrong: await lane.wrongAfter(final, replica) };
}

async function strike(lane: Lane, engine: EngineProcess, { after, delayMs, victim }: Blow): Promise<void> {
  const begun = Promise.withResolvers<void>();
  engine.onEvent = ({ taskId, details }) => {
    if (taskId === after && details['state'] === 'running') begun.resolve();
  };
  await Promise.race([begun.promise, engine.ended]);
  await Promise.race([delay(delayMs), engine.ended]);
  if (victim === 'engine') await engine.kill();
  else for (const server of [...lane.lab.cloud.world.servers.keys()]) await lane.lab.machines.crash(server);
}
