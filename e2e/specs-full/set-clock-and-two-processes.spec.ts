import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Peaks } from '../rigs/european-cloud/fault-cases.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { toldEngines } from '../rigs/project/told-engines.ts';

const MiB = 1024 * 1024;
const hour = 3_600_000;
const peaks = new Peaks();

let lab: ProjectLab;
let image: string;
let disks: Record<string, string>;
/** The most that there is of each kind at once in an execution in which nothing goes wrong. */
let enough: Readonly<Record<string, number>>;
beforeAll(async () => {
  lab = await startProjectLab({ onCall: () => peaks.look(lab.cloud.world) });
  image = join(lab.images, 'web.raw');
  await writeFile(image, randomBytes(16 * MiB));
  const vm = await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm: 'web' }));
  disks = { [vm.disks[0]?.id ?? '']: image };
  await lab.createReplica('plain', 'web', 'HTTPS');
  peaks.take();
  await lab.execute('plain');
  enough = peaks.take();
  await lab.use((core) => core.call('replica.delete', { replica: 'plain' }));
});
afterAll(() => lab?.close());
const told = toldEngines();

async function expectSound(replica: string): Promise<void> {
  expect(await lab.difference(replica, disks)).toBeUndefined();
  const items = await lab.use((core) => core.call('ledger.list', {}));
  expect(items.filter(({ lifetime, kind }) => lifetime === 'temporary' && kind !== 'source-snapshot')).toEqual([]);
  await lab.use((core) => core.call('replica.delete', { replica }));
  expect(lab.cloud.world.leftovers()).toEqual([]);
}

describe.each([
  ['forward', hour],
  ['back', -hour],
] as const)('a clock that is set an hour %s', (way, ms) => {
  it.each(['ensure-volumes', 'start-worker', 'replicate-disks', 'stop-worker'])(
    'during %s: the execution ends well, and nothing is made twice',
    async (task) => {
      const replica = `clock-${way}-${task}`;
      await lab.createReplica(replica, 'web', 'HTTPS');
      peaks.take();
      expect(await told(lab.start(replica, {}, undefined, { task, ms })).ended).toMatchObject({
        state: 'completed',
        leftBehind: 0,
      });
      expect(peaks.beyond(enough)).toEqual([]);
      await writeFile(image, randomBytes(16 * MiB));
      expect(await lab.execute(replica)).toMatchObject({ state: 'completed', leftBehind: 0 });
      await expectSound(replica);
    },
  );

  it('in the middle of a copy whose engine is then killed: the next engine, with the right time, goes on', async () => {
    const replica = `killed-${way}`;
    await lab.createReplica(replica, 'web', 'SSH');
    const engine = told(lab.start(replica, { bandwidthLimit: 8 * MiB }, undefined, { task: 'start-worker', ms }));
    const half = Promise.withResolvers<void>();
    engine.onProgress = ({ total }) => void (total.bytesSent > 4 * MiB && half.resolve());
    await Promise.race([half.promise, engine.ended]);
    await engine.kill();
    expect(await told(lab.start(replica)).ended).toMatchObject({ state: 'completed', leftBehind: 0 });
    await expectSound(replica);
  });
});

describe('two processes on one project', () => {
  it('that execute the same replica at the same time: one does the work, the other one is told so, nothing is made twice', async () => {
    await lab.createReplica('two', 'web', 'HTTPS');
    peaks.take();
    const first = told(lab.start('two', { bandwidthLimit: 8 * MiB }));
    const copying = Promise.withResolvers<void>();
    first.onProgress = ({ total }) => void (total.bytesSent > 0 && copying.resolve());
    await Promise.race([copying.promise, first.ended]);
    await expect(lab.use((core) => core.call('replica.execute', { replica: 'two' }))).rejects.toMatchObject({
      code: 'engine.execution-active',
    });
    await expect(lab.use((core) => core.call('replica.delete', { replica: 'two' }))).rejects.toMatchObject({
      code: 'engine.execution-active',
    });
    expect(await first.ended).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(peaks.beyond(enough)).toEqual([]);
    await expectSound('two');
  });

  it('that open it at the same moment: one of them is the engine, and both get their answers', async () => {
    const answers = await Promise.all(
      Array.from({ length: 4 }, () => lab.use((core) => core.call('endpoint.list', {}))),
    );
    expect(answers.map((endpoints) => endpoints.length)).toEqual([2, 2, 2, 2]);
  });

  it('of which the engine is killed while the other one follows it: that one says so, and the work can go on', async () => {
    await lab.createReplica('follow', 'web', 'HTTPS');
    const first = told(lab.start('follow', { bandwidthLimit: 4 * MiB }));
    const copying = Promise.withResolvers<void>();
    first.onProgress = ({ total }) => void (total.bytesSent > 0 && copying.resolve());
    await Promise.race([copying.promise, first.ended]);
    await lab.use(async (core) => {
      await core.call('replica.list', {});
      await first.kill();
      await expect(core.call('replica.list', {})).rejects.toMatchObject({ code: 'engine.connection-lost' });
    });
    await expect(lab.use((core) => core.call('replica.delete', { replica: 'follow' }))).rejects.toMatchObject({
      code: 'engine.execution-interrupted',
    });
    expect(await told(lab.start('follow')).ended).toMatchObject({ state: 'completed', leftBehind: 0 });
    await expectSound('follow');
  });
});
