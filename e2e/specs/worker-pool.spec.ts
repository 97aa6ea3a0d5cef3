// needs: native workers
// Disk copy workers that executions use in turn, on real workers: one start for several VMs, blocks of a common template sent once, a worker whose
// kept blocks are not what they are said to be, and an engine that is killed with a worker in its pool.
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { CoreClient } from '../../shared/contract/core-client.ts';
import { isTerminalExecution, type ExecutionDetail } from '../../shared/model/execution.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MiB = 1024 * 1024;
const names = ['one', 'two', 'three', 'four'];
let lab: ProjectLab;
const image = (name: string): string => join(lab.images, `${name}.raw`);

beforeAll(async () => {
  lab = await startProjectLab();
  // A template, and VMs that were cloned from it and have 2 MiB of their own each.
  writeFileSync(image('one'), Buffer.concat([randomBytes(24 * MiB), Buffer.alloc(8 * MiB)]));
  for (const name of names.slice(1)) copyFileSync(image('one'), image(name));
  for (const [index, name] of names.entries()) put(image(name), (4 + index) * MiB, randomBytes(2 * MiB));
  for (const [index, name] of names.entries())
    await lab.createReplica(name, `${name}.raw`, index < 3 ? 'HTTPS' : 'SSH');
});
afterAll(() => lab.close());

function put(file: string, offset: number, bytes: Buffer): void {
  const handle = openSync(file, 'r+');
  writeSync(handle, bytes, 0, bytes.length, offset);
  closeSync(handle);
}

async function execute(
  core: CoreClient,
  replica: string,
): Promise<ExecutionDetail & { readonly numbers: Record<string, number> }> {
  const { id } = await core.call('replica.execute', { replica, options: {} });
  // One that is resumed keeps its limit.
  await core.call('execution.limit', { execution: id }).catch(() => undefined);
  await expect
    .poll(async () => isTerminalExecution((await core.call('execution.show', { execution: id })).state), {
      timeout: 180_000,
      interval: 50,
    })
    .toBe(true);
  const events = await core.call('execution.events', { execution: id });
  const numbers = events.findLast(({ type }) => type === 'disk.done')?.details as Record<string, number>;
  return { ...(await core.call('execution.show', { execution: id })), numbers };
}

/** Files in which workers of this lab keep blocks. */
function keptFiles(): string[] {
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid))
    .flatMap((pid) => {
      try {
        if (!readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(lab.project.cloudFolder)) return [];
        const folder = `/proc/${pid}/root/var/tmp`;
        return readdirSync(folder)
          .filter((name) => name.startsWith('causeway-blocks-'))
          .map((name) => join(folder, name));
      } catch {
        return [];
      }
    });
}

const workersStarted = (): number =>
  lab.cloud.calls.filter(({ method, path }) => method === 'POST' && path.endsWith('/servers')).length;

async function same(name: string): Promise<void> {
  const { disks } = await lab.use((core) => core.call('replica.show', { replica: name }));
  expect(await lab.difference(name, { [disks[0]!.diskId]: image(name) }), name).toBeUndefined();
}

describe('a pool of workers', () => {
  it('starts one worker for VMs of one template, and does not send again what the first one had sent', async () => {
    await lab.use(async (core) => {
      await core.call('workers.setPool', { keep: 1 });
      const before = workersStarted();
      const first = await execute(core, 'one');
      const second = await execute(core, 'two');
      expect([first.state, first.leftBehind, second.state, second.leftBehind]).toEqual([
        'completed',
        0,
        'completed',
        0,
      ]);
      expect(workersStarted() - before).toBe(1);
      expect(first.numbers).toMatchObject({ bytesRecalled: 0 });
      console.log(
        `second VM of the template: ${second.numbers['bytesSent']} of ${second.numbers['bytesChanged']} bytes sent, ${second.numbers['bytesRecalled']} recalled`,
      );
      expect(second.numbers['bytesSent']! / second.numbers['bytesChanged']!).toBeLessThan(0.4);
      // Its own 2 MiB, and the one of the template in the place of which the first VM had its own.
      expect(second.numbers['bytesRecalled']! + 3 * MiB).toBe(24 * MiB);
      expect((await core.call('workers.pool', {})).workers).toMatchObject([{ uses: 2 }]);

      // One block of those that are kept is another one now, and the index promises contents that are not there.
      const files = keptFiles();
      const data = files.find((file) => !file.endsWith('.index'))!;
      const index = openSync(`${data}.index`, 'r+');
      const digests = Buffer.alloc(fstatSync(index).size);
      readSync(index, digests, 0, digests.length, 0);
      expect(digests.length).toBeGreaterThan(32 * 300);
      for (let at = 0; at + 64 <= digests.length; at += 96) writeSync(index, digests, at, 32, at + 32);
      closeSync(index);
      for (let slot = 0; slot < 100; slot++) put(data, slot * 65536 + slot, Buffer.from([0x5a]));
      const third = await execute(core, 'three');
      expect(third).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect(third.numbers['bytesRecalled']! / MiB).toBeLessThan(16);
      expect(third.numbers['bytesRecalled']!).toBeGreaterThan(0);
      expect(third.numbers['bytesSent']! + third.numbers['bytesRecalled']!).toBe(24 * MiB);
    });
    for (const name of ['one', 'two', 'three']) await same(name);
    // The engine that had the pool has ended.
    expect(
      (await lab.use((core) => core.call('ledger.list', {}))).filter(({ lifetime }) => lifetime === 'temporary'),
    ).toEqual([]);
    expect(lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume '))).toEqual([]);
  });

  it('is cleaned up after an engine that was killed in the middle of a disk', async () => {
    const engine = lab.start('four', { bandwidthLimit: 512 * 1024 });
    await new Promise<void>(
      (resolve) =>
        (engine.onProgress = ({ disks }) => (disks.some(({ bytesDone }) => bytesDone > 0) ? resolve() : undefined)),
    );
    await engine.kill();
    const left = await lab.use((core) => core.call('ledger.list', { orphansOnly: true }));
    expect(left.some(({ kind, executionId }) => kind === 'server' && executionId?.startsWith('pool-') === true)).toBe(
      true,
    );
    await lab.use(async (core) => {
      expect(await execute(core, 'four')).toMatchObject({ state: 'completed', leftBehind: 0 });
      expect((await core.call('workers.pool', {})).workers).toHaveLength(1);
      expect(await core.call('ledger.list', { orphansOnly: true })).toEqual([]);
    });
    await same('four');
    expect(
      (await lab.use((core) => core.call('ledger.list', {}))).filter(({ lifetime }) => lifetime === 'temporary'),
    ).toEqual([]);
    expect(lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume '))).toEqual([]);
  });
});
