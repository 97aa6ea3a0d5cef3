import { randomBytes } from 'node:crypto';
import { open, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { startProjectLab, type EngineProcess, type ProjectLab } from '../rigs/project/lab-project.ts';
import { seeded } from '../rigs/seeded.ts';

const MiB = 1024 * 1024;
const diskMiB = 256;
/** What may be under way, unacknowledged, when something dies: it is sent again, and no more than that. */
const inFlight = 8 * MiB;
const checkpointMs = 400;
/** 50 for the full run; each takes some seconds. */
const points = Number(process.env['CAUSEWAY_CRASH_POINTS'] ?? 6);
const everyStep = process.env['CAUSEWAY_EVERY_STEP'] === '1';
const seed = Number(process.env['CAUSEWAY_CRASH_SEED'] ?? 1);

let lab: ProjectLab;
beforeAll(async () => {
  lab = await startProjectLab({ patience: { checkpointMs, loginMs: 20_000 } });
});
afterAll(() => lab.close());

const engines: EngineProcess[] = [];
afterEach(async ({ task }) => {
  for (const engine of engines.splice(0)) {
    await engine.kill();
    if (task.result?.state === 'fail')
      console.log(engine.events.map((event) => `${event.at} ${event.message}`).join('\n'));
  }
});

/** Changes some MiB of the image, each either to noise or to zeros; answers with how many bytes of noise there are to send. */
async function mutate(file: string, random: () => number, parts: number): Promise<number> {
  const handle = await open(file, 'r+');
  const noise = new Map<number, boolean>();
  for (let part = 0; part < parts; part += 1) {
    const at = Math.floor(random() * diskMiB);
    const bytes = Buffer.alloc(MiB);
    noise.set(at, random() < 0.8);
    if (noise.get(at) === true)
      for (let offset = 0; offset < MiB; offset += 4) bytes.writeUInt32LE(Math.floor(random() * 2 ** 32), offset);
    await handle.write(bytes, 0, MiB, at * MiB);
  }
  await handle.close();
  return [...noise.values()].filter(Boolean).length * MiB;
}

/** Where a point hurts: so long after the start, or so long after a task has begun. */
interface Blow {
  readonly after: string | undefined;
  readonly delayMs: number;
  readonly victim: 'engine' | 'worker';
}

const tasks = [
  'ensure-volumes',
  'take-snapshot',
  'start-worker',
  'replicate-disks',
  'replicate-disks',
  'replicate-disks',
  'verify-disks',
  'stop-worker',
  'confirm-snapshot',
  'record-success',
  'release-snapshot',
];

function chooseBlow(random: () => number): Blow {
  const task = tasks[Math.floor(random() * tasks.length)];
  const copying = task === 'replicate-disks';
  return {
    after: task,
    delayMs: Math.floor(random() * (copying ? 1500 : task === 'start-worker' || task === 'stop-worker' ? 1200 : 40)),
    victim: copying && random() < 0.3 ? 'worker' : 'engine',
  };
}

/** Resolves when the blow has fallen, or the run was over before, with the bytes that a copy had brought that did not end before it. */
async function strike(engine: EngineProcess, blow: Blow): Promise<number> {
  let brought = 0;
  engine.onProgress = ({ total }) => {
    brought = total.bytesSent;
  };
  const begun = Promise.withResolvers<void>();
  engine.onEvent = (event) => {
    if (event.taskId === blow.after && event.details['state'] === 'running') begun.resolve();
  };
  await Promise.race([begun.promise, engine.ended]);
  await Promise.race([new Promise((resolve) => setTimeout(resolve, blow.delayMs)), engine.ended]);
  // Of a copy that is over, its event tells.
  const unfinished = copies(engine).length === 0 ? brought : 0;
  engine.onProgress = () => undefined;
  if (blow.victim === 'engine') await engine.kill();
  else for (const server of lab.cloud.world.servers.keys()) await lab.machines.crash(server);
  return unfinished;
}

interface Copy {
  readonly bytesSent: number;
  readonly bytesRead: number;
  readonly resumedAtBytes: number;
}

/** The copies that an engine has brought to their end. */
function copies(engine: EngineProcess): readonly Copy[] {
  return engine.events
    .filter((event) => event.type === 'disk.done')
    .map(({ details }) => ({
      bytesSent: Number(details['bytesSent']),
      bytesRead: Number(details['bytesRead']),
      resumedAtBytes: Number(details['resumedAtBytes']),
    }));
}

/** How much of a replica's disk is durable, by the last checkpoint of its engine, whether that still runs or not. */
function checkpointOf(replica: string): number {
  const db = new DatabaseSync(join(lab.project.folder, '.causeway', 'causeway.db'), { readOnly: true });
  try {
    const row = db
      .prepare(
        'SELECT max(cursor_bytes) AS durable FROM transfer_disk JOIN replicas ON replicas.id = replica_id WHERE replicas.name = ?',
      )
      .get(replica);
    return Number(row?.['durable'] ?? 0);
  } finally {
    db.close();
  }
}

/** One point is a sample: over HTTPS. */
const mechanisms: readonly ('HTTPS' | 'SSH')[] = points === 1 && !everyStep ? ['HTTPS'] : ['HTTPS', 'SSH'];

describe.each(mechanisms)('killed at seeded points over %s', (mechanism) => {
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

  it.each(Array.from({ length: Math.ceil(points / 2) }, (_, index) => index))(
    'point %i ends byte-identical, with nothing left behind',
    async (index) => {
      const random = seeded(seed * 1000 + index * 2 + (mechanism === 'SSH' ? 1 : 0));
      const startedAt = performance.now();
      const needed = await mutate(file, random, index === 0 ? 60 : 20);
      const blow = chooseBlow(random);
      // Slow enough that a blow can fall in the middle of a copy.
      const options = { bandwidthLimit: 12 * MiB };
      const engine = lab.start(name, options);
      engines.push(engine);
      let sent = await strike(engine, blow);
      let final: ExecutionDetail | undefined = await engine.ended;
      if (final === undefined) {
        const second = lab.start(name, options);
        engines.push(second);
        final = await second.ended;
      }
      for (const one of engines) for (const copy of copies(one)) sent += copy.bytesSent;
      const report = `${JSON.stringify(blow)}: ${((performance.now() - startedAt) / 1000).toFixed(1)} s${final?.error === undefined ? '' : ` ${JSON.stringify(final.error)}`}`;
      console.log(`${mechanism} ${index} ${report}, ${sent / MiB} of ${needed / MiB} MiB sent`);
      expect(sent, `sent again although the volume had it: ${report}`).toBeLessThanOrEqual(needed + inFlight);
      expect(final, report).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect(await lab.difference(name, { [diskId]: file }), report).toBeUndefined();
      const items = await lab.use((core) => core.call('ledger.list', {}));
      expect(
        items.filter((item) => item.lifetime === 'temporary'),
        report,
      ).toEqual([]);
      expect(
        lab.cloud.world.leftovers().filter((left) => !left.startsWith('volume ')),
        report,
      ).toEqual([]);
    },
  );

  it.runIf(mechanism === 'HTTPS' || everyStep)(
    'goes on from its last checkpoint when it is killed far into a disk',
    async () => {
      const bytes = 512 * MiB;
      const large = join(lab.images, `${name}-large.raw`);
      await writeFile(large, randomBytes(bytes));
      const vms = await lab.use((core) => core.call('vm.list', { endpoint: 'images' }));
      const vm = vms.find((candidate) => candidate.name === `${name}-large`)?.id ?? '';
      await lab.createReplica(`${name}-large`, vm, mechanism);
      const disk = (await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm }))).disks[0]?.id ?? '';

      const engine = lab.start(`${name}-large`, { bandwidthLimit: 48 * MiB });
      engines.push(engine);
      // However slow the worker's disk: its agent lets writes wait while more than 128 MiB are not durable, and answers a flush with the
      // second sync after it was asked. So a checkpoint gets through before the disk is copied.
      let last = { bytesDone: 0, bytesSent: 0 };
      let durable = 0;
      const far = Promise.withResolvers<void>();
      engine.onProgress = ({ total }) => {
        if (total.phase === 'copying') last = total;
        durable = checkpointOf(`${name}-large`);
        if (durable > 0 && total.bytesDone >= 0.6 * bytes) far.resolve();
      };
      await Promise.race([far.promise, engine.ended]);
      await engine.kill();
      expect(await engine.ended, 'it was killed in the middle').toBeUndefined();
      durable = checkpointOf(`${name}-large`);

      const second = lab.start(`${name}-large`);
      engines.push(second);
      expect(await second.ended).toMatchObject({ state: 'completed', leftBehind: 0 });
      const [copy] = copies(second);
      console.log(
        `${mechanism}: killed at ${last.bytesDone / MiB} MiB with a checkpoint at ${durable / MiB}, resumed at ${(copy?.resumedAtBytes ?? 0) / MiB}, ${(copy?.bytesSent ?? 0) / MiB} sent again or for the first time`,
      );
      expect(copy?.resumedAtBytes, 'the checkpoint that it goes on from').toBeGreaterThanOrEqual(durable);
      expect(copy?.bytesRead, 'read again although it was durable').toBeLessThanOrEqual(
        bytes - (copy?.resumedAtBytes ?? 0),
      );
      expect(last.bytesSent + (copy?.bytesSent ?? 0), 'sent again although the volume had it').toBeLessThanOrEqual(
        bytes + inFlight,
      );
      expect(await lab.difference(`${name}-large`, { [disk]: large })).toBeUndefined();
    },
  );
});
