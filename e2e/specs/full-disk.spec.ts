// needs: native workers, mount, util-linux
import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Core } from '../../electron/engine/core/core.ts';
import { openProject } from '../../electron/engine/core/open-project.ts';
import { closeAll } from '../rigs/closing.ts';
import { labCore } from '../rigs/project/lab-options.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

/** A project on a file system of its own, which is filled in the middle of an execution. */
const MiB = 1024 * 1024;

let lab: ProjectLab;
let mount: string;
let folder: string;
let image: string;
const open: Core[] = [];

beforeAll(async () => {
  lab = await startProjectLab({ patience: { checkpointMs: 200 } });
  image = join(lab.images, 'web.raw');
  mount = mkdtempSync(join(tmpdir(), 'causeway-full-disk-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=8m', 'tmpfs', mount]);
});
afterEach(() =>
  closeAll(() => rmSync(join(mount, 'ballast'), { force: true }), ...open.splice(0).map((each) => () => each.close())),
);
afterAll(() =>
  closeAll(
    () => execFileSync('umount', [mount]),
    () => rmSync(mount, { recursive: true, force: true }),
    () => lab.close(),
  ),
);

async function engine(): Promise<Core> {
  const { client, role } = await openProject(labCore({ ...lab.project, folder }), new AbortController().signal);
  if (role !== 'engine') throw new Error('another process has the project');
  open.push(client);
  return client;
}

async function projectWith(name: string): Promise<void> {
  writeFileSync(image, randomBytes(16 * MiB));
  await lab.createReplica(name, 'web', 'HTTPS');
  folder = join(mount, name);
  await mkdir(folder);
  await cp(lab.project.folder, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') });
}

/** Takes all space that is left. */
function fill(): void {
  const file = openSync(join(mount, 'ballast'), 'a');
  try {
    for (const size of [65_536, 4096])
      for (let written = size; written === size;) written = writeSync(file, Buffer.alloc(size, 1));
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error;
  } finally {
    closeSync(file);
  }
  if (statfsSync(mount).bavail > 0) fillRest();
}

function fillRest(): void {
  const file = openSync(join(mount, 'ballast'), 'a');
  try {
    for (;;) writeSync(file, Buffer.alloc(4096, 1));
  } catch {
    // Full.
  } finally {
    closeSync(file);
  }
}

function free(): void {
  truncateSync(join(mount, 'ballast'), 0);
}

describe('a project whose file system fills up', () => {
  it.each(process.env['CAUSEWAY_EVERY_STEP'] === '1' ? [0, 0.3, 0.7] : [0.3])(
    'in the middle of an execution (%d of its content sent): it cleans up, says why, can be read, and goes on when there is space',
    async (part) => {
      const name = `full-${String(part).replace('.', '-')}`;
      await projectWith(name);
      const first = await engine();
      // A copy of a project asks once before it reaches anything.
      await first.call('trust.accept', { token: (await first.call('trust.show', {})).token });
      const reached = Promise.withResolvers<void>();
      first.subscribe(
        'execution.progress',
        ({ total }) => void (total.bytesSent >= part * 16 * MiB && reached.resolve()),
      );
      const { id } = await first.call('replica.execute', { replica: name, options: { bandwidthLimit: 6 * MiB } });
      await Promise.race([reached.promise, first.drain()]);
      fill();
      await first.drain();
      const shown = await first.call('execution.show', { execution: id });
      expect(shown).toMatchObject({ state: 'interrupted', error: { code: 'store.disk-full' } });
      expect(lab.cloud.world.leftovers().filter((line) => !line.startsWith('volume '))).toEqual([]);
      await expect(
        first.call('endpoint.add', { name: 'more', plugin: 'disk-images', connection: { path: lab.images } }),
      ).rejects.toMatchObject({ code: 'store.disk-full' });
      await first.close();
      open.length = 0;

      const second = await engine();
      expect((await second.call('replica.list', {})).map((replica) => replica.name)).toContain(name);
      expect(await second.call('execution.show', { execution: id })).toMatchObject({ state: 'interrupted' });
      await expect(
        second.call('replica.execute', { replica: name }).then(async (again) => {
          await second.drain();
          return (await second.call('execution.show', { execution: again.id })).state;
        }),
      ).resolves.toBe('interrupted');
      free();
      const { id: resumed } = await second.call('replica.execute', { replica: name });
      await second.drain();
      expect(resumed).toBe(id);
      expect(await second.call('execution.show', { execution: id })).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
      const { disks } = await second.call('replica.show', { replica: name });
      const volume = lab.cloud.volumePath(disks[0]?.volumeId ?? '');
      execFileSync('cmp', ['-n', String(16 * MiB), image, volume]);
      expect(
        (await second.call('ledger.list', {})).filter(
          ({ lifetime, kind }) => lifetime === 'temporary' && kind !== 'source-snapshot',
        ),
      ).toEqual([]);
      await second.call('replica.delete', { replica: name });
      expect(lab.cloud.world.leftovers()).toEqual([]);
    },
  );
});
