import { randomBytes } from 'node:crypto';
import { mkdir, open, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';

const MiB = 1024 * 1024;
/** What differs between the two is in the conformance suite of transports; whole executions over SSH are part of the specs of deployments. */
const mechanisms: readonly ('HTTPS' | 'SSH')[] =
  process.env['CAUSEWAY_EVERY_STEP'] === '1' ? ['HTTPS', 'SSH'] : ['HTTPS'];
let lab: ProjectLab;
beforeAll(async () => {
  lab = await startProjectLab();
});
afterAll(() => lab.close());

async function put(file: string, offset: number, bytes: Buffer): Promise<void> {
  const handle = await open(file, 'r+');
  await handle.write(bytes, 0, bytes.length, offset);
  await handle.close();
}

async function image(file: string, sizeBytes: number): Promise<void> {
  await (await open(file, 'w')).close();
  await truncate(file, sizeBytes);
}

/** What crossed the link, by the events of an execution. */
async function sent(execution: ExecutionDetail): Promise<Record<string, number>> {
  const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
  return Object.fromEntries(
    events
      .filter((event) => event.type === 'disk.done')
      .map(({ details }) => [details['diskId'], details['bytesSent']]),
  );
}

async function expectTidy(volumes: number): Promise<void> {
  const items = await lab.use((core) => core.call('ledger.list', {}));
  expect(items.filter((item) => item.lifetime === 'temporary')).toEqual([]);
  expect(lab.cloud.world.leftovers().filter((name) => !name.startsWith('volume '))).toEqual([]);
  expect(lab.cloud.world.volumes.size).toBe(volumes);
}

describe.each(mechanisms)('a VM of two disks over %s', (mechanism) => {
  const name = `web-${mechanism.toLowerCase()}`;
  let disks: Record<string, string>;
  let former: number;

  beforeAll(async () => {
    former = lab.cloud.world.volumes.size;
    const folder = join(lab.images, name);
    await mkdir(folder);
    disks = { 'a.raw': join(folder, 'a.raw'), 'b.raw': join(folder, 'b.raw') };
    await image(join(folder, 'a.raw'), 200 * MiB);
    await put(join(folder, 'a.raw'), 3 * MiB, randomBytes(20 * MiB));
    await image(join(folder, 'b.raw'), 1300 * MiB);
    await put(join(folder, 'b.raw'), 1290 * MiB, randomBytes(5 * MiB));
    const vms = await lab.use((core) => core.call('vm.list', { endpoint: 'images' }));
    await lab.createReplica(name, vms.find((vm) => vm.name === name)?.id ?? name, mechanism);
    const { disks: described } = await lab.use((core) => core.call('vm.show', { endpoint: 'images', vm: name }));
    disks = Object.fromEntries(
      described.map((disk) => [disk.id, disk.id.includes('a.raw') ? join(folder, 'a.raw') : join(folder, 'b.raw')]),
    );
  });

  it('is replicated in full, byte for byte, and leaves nothing but its volumes', async () => {
    const execution = await lab.execute(name);
    expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
    expect(await lab.difference(name, disks)).toBeUndefined();
    await expectTidy(former + 2);
  });

  it('sends only what changed, on the second disk too when the first did not change', async () => {
    const [first = '', second = ''] = Object.keys(disks);
    await put(disks[second] ?? '', 7 * MiB, randomBytes(3 * 65536));
    const execution = await lab.execute(name);
    expect(execution).toMatchObject({ state: 'completed' });
    expect(await lab.difference(name, disks)).toBeUndefined();
    expect(await sent(execution)).toEqual({ [first]: 0, [second]: expect.closeTo(3 * 65536, -4) });
  });

  it('makes zero what became zero', async () => {
    const file = Object.values(disks)[0] ?? '';
    await put(file, 4 * MiB, Buffer.alloc(2 * MiB));
    expect(await lab.execute(name)).toMatchObject({ state: 'completed' });
    expect(await lab.difference(name, disks)).toBeUndefined();
  });

  it('grows a volume with its disk', async () => {
    const file = Object.values(disks)[0] ?? '';
    await truncate(file, 1200 * MiB);
    await put(file, 1199 * MiB, randomBytes(MiB));
    expect(await lab.execute(name)).toMatchObject({ state: 'completed' });
    expect(await lab.difference(name, disks)).toBeUndefined();
  });

  it('refuses a disk that shrank, and loses nothing', async () => {
    const file = Object.values(disks)[1] ?? '';
    await truncate(file, 100 * MiB);
    expect(await lab.execute(name)).toMatchObject({ state: 'failed', error: { code: 'replication.disk-shrank' } });
    await truncate(file, 1300 * MiB);
    expect(await lab.execute(name)).toMatchObject({ state: 'completed' });
    expect(await lab.difference(name, disks)).toBeUndefined();
    await expectTidy(former + 2);
  });
});
