import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { startProjectLab, type EngineProcess, type ProjectLab } from '../rigs/project/lab-project.ts';
import { toldEngines } from '../rigs/project/told-engines.ts';

const MiB = 1024 * 1024;
const diskBytes = 64 * MiB;
/** What may be under way, unacknowledged, when a link breaks. */
const inFlight = 8 * MiB;
/** Long enough for a busy machine not to take a link for lost by itself: what was under way would be sent once more. */
const patience = { workerMs: 10_000, linkMs: 3_000, agentMs: 5_000 };

let lab: ProjectLab;
beforeAll(async () => {
  lab = await startProjectLab({ patience });
});
afterAll(() => lab?.close());

const told = toldEngines();

/** How a link is lost and made again is tried over both in the conformance suite of transports. */
const mechanisms: readonly ('HTTPS' | 'SSH')[] =
  process.env['CAUSEWAY_EVERY_STEP'] === '1' ? ['HTTPS', 'SSH'] : ['HTTPS'];

describe.each(mechanisms)('a link over %s', (mechanism) => {
  const name = `link-${mechanism.toLowerCase()}`;
  let file: string;
  let disks: Record<string, string>;

  beforeAll(async () => {
    file = join(lab.images, `${name}.raw`);
    await writeFile(file, randomBytes(diskBytes));
    const vms = await lab.use((core) => core.call('vm.list', { endpoint: 'images' }));
    const vm = vms.find((candidate) => candidate.name === name)?.id ?? name;
    await lab.createReplica(name, vm, mechanism);
    const described = await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm }));
    disks = { [described.disks[0]?.id ?? '']: file };
  });

  /** Replicates new content and calls `hurt` when about a third of it was sent. */
  async function replicate(
    bandwidthLimit: number,
    hurt: (engine: EngineProcess) => Promise<void>,
  ): Promise<Replicated> {
    await writeFile(file, randomBytes(diskBytes));
    const engine = told(lab.start(name, { bandwidthLimit }));
    const third = Promise.withResolvers<void>();
    let before = 0;
    let isHurt = false;
    engine.onProgress = ({ total }) => {
      if (!isHurt) before = total.bytesSent;
      if (total.bytesSent >= diskBytes / 3) third.resolve();
    };
    await Promise.race([third.promise, engine.ended]);
    isHurt = true;
    const hurtAt = performance.now();
    await hurt(engine);
    const execution = await engine.ended;
    const after = Number(engine.events.findLast((event) => event.type === 'disk.done')?.details['bytesSent']);
    const notes = engine.events
      .filter((event) => event.type === 'note' || event.type === 'task.retry')
      .map((event) => event.message);
    console.log(
      `${mechanism}: ${((performance.now() - hurtAt) / 1000).toFixed(1)} s from there to the end; ${before / MiB} MiB before, ${after / MiB} MiB after; ${notes.join('; ')}`,
    );
    return { execution, engine, before, after };
  }

  async function expectSound({ execution, before, after }: Replicated): Promise<void> {
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(name, disks)).toBeUndefined();
    expect(before, 'the link was hurt in the middle').toBeLessThan(diskBytes);
    expect(before + after, 'sent again although it was on the volume').toBeLessThanOrEqual(diskBytes + inFlight);
    const items = await lab.use((core) => core.call('ledger.list', {}));
    expect(items.filter((item) => item.lifetime === 'temporary')).toEqual([]);
    expect(lab.cloud.world.leftovers().filter((left) => !left.startsWith('volume '))).toEqual([]);
    expect(lab.cloud.violations).toEqual([]);
  }

  async function link(
    action: 'cut' | 'freeze' | 'thaw',
    servers: readonly string[] = [...lab.cloud.world.servers.keys()],
  ): Promise<readonly string[]> {
    for (const server of servers) await lab.machines.link(server, action);
    return servers;
  }

  it('that is cut in the middle is made again, and only what was under way is sent again', async () => {
    await expectSound(await replicate(16 * MiB, async () => void (await link('cut'))));
  });

  it('that is silent for longer than it may be is made again when the network is back', async () => {
    await expectSound(
      await replicate(16 * MiB, async () => {
        const servers = await link('freeze');
        await delay(patience.linkMs * 2);
        await link('thaw', servers);
      }),
    );
  });

  it('that stays silent leads to a new worker', async () => {
    const former: string[] = [];
    const done = await replicate(16 * MiB, async () => void former.push(...(await link('freeze'))));
    await expectSound(done);
    const created = lab.cloud.calls.filter((call) => call.operation === 'CreateServer').length;
    expect(former).toHaveLength(1);
    expect(created).toBeGreaterThan(1);
  });

  it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
    'survives that the computer sleeps for longer than the worker waits',
    async () => {
      await expectSound(
        await replicate(16 * MiB, async (engine) => {
          engine.child.kill('SIGSTOP');
          await delay(patience.agentMs + 2_000);
          engine.child.kill('SIGCONT');
        }),
      );
    },
  );

  it('obeys a limit that changes while it runs', async () => {
    const slow = 4 * MiB;
    const seen: { at: number; sent: number }[] = [];
    const limit = async (id: string, bandwidthLimit: number | undefined): Promise<void> => {
      await lab.use((core) =>
        core.call('execution.limit', { execution: id, ...(bandwidthLimit === undefined ? {} : { bandwidthLimit }) }),
      );
    };
    const done = await replicate(slow, async (engine) => {
      const id = engine.events[0]?.executionId ?? '';
      const follow = engine.onProgress;
      engine.onProgress = (progress) => {
        follow(progress);
        seen.push({ at: performance.now(), sent: progress.total.bytesSent });
      };
      await limit(id, 0);
      // What had been let through already arrives, and then nothing more.
      let paused = -1;
      for (let now = seen.at(-1)?.sent ?? 0; now !== paused; now = seen.at(-1)?.sent ?? 0) {
        paused = now;
        await delay(2_000);
      }
      expect(paused, 'a pause lets nothing through').toBeLessThan(diskBytes / 3 + 2 * inFlight);
      const from = performance.now();
      await limit(id, 64 * MiB);
      await engine.ended;
      const full = seen.find((one) => one.sent >= diskBytes);
      expect(full, 'all of it was sent').toBeDefined();
      const seconds = ((full?.at ?? 0) - from) / 1000;
      console.log(`${mechanism}: ${(diskBytes - paused) / MiB} MiB in ${seconds.toFixed(2)} s after the pause`);
      // With the former limit it would take ten seconds.
      expect(seconds).toBeLessThan(((diskBytes - paused) / slow) * 0.9);
    });
    expect(done.execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(name, disks)).toBeUndefined();
  });
});

interface Replicated {
  readonly execution: ExecutionDetail | undefined;
  readonly engine: EngineProcess;
  /** Bytes that were known to have been sent when the link was hurt. */
  readonly before: number;
  /** Bytes that the last attempt sent. */
  readonly after: number;
}
