// lease: emulated guests
import { copyFile, mkdtemp, open, readFile, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { closeAll } from '../rigs/closing.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { startSourceVm, type SourceVm } from '../rigs/source-vm.ts';

const KiB = 1024;
const MiB = 1024 * KiB;
/** What QEMU's dirty bitmaps track. */
const granularity = 64 * KiB;
const dataDiskBytes = 64 * MiB;
/** The second disk's random data that the guest writes at the end, in blocks of the granularity. */
const late = { at: 160, blocks: 48 };

let folder: string;
let lab: ProjectLab;
let vm: SourceVm;
/** Ids of both disks as the product knows them, and the files behind them. */
let disks: Record<string, string>;
let ids: readonly [string, string];
/** The second disk's device in the guest, which numbers its disks in the order in which it happened to find them. */
let secondDevice: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-guest-'));
  const dataDisk = join(folder, 'data.raw');
  await (await open(dataDisk, 'w')).close();
  await truncate(dataDisk, dataDiskBytes);
  lab = await startProjectLab();
  vm = await startSourceVm({ folder, dataDisks: [{ path: dataDisk, format: 'raw' }] });
  await lab.use((core) =>
    core.call('endpoint.add', {
      name: 'hypervisor',
      plugin: 'qemu-hypervisor',
      connection: { qmp_socket: vm.qmpSocket, os_type: 'linux' },
    }),
  );
  const described = await lab.use((core) => core.call('vm.show', { endpoint: 'hypervisor', vm: vm.name }));
  ids = [described.disks[0]?.id ?? '', described.disks[1]?.id ?? ''];
  disks = { [ids[0]]: vm.disks[0]?.path ?? '', [ids[1]]: dataDisk };
  await vm.ssh.waitUntilUp();
  secondDevice = (await vm.ssh.text(`lsblk -bdnpo NAME,SIZE | awk '$2 == ${dataDiskBytes} { print $1 }'`)).trim();
  expect(secondDevice).toMatch(/^\/dev\/sd[a-z]$/);
  await vm.ssh.text(`dd if=/dev/urandom of=${secondDevice} bs=1M count=8 seek=2 oflag=direct status=none`);
});

afterAll(() =>
  closeAll(
    () => vm?.close(),
    () => lab?.close(),
    () => rm(folder, { recursive: true, force: true }),
  ),
);

async function createReplica(name: string, mechanism: 'HTTPS' | 'SSH'): Promise<void> {
  const destinationEnvironment = {
    network_map: { net0: 'production' },
    availability_zone: 'eu01-1',
    machine_type: 'g1.1',
    migr_network: 'migration',
    migr_machine_type: 'g1.1',
    migr_image_map: { linux: 'Debian 12' },
    data_transfer_mechanism: mechanism,
  };
  await lab.use((core) =>
    core.call('replica.create', {
      name,
      source: 'hypervisor',
      destination: 'cloud',
      vm: vm.name,
      destinationEnvironment,
    }),
  );
}

async function volumeOf(replica: string, diskId: string): Promise<string> {
  const { disks: known } = await lab.use((core) => core.call('replica.show', { replica }));
  return lab.cloud.volumePath(known.find((disk) => disk.diskId === diskId)?.volumeId ?? '');
}

/** Bytes that crossed the link, by disk. */
async function sent(execution: ExecutionDetail): Promise<Record<string, number>> {
  const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
  return Object.fromEntries(
    events
      .filter((event) => event.type === 'disk.done')
      .map(({ details }) => [String(details['diskId']), Number(details['bytesSent'])]),
  );
}

interface Change {
  /** Bytes of blocks that differ and hold data now. */
  readonly toData: number;
  /** Offsets of blocks that held data and are zeros now. */
  readonly toZero: readonly number[];
}

/** The truth about what changed, found without the product: block by block, the former copy against the disk. */
async function changeBetween(former: string, now: string): Promise<Change> {
  const [a, b] = await Promise.all([open(former), open(now)]);
  const [left, right] = [Buffer.alloc(granularity), Buffer.alloc(granularity)];
  const zeros = Buffer.alloc(granularity);
  const toZero: number[] = [];
  let toData = 0;
  for (let offset = 0; ; offset += granularity) {
    const { bytesRead } = await b.read(right, 0, granularity, offset);
    if (bytesRead === 0) break;
    await a.read(left, 0, bytesRead, offset);
    if (left.equals(right)) continue;
    if (right.equals(zeros)) toZero.push(offset);
    else toData += granularity;
  }
  await a.close();
  await b.close();
  return { toData, toZero };
}

async function block(file: string, offset: number): Promise<Buffer> {
  const handle = await open(file);
  const { buffer } = await handle.read(Buffer.alloc(granularity), 0, granularity, offset);
  await handle.close();
  return buffer;
}

/** Waits for a word that the guest writes to its serial console. */
async function word(expected: string): Promise<void> {
  const until = performance.now() + 120_000;
  while (!(await readFile(vm.serialLog, 'utf8')).includes(expected)) {
    if (performance.now() > until) throw new Error(`the guest never said ${expected}`);
    await delay(100);
  }
}

async function expectTidy(): Promise<void> {
  const items = await lab.use((core) => core.call('ledger.list', {}));
  expect(items.filter((item) => item.lifetime === 'temporary')).toEqual([]);
  expect(lab.cloud.world.leftovers().filter((name) => !name.startsWith('volume '))).toEqual([]);
  expect(lab.cloud.violations).toEqual([]);
}

it('replicates both disks in full while the guest runs and writes', async () => {
  await createReplica('guest', 'HTTPS');
  await vm.ssh.text(
    '(for i in $(seq 40); do dd if=/dev/urandom of=/srv/data/busy bs=64k count=16 conv=fsync status=none; sleep 0.5; done) >/dev/null 2>&1 &',
  );
  const execution = await lab.execute('guest', { verify: 'all' });
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(((await vm.monitor.execute('query-status')) as { status: string }).status).toBe('running');
  // The second disk stood still meanwhile, so it can be compared even now.
  expect(await lab.difference('guest', { [ids[1]]: disks[ids[1]] ?? '' })).toBeUndefined();
  await expectTidy();
});

it('sends changed extents only, makes zero what the guest freed, and leaves the second disk alone when it did not change', async () => {
  const former = join(folder, 'former.raw');
  await copyFile(await volumeOf('guest', ids[0]), former);
  await vm.ssh.text(
    'pkill dd; dd if=/dev/urandom of=/srv/data/report.bin bs=1M count=16 conv=fsync status=none; rm /srv/data/f2 /srv/data/f3; sync; fstrim /; sync',
  );
  // Everything that writes to the first disk stands still from here on; the second one changes later.
  await vm.ssh.text(`setsid sh -c '
    sync; sleep 2; fsfreeze -f /; echo causeway-still > /dev/ttyS0; sleep 10
    dd if=/dev/urandom of=${secondDevice} bs=64k count=${late.blocks - 16} seek=${late.at} oflag=direct
    dd if=/dev/zero of=${secondDevice} bs=1M count=2 seek=3 oflag=direct
    dd if=/dev/urandom of=${secondDevice} bs=64k count=16 seek=${late.at + late.blocks - 16} oflag=direct
    echo causeway-second > /dev/ttyS0; sleep 1000' < /dev/null > /dev/null 2>&1 &`);
  await word('causeway-still');
  await vm.monitor.execute('stop');

  const change = await changeBetween(former, disks[ids[0]] ?? '');
  expect(change.toData).toBeGreaterThanOrEqual(16 * MiB);
  expect(change.toZero.length, 'the guest freed files, and trimmed').toBeGreaterThan(0);
  const execution = await lab.execute('guest');
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  const crossed = await sent(execution);
  console.log(
    `changed ${change.toData / KiB} KiB of data, ${change.toZero.length * 64} KiB to zeros; sent ${JSON.stringify(crossed)}`,
  );
  expect(crossed[ids[0]]).toBeLessThanOrEqual(1.1 * change.toData);
  expect(crossed[ids[1]]).toBe(0);
  expect(await lab.difference('guest', disks)).toBeUndefined();
  const volume = await volumeOf('guest', ids[0]);
  for (const offset of [change.toZero[0], change.toZero.at(-1)]) {
    expect((await block(volume, offset ?? 0)).equals(Buffer.alloc(granularity)), `zeros at ${offset}`).toBe(true);
  }
  await expectTidy();
});

it('brings the second disk’s changes when the first did not change', async () => {
  const former = [join(folder, 'former.raw'), join(folder, 'former-data.raw')] as const;
  for (const [index, id] of ids.entries()) await copyFile(await volumeOf('guest', id), former[index] ?? '');
  await vm.monitor.execute('cont');
  await word('causeway-second');
  await vm.monitor.execute('stop');
  expect(await changeBetween(former[0], disks[ids[0]] ?? '')).toEqual({ toData: 0, toZero: [] });
  const change = await changeBetween(former[1], disks[ids[1]] ?? '');
  expect(change).toMatchObject({ toData: late.blocks * granularity });
  expect(change.toZero).toHaveLength((2 * MiB) / granularity);
  const execution = await lab.execute('guest');
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  const crossed = await sent(execution);
  expect(crossed[ids[0]]).toBe(0);
  expect(crossed[ids[1]]).toBeGreaterThanOrEqual(change.toData);
  expect(crossed[ids[1]]).toBeLessThanOrEqual(1.1 * change.toData);
  expect(await lab.difference('guest', disks)).toBeUndefined();
  await expectTidy();
});

it('replicates the same VM over SSH, byte for byte as well', async () => {
  await createReplica('guest-ssh', 'SSH');
  expect(await lab.execute('guest-ssh')).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect(await lab.difference('guest-ssh', disks)).toBeUndefined();
  await expectTidy();
});
