// lease: emulated guests
import { mkdtemp, open, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createQemuHypervisorSource } from '../../electron/engine/platforms/qemu-hypervisor/index.ts';
import type { JsonObject } from '../../shared/model/json.ts';
import type { ExecutionDetail } from '../../shared/model/execution.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { startSourceVm, type SourceVm } from '../rigs/source-vm.ts';
import { startNfcServer, type NfcServer } from '../rigs/virtualization-platform/nfc-server/nfc-server.ts';
import { qemuBackings } from '../rigs/virtualization-platform/qemu-backing.ts';
import { startVsphere, type VsphereRig } from '../rigs/virtualization-platform/start.ts';
import type { RigVm } from '../rigs/virtualization-platform/world.ts';

const MiB = 2 ** 20;
const dataDiskBytes = 64 * MiB;

let folder: string;
let lab: ProjectLab;
let guest: SourceVm;
let rig: VsphereRig;
let vm: RigVm;
const ports: NfcServer[] = [];
/** The second disk's device in the guest, and the file behind it. */
let device: string;
let dataDisk: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'causeway-vsg-'));
  dataDisk = join(folder, 'data.raw');
  await (await open(dataDisk, 'w')).close();
  await truncate(dataDisk, dataDiskBytes);
  lab = await startProjectLab();
  guest = await startSourceVm({ folder, dataDisks: [{ path: dataDisk, format: 'raw' }] });
  rig = await startVsphere();
  const [first] = rig.vms;
  if (first === undefined) throw new Error('the simulator has no VM');
  vm = first;
  const behind = createQemuHypervisorSource({ qmp_socket: guest.qmpSocket, os_type: 'linux' }, { scratchFolder: join(folder, 'behind') });
  for (const backing of await qemuBackings(behind, guest.name)) rig.world.addDisk(vm, backing);
  for (const [index, hostId] of [...rig.hosts.keys()].entries()) {
    const port = await startNfcServer({ host: `127.0.0.${index + 2}`, disks: rig.world });
    ports.push(port);
    rig.world.dataPorts.set(hostId, { host: port.host, port: port.port, sslThumbprint: port.thumbprint });
  }
  await lab.use((core) => core.call('endpoint.add', { name: 'vcenter', plugin: 'virtualization-platform', connection: JSON.parse(JSON.stringify(rig.connection)) as JsonObject }));
  await guest.ssh.waitUntilUp(300_000);
  device = (await guest.ssh.text(`lsblk -bdnpo NAME,SIZE | awk '$2 == ${dataDiskBytes} { print $1 }'`)).trim();
  await guest.ssh.text(`dd if=/dev/urandom of=${device} bs=1M count=8 seek=2 oflag=direct status=none`);
}, 400_000);

afterAll(async () => {
  for (const port of ports) await port.close();
  await rig?.close();
  await guest?.close();
  await lab?.close();
  await rm(folder, { recursive: true, force: true });
});

/** Bytes that crossed the link, by disk. */
async function sent(execution: ExecutionDetail): Promise<Record<string, number>> {
  const events = await lab.use((core) => core.call('execution.events', { execution: execution.id }));
  return Object.fromEntries(events.filter((event) => event.type === 'disk.done').map(({ details }) => [String(details['diskId']), Number(details['bytesSent'])]));
}

it('a running guest, presented as a VM of the virtualization platform, is replicated in full with tracking enabled first', async () => {
  const destinationEnvironment = {
    network_map: { DC0_DVPG0: 'production' }, availability_zone: 'eu01-1', machine_type: 'g1.1', migr_network: 'migration', migr_machine_type: 'g1.1', migr_image_map: { linux: 'Debian 12' },
  };
  await lab.use((core) => core.call('replica.create', {
    name: 'guest', source: 'vcenter', destination: 'cloud', vm: vm.id, sourceEnvironment: { automatically_enable_cbt: true }, destinationEnvironment,
  }));
  expect(await lab.execute('guest', { verify: 'all' })).toMatchObject({ state: 'completed', leftBehind: 0 });
  expect([vm.isTracked, vm.snapshots.size]).toEqual([true, 0]);
  expect(await lab.difference('guest', { 2001: dataDisk })).toBeUndefined();
  expect(rig.world.problems).toEqual([]);
}, 400_000);

it('the next execution sends what the guest has changed, although the VM has moved to another host and the session has ended', async () => {
  await guest.ssh.text(`dd if=/dev/urandom of=${device} bs=64k count=32 seek=320 oflag=direct status=none; sync`);
  rig.world.expireSessions();
  rig.world.move(vm, [...rig.hosts.keys()].find((id) => id !== vm.hostId) ?? '');
  const execution = await lab.execute('guest');
  expect(execution).toMatchObject({ state: 'completed', leftBehind: 0 });
  const crossed = await sent(execution);
  console.log(`sent ${JSON.stringify(crossed)}`);
  expect(crossed['2001']).toBeGreaterThanOrEqual(2 * MiB);
  expect(crossed['2001']).toBeLessThanOrEqual(1.1 * 2 * MiB);
  expect(await lab.difference('guest', { 2001: dataDisk })).toBeUndefined();
  expect([vm.snapshots.size, rig.world.problems]).toEqual([0, []]);
}, 400_000);
