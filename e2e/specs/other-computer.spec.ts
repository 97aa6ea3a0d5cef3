import { randomBytes } from 'node:crypto';
import { cp, mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Core } from '../../electron/engine/core/core.ts';
import { openProject } from '../../electron/engine/core/open-project.ts';
import { systemClock } from '../../electron/engine/time/clock.ts';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { labCore } from '../rigs/project/lab-options.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

/** One project on two computers, whose folders are copies of each other or share all but the engine's own data. */
const MiB = 1024 * 1024;
const anna = { id: 'a'.repeat(32), name: 'laptop-anna' };
const ben = { id: 'b'.repeat(32), name: 'laptop-ben' };

/** One computer waits for minutes for what the other one still holds: it need not ask hundreds of times a second meanwhile. */
const patience = { cloud: { pollFirstMs: 500, pollCapMs: 20_000 } };

let lab: ProjectLab;
let image: string;
const open: Core[] = [];
beforeAll(async () => {
  lab = await startProjectLab({ core: { computer: anna } });
  image = join(lab.images, 'web.raw');
});
afterEach(async () => {
  for (const core of open.splice(0)) await core.close();
});
afterAll(() => lab.close());

/** With the product's own pauses between attempts: one computer needs them to wait for what the other one still removes. */
async function on(computer: typeof anna, folder: string): Promise<Core> {
  const { client, role } = await openProject(
    { ...labCore({ ...lab.project, folder, patience }), computer, clock: systemClock },
    new AbortController().signal,
  );
  if (role !== 'engine') throw new Error('another process has the project');
  open.push(client);
  // A copy is another folder, which its user accepts once.
  await client.call('trust.accept', { token: (await client.call('trust.show', {})).token });
  return client;
}

async function execute(core: Core, replica: string, options: object = {}): Promise<ExecutionDetail> {
  const { id } = await core.call('replica.execute', { replica, options });
  await core.drain();
  return core.call('execution.show', { execution: id });
}

async function newReplica(name: string): Promise<void> {
  await writeFile(image, randomBytes(8 * MiB));
  await lab.createReplica(name, 'web', 'HTTPS');
}

async function copyOf(name: string, isShared: boolean): Promise<string> {
  const folder = join(dirname(lab.project.folder), name);
  await mkdir(folder);
  await cp(lab.project.folder, folder, { recursive: true, filter: (path) => !path.endsWith('.sock') });
  if (isShared)
    for (const file of ['causeway.db', 'causeway.db-wal', 'causeway.db-shm', 'transfer'])
      await rm(join(folder, '.causeway', file), { recursive: true, force: true });
  return folder;
}

const volumes = (): string[] => [...lab.cloud.world.volumes.keys()];

describe('a check of the ledger', () => {
  it('names what the cloud has of this project and the ledger has not, and removes it by its id', async () => {
    await newReplica('lost');
    const core = await on(anna, lab.project.folder);
    expect(await execute(core, 'lost')).toMatchObject({ state: 'completed' });
    const { disks } = await core.call('replica.show', { replica: 'lost' });
    const id = disks[0]?.volumeId ?? '';
    await core.close();
    open.length = 0;
    // As after a loss of the ledger's last entries.
    const db = new DatabaseSync(join(lab.project.folder, '.causeway', 'causeway.db'));
    db.prepare('DELETE FROM ledger WHERE resource_id = ?').run(id);
    db.close();
    const again = await on(anna, lab.project.folder);
    const { items: found, endpoints } = await again.call('ledger.check', { orphansOnly: true });
    expect(endpoints.map(({ side, outcome }) => `${side} ${outcome}`).toSorted()).toEqual([
      'destination checked',
      'source exists-only',
    ]);
    expect(found).toMatchObject([{ kind: 'volume', resourceId: id, orphan: 'not-in-ledger' }]);
    expect(await again.call('ledger.remove', { entries: [id], dryRun: false })).toMatchObject([{ outcome: 'removed' }]);
    expect(volumes()).not.toContain(id);
    expect((await again.call('ledger.check', { orphansOnly: true })).items).toEqual([]);
  });
});

describe('the same replica from two computers', () => {
  it('that share its description: the second one stops before it creates or writes anything, and names the first', async () => {
    await newReplica('shared');
    const first = await on(anna, lab.project.folder);
    expect(await execute(first, 'shared')).toMatchObject({ state: 'completed' });
    await first.close();
    open.length = 0;
    const before = volumes();
    const second = await on(ben, await copyOf('shared-ben', true));
    const refused = await execute(second, 'shared');
    expect(refused).toMatchObject({
      state: 'failed',
      leftBehind: 0,
      error: { code: 'store.replica-elsewhere', message: expect.stringContaining('laptop-anna') as unknown },
    });
    expect(volumes()).toEqual(before);
    const { items: listed } = await second.call('ledger.check', {});
    expect(listed).toMatchObject([{ kind: 'volume', madeBy: 'laptop-anna', resourceId: before[0] }]);
    const ids = listed.map(({ entryId }) => entryId);
    expect(await second.call('ledger.remove', { dryRun: false, check: true })).toEqual([]);
    expect(await second.call('ledger.remove', { entries: ids, dryRun: false })).toMatchObject([
      { outcome: 'failed', error: expect.stringContaining('laptop-anna') as unknown },
    ]);
    expect(volumes()).toEqual(before);
    expect(await second.call('ledger.remove', { entries: ids, dryRun: false, madeElsewhere: true })).toMatchObject([
      { outcome: 'removed' },
    ]);
    expect(lab.cloud.world.leftovers()).toEqual([]);
    expect((await second.call('ledger.check', {})).items).toEqual([]);
  });

  it("of which one has a copy of the other's data: it reads, executes only after a take-over, compares everything then, and the first one stops", async () => {
    await newReplica('copied');
    const first = await on(anna, lab.project.folder);
    expect(await execute(first, 'copied')).toMatchObject({ state: 'completed' });
    const folder = await copyOf('copied-ben', false);
    const second = await on(ben, folder);
    expect(await second.call('replica.list', {})).not.toEqual([]);
    expect(await second.call('project.owner', {})).toEqual({
      owner: 'laptop-anna',
      computer: 'laptop-ben',
      isElsewhere: true,
    });
    await expect(second.call('replica.execute', { replica: 'copied' })).rejects.toMatchObject({
      code: 'store.other-computer',
      message: expect.stringContaining('laptop-anna') as unknown,
    });
    await second.call('project.takeOver', {});
    await writeFile(image, randomBytes(8 * MiB));
    const disk = (await second.call('replica.show', { replica: 'copied' })).disks[0];
    expect(await execute(second, 'copied')).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference('copied', { [disk?.diskId ?? '']: image })).toBeUndefined();
    expect(await execute(first, 'copied')).toMatchObject({
      state: 'failed',
      leftBehind: 0,
      error: { code: 'store.replica-elsewhere', message: expect.stringContaining('laptop-ben') as unknown },
    });
    expect(volumes()).toHaveLength(1);
    await second.call('replica.delete', { replica: 'copied' });
    expect(lab.cloud.world.leftovers()).toEqual([]);
  });

  it.runIf(process.env['CAUSEWAY_EVERY_STEP'] === '1')(
    'taken over in the middle of an execution: one computer alone goes on writing, and the other one stops and says why',
    async () => {
      await newReplica('busy');
      const first = await on(anna, lab.project.folder);
      const copying = Promise.withResolvers<void>();
      first.subscribe('execution.progress', ({ total }) => void (total.bytesSent > 0 && copying.resolve()));
      const { id } = await first.call('replica.execute', { replica: 'busy', options: { bandwidthLimit: MiB } });
      await copying.promise;
      const second = await on(ben, await copyOf('busy-ben', false));
      await second.call('project.takeOver', {});
      let taken = await execute(second, 'busy');
      if (taken.error?.code === 'cloud.not-found') {
        // While the first one stops, it removes what the second one may just have found. People would execute again.
        expect(taken.leftBehind).toBe(0);
        await first.drain();
        taken = await execute(second, 'busy');
      }
      expect({ state: taken.state, error: taken.error, leftBehind: taken.leftBehind }).toEqual({
        state: 'completed',
        leftBehind: 0,
      });
      await first.drain();
      expect(await first.call('execution.show', { execution: id })).toMatchObject({
        state: 'failed',
        leftBehind: 0,
        error: { code: 'store.replica-elsewhere', message: expect.stringContaining('laptop-ben') as unknown },
      });
      const disk = (await second.call('replica.show', { replica: 'busy' })).disks[0];
      expect(await lab.difference('busy', { [disk?.diskId ?? '']: image })).toBeUndefined();
      await second.call('replica.delete', { replica: 'busy' });
      expect(lab.cloud.world.leftovers()).toEqual([]);
    },
  );
});
