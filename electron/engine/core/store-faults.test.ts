import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { StatementSync } from 'node:sqlite';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createHastyClock } from '../time/testing/hasty-clock.ts';
import { createCore, type Core } from './core.ts';
import { MemoryLab } from './testing/memory-lab.ts';

/** Every write of the store fails as on a full disk, at one call or from it on: what was started is stopped, and resumed later. */
const MiB = 1024 * 1024;
const run = StatementSync.prototype.run;
let folder: string;
let lab: MemoryLab;
let core: Core;
let writes = 0;
let failsAt = (_nth: number): boolean => false;
const rejections: unknown[] = [];
const onRejection = (reason: unknown): void => void rejections.push(reason);

beforeEach(async () => {
  process.on('unhandledRejection', onRejection);
  StatementSync.prototype.run = function (this: StatementSync, ...given: Parameters<typeof run>) {
    writes += 1;
    if (failsAt(writes))
      throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
    return run.apply(this, given);
  } as typeof run;
  folder = mkdtempSync(join(tmpdir(), 'causeway-store-faults-'));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.concat([randomBytes(MiB), Buffer.alloc(MiB)]));
  core = open();
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', {
    name: 'to',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  await core.call('replica.create', {
    name: 'web',
    source: 'from',
    destination: 'to',
    vm: 'web',
    destinationEnvironment: {
      network_map: { default: 'net' },
      availability_zone: 'eu01-1',
      migr_network: 'net',
      migr_machine_type: 'g1.1',
      machine_type: 'g1.1',
      migr_image_map: { linux: 'debian' },
    },
  });
});
afterEach(async () => {
  failsAt = () => false;
  StatementSync.prototype.run = run;
  await core.close();
  process.off('unhandledRejection', onRejection);
  rmSync(folder, { recursive: true, force: true });
});

function open(): Core {
  return createCore({
    projectFolder: folder,
    vault: lab.vault(),
    platforms: lab.platforms,
    connectWorker: lab.connectWorker,
    slowWorkerMs: 20,
    clock: createHastyClock(),
  });
}

const workers = (): number => [...lab.things.values()].filter(({ bytes }) => bytes === undefined).length;

async function execute(): Promise<string | undefined> {
  const started = await core.call('replica.execute', { replica: 'web' }).catch((error: unknown) => {
    expect(error).toMatchObject({ code: 'store.disk-full' });
  });
  await core.drain();
  return started?.id;
}

describe.each(['once', 'from then on'] as const)('a store whose writes fail %s', (how) => {
  test(
    'at any write of an execution: clean-ups run, it is interrupted and says why, and it ends well when it is resumed',
    { timeout: 1_200_000 },
    async () => {
      writes = 0;
      await execute();
      const all = writes;
      const step =
        process.env['CAUSEWAY_EVERY_FAULT'] === '1'
          ? 1
          : (how === 'once' ? 4 : 7) * (process.env['CAUSEWAY_EVERY_STEP'] === '1' ? 1 : 3);
      expect(all).toBeGreaterThan(30);
      for (let nth = 1; nth <= all + 2; nth += step) {
        lab.disks.get('disk-0')?.set(randomBytes(1000), 70_000);
        writes = 0;
        failsAt = how === 'once' ? (each) => each === nth : (each) => each >= nth;
        const id = await execute();
        const shown = id === undefined ? undefined : await core.call('execution.show', { execution: id });
        expect([workers(), rejections], `write ${nth}: ${JSON.stringify(shown?.error)}`).toEqual([0, []]);
        if (shown !== undefined)
          expect(['completed', 'interrupted'], `write ${nth}: ${JSON.stringify(shown.error)}`).toContain(shown.state);
        if (shown?.state === 'interrupted') expect(shown.error).toMatchObject({ code: 'store.disk-full' });
        if (nth % 2 === 0) {
          await core.close();
          failsAt = () => false;
          core = open();
          if (shown?.state === 'interrupted' && how === 'from then on') {
            const events = await core.call('execution.events', { limit: 10_000 });
            expect(events.at(-1)?.message, `write ${nth}`).toMatch(
              /not recorded .*disk that contains the project is full|the engine stopped/,
            );
          }
        }
        failsAt = () => false;
        const again = await execute();
        const ended = again === undefined ? undefined : await core.call('execution.show', { execution: again });
        expect(ended, `after write ${nth}: ${JSON.stringify(ended?.error)}`).toMatchObject({
          state: 'completed',
          leftBehind: 0,
        });
        expect(lab.volumeOf('disk-0')?.equals(lab.disks.get('disk-0') ?? Buffer.alloc(0)), `after write ${nth}`).toBe(
          true,
        );
        const items = await core.call('ledger.list', {});
        expect(
          [workers(), items.filter(({ lifetime, kind }) => lifetime === 'temporary' && kind !== 'source-snapshot')],
          `after write ${nth}`,
        ).toEqual([0, []]);
      }
    },
  );
});
