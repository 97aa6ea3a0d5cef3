import { open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { startProjectLab, type EngineProcess, type ProjectLab } from '../rigs/project/lab-project.ts';
import { seeded } from '../rigs/seeded.ts';

const MiB = 1024 * 1024;
const diskMiB = 256;
/** 50 for the full run; each takes some seconds. */
const points = Number(process.env['CAUSEWAY_CRASH_POINTS'] ?? 8);
const seed = Number(process.env['CAUSEWAY_CRASH_SEED'] ?? 1);

let lab: ProjectLab;
beforeAll(async () => {
  lab = await startProjectLab();
});
afterAll(() => lab.close());

const engines: EngineProcess[] = [];
afterEach(async ({ task }) => {
  for (const engine of engines.splice(0)) {
    await engine.kill();
    if (task.result?.state === 'fail') console.log(engine.events.map((event) => `${event.at} ${event.message}`).join('\n'));
  }
});

/** Changes some MiB of the image, each either to noise or to zeros, and answers with how much it touched. */
async function mutate(file: string, random: () => number, parts: number): Promise<number> {
  const handle = await open(file, 'r+');
  const touched = new Set<number>();
  for (let part = 0; part < parts; part += 1) {
    const at = Math.floor(random() * diskMiB);
    touched.add(at);
    const bytes = Buffer.alloc(MiB);
    if (random() < 0.8) for (let offset = 0; offset < MiB; offset += 4) bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), offset);
    await handle.write(bytes, 0, MiB, at * MiB);
  }
  await handle.close();
  return touched.size * MiB;
}

/** Where a point hurts: so long after the start, or so long after a task has begun. */
interface Blow {
  readonly after: string | undefined;
  readonly delayMs: number;
  readonly victim: 'engine' | 'worker';
}

const tasks = ['ensure-volumes', 'take-snapshot', 'start-worker', 'replicate-disks', 'replicate-disks', 'replicate-disks', 'verify-disks', 'stop-worker', 'record-success', 'settle-snapshot'];

function chooseBlow(random: () => number): Blow {
  const task = tasks[Math.floor(random() * tasks.length)];
  const copying = task === 'replicate-disks';
  return {
    after: task,
    delayMs: Math.floor(random() * (copying ? 1500 : task === 'start-worker' || task === 'stop-worker' ? 1200 : 40)),
    victim: copying && random() < 0.3 ? 'worker' : 'engine',
  };
}

/** Resolves when the blow has fallen, or the run was over before. */
async function strike(engine: EngineProcess, blow: Blow): Promise<void> {
  const begun = Promise.withResolvers<void>();
  engine.onEvent = (event) => {
    if (event.taskId === blow.after && event.details['state'] === 'running') begun.resolve();
  };
  await Promise.race([begun.promise, engine.ended]);
  await Promise.race([new Promise((resolve) => setTimeout(resolve, blow.delayMs)), engine.ended]);
  if (blow.victim === 'engine') await engine.kill();
  else for (const server of lab.cloud.world.servers.keys()) await lab.machines.crash(server);
}

function copied(events: readonly { readonly type: string; readonly details: Record<string, unknown> }[]): { bytesChanged: number; resumedAtBytes: number } | undefined {
  const details = events.findLast((event) => event.type === 'disk.done')?.details;
  return details === undefined ? undefined : { bytesChanged: Number(details['bytesChanged']), resumedAtBytes: Number(details['resumedAtBytes']) };
}

describe.each(['HTTPS', 'SSH'] as const)('killed at seeded points over %s', (mechanism) => {
  const name = `crash-${mechanism.toLowerCase()}`;
  let file: string;
  let diskId: string;

  beforeAll(async () => {
    file = join(lab.images, `${name}.raw`);
    await (await open(file, 'w')).close();
    await truncate(file, diskMiB * MiB);
    const vms = await lab.use((core) => core.call('vm.list', { endpoint: 'images' }));
    const vm = vms.find((candidate) => candidate.name === name)?.id ?? name;
    await lab.createReplica(name, vm, mechanism);
    diskId = (await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm }))).disks[0]?.id ?? '';
  });

  it.each(Array.from({ length: Math.ceil(points / 2) }, (_, index) => index))('point %i ends byte-identical, with nothing left behind', { timeout: 120_000 }, async (index) => {
    const random = seeded(seed * 1000 + index * 2 + (mechanism === 'SSH' ? 1 : 0));
    const startedAt = performance.now();
    const changed = await mutate(file, random, index === 0 ? 60 : 20);
    const blow = chooseBlow(random);
    // Slow enough that a blow can fall in the middle of a copy.
    const options = { bandwidthLimit: 12 * MiB };
    const engine = lab.start(name, options);
    engines.push(engine);
    await strike(engine, blow);
    let final: ExecutionDetail | undefined = await engine.ended;
    if (final === undefined) {
      const second = lab.start(name, options);
      engines.push(second);
      final = await second.ended;
      const outcome = copied(second.events);
      if (outcome !== undefined) expect(outcome.bytesChanged, 'sent again although it was durable').toBeLessThanOrEqual(changed);
    }
    const report = `${JSON.stringify(blow)}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s${final?.error === undefined ? '' : ` ${JSON.stringify(final.error)}`}`;
    console.log(`${mechanism} ${index} ${report}`);
    expect(final, report).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(name, { [diskId]: file }), report).toBeUndefined();
    const items = await lab.use((core) => core.call('ledger.list', {}));
    expect(items.filter((item) => item.lifetime === 'temporary'), report).toEqual([]);
    expect(lab.cloud.world.leftovers().filter((left) => !left.startsWith('volume ')), report).toEqual([]);
  });
});
