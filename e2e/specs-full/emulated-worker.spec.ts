// needs: emulated machines
// lease: emulated guests
import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { processesNaming } from '../rigs/processes-naming.ts';
import { startProjectLab, type EngineProcess, type ProjectLab } from '../rigs/project/lab-project.ts';
import { toldEngines } from '../rigs/project/told-engines.ts';

/** Whole executions through disk copy workers that are virtual machines: a kernel, virtio disks plugged while it runs. */
const MiB = 1024 * 1024;
const diskBytes = 96 * MiB;
/** Slow enough that a blow falls in the middle of a copy. */
const options = { bandwidthLimit: 6 * MiB };
/** What may be under way, unacknowledged, when a worker or an engine is gone. */
const inFlight = 16 * MiB;

let lab: ProjectLab;
beforeAll(async () => {
  lab = await startProjectLab({ workers: 'qemu', patience: { workerMs: 5_000, linkMs: 4_000 } });
});
afterAll(() => lab?.close());

const told = toldEngines();

// What differs between the two is tried with native workers, in a tenth of the time; `npm run test:guests` takes both here as well.
const mechanisms: readonly ('HTTPS' | 'SSH')[] =
  process.env['CAUSEWAY_EVERY_GUEST'] === '1' ? ['HTTPS', 'SSH'] : ['HTTPS'];

describe.each(mechanisms)('an emulated worker over %s', (mechanism) => {
  const name = `emulated-${mechanism.toLowerCase()}`;
  let file: string;
  let disks: Record<string, string>;

  /** New content in some MiB of the disk. */
  async function write(from: number, mib: number): Promise<number> {
    const handle = await open(file, 'r+');
    await handle.write(randomBytes(mib * MiB), 0, mib * MiB, from);
    await handle.close();
    return mib * MiB;
  }

  beforeAll(async () => {
    file = join(lab.images, `${name}.raw`);
    const handle = await open(file, 'w');
    await handle.truncate(diskBytes);
    await handle.close();
    await lab.createReplica(name, name, mechanism);
    const described = await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm: name }));
    disks = { [described.disks[0]?.id ?? '']: file };
  });

  /** Starts an execution, and calls `hurt` when about a third of `bytes` was sent. */
  async function hurtInTheMiddle(
    bytes: number,
    hurt: (engine: EngineProcess) => Promise<void>,
  ): Promise<{ engine: EngineProcess; before: number }> {
    const engine = told(lab.start(name, options));
    const third = Promise.withResolvers<void>();
    let before = 0;
    engine.onProgress = ({ total }) => {
      if (total.phase !== 'copying') return;
      before = total.bytesSent;
      if (before >= bytes / 3) third.resolve();
    };
    await Promise.race([third.promise, engine.ended]);
    const sent = before;
    await hurt(engine);
    return { engine, before: sent };
  }

  async function expectSound(execution: ExecutionDetail | undefined): Promise<void> {
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(name, disks)).toBeUndefined();
    const items = await lab.use((core) => core.call('ledger.list', {}));
    expect(items.filter((item) => item.lifetime === 'temporary')).toEqual([]);
    expect(lab.cloud.world.leftovers().filter((left) => !left.startsWith('volume '))).toEqual([]);
    expect(await processesNaming(`${lab.project.cloudFolder}/machines`)).toEqual([]);
    expect(await processesNaming(lab.images)).toEqual([]);
    expect(lab.cloud.violations).toEqual([]);
  }

  function sentBy(engine: EngineProcess): number {
    return Number(engine.events.findLast((event) => event.type === 'disk.done')?.details['bytesSent']);
  }

  it('copies a disk whole, and goes on where it was when the engine is killed in the middle', async () => {
    const bytes = await write(5 * MiB, 30);
    const startedAt = performance.now();
    const { engine, before } = await hurtInTheMiddle(bytes, (victim) => victim.kill());
    expect(await engine.ended).toBeUndefined();
    expect(before).toBeLessThan(bytes);
    const second = told(lab.start(name, options));
    await expectSound(await second.ended);
    const after = sentBy(second);
    console.log(
      `${mechanism}: ${before / MiB} MiB before the engine was killed, ${after / MiB} MiB after, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    );
    expect(before + after).toBeLessThanOrEqual(bytes + inFlight);
  });

  it('sends what changed, and goes on with a new worker when the virtual machine is killed in the middle', async () => {
    const bytes = await write(50 * MiB, 24);
    const startedAt = performance.now();
    const { engine, before } = await hurtInTheMiddle(bytes, async () => {
      for (const server of lab.cloud.world.servers.keys()) await lab.machines.crash(server);
    });
    expect(before).toBeLessThan(bytes);
    await expectSound(await engine.ended);
    const after = sentBy(engine);
    console.log(
      `${mechanism}: ${before / MiB} MiB before the worker was killed, ${after / MiB} MiB after, ${((performance.now() - startedAt) / 1000).toFixed(0)} s`,
    );
    expect(engine.events.map((event) => event.message)).toContain('the worker stopped responding; starting a new one');
  });
});
