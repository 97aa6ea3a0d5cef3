import type { Disk, Nic, Vm } from '../../../../shared/model/vm.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { QmpError } from '../../qmp/qmp-error.ts';
import type { GuestFacts } from './guest-facts.ts';
import { needObject, numberAt, objectsOf, textAt } from './qmp-values.ts';
import { readDisks, type VmDisk } from './vm-disks.ts';

const DEFAULT_NETWORK = 'default';

/** What is known of the guest from elsewhere than QEMU. */
export interface GuestSaid {
  readonly osType: 'linux' | 'windows';
  /** Undefined: as the machine is built. */
  readonly firmware: 'bios' | 'uefi' | undefined;
  readonly addresses: GuestFacts['addresses'];
}

/** A VM as QEMU describes it. Networks are named after QEMU's network back ends: it knows no other name for them. */
export async function describeQemuVm(id: string, qmp: QmpCarrier, said: GuestSaid, signal: AbortSignal): Promise<Vm> {
  const disks = await readDisks(qmp, signal);
  const cpus = objectsOf(await qmp.execute('query-cpus-fast', {}, signal)).length;
  const memory = numberAt(
    needObject(await qmp.execute('query-memory-size-summary', {}, signal), 'query-memory-size-summary'),
    'base-memory',
  );
  return {
    id,
    name: (await qemuName(qmp, signal)) ?? id,
    os_type: said.osType,
    firmware: said.firmware ?? (await firmwareOf(qmp, signal)),
    ...(cpus > 0 ? { vcpus: cpus } : {}),
    ...(memory !== undefined && memory >= 2 ** 20 ? { memory_mb: Math.round(memory / 2 ** 20) } : {}),
    disks: await Promise.all(disks.map((disk, index) => describeDisk(qmp, disk, index, signal))),
    nics: (await readNics(qmp, signal)).map((nic) => {
      const addresses = said.addresses.get(nic.mac_address ?? '') ?? [];
      return addresses.length === 0 ? nic : { ...nic, ip_addresses: [...addresses] };
    }),
  };
}

/** The name that QEMU was started with. */
export async function qemuName(qmp: QmpCarrier, signal: AbortSignal): Promise<string | undefined> {
  return textAt(needObject(await qmp.execute('query-name', {}, signal), 'query-name'), 'name');
}

async function describeDisk(qmp: QmpCarrier, disk: VmDisk, index: number, signal: AbortSignal): Promise<Disk> {
  const bus = await busOf(qmp, disk.qdev, signal);
  return {
    id: disk.id,
    size_bytes: Math.ceil(disk.sizeBytes / 512) * 512,
    bootable: index === 0,
    ...(bus === undefined ? {} : { bus }),
  };
}

async function busOf(qmp: QmpCarrier, qdev: string, signal: AbortSignal): Promise<string | undefined> {
  const type = await property(qmp, qdev, 'type', signal);
  if (type === undefined) return undefined;
  if (type.startsWith('virtio-blk')) return 'virtio';
  if (type.startsWith('nvme')) return 'nvme';
  if (type.startsWith('scsi')) return 'scsi';
  if (type.startsWith('usb')) return 'usb';
  if (!type.startsWith('ide')) return undefined;
  const bus = await property(qmp, qdev, 'parent_bus', signal);
  const controller =
    bus === undefined ? undefined : await property(qmp, bus.slice(0, bus.lastIndexOf('/')), 'type', signal);
  return controller?.includes('ahci') === true ? 'sata' : 'ide';
}

async function firmwareOf(qmp: QmpCarrier, signal: AbortSignal): Promise<'bios' | 'uefi'> {
  const flash = await property(qmp, '/machine', 'pflash0', signal);
  const file = await property(qmp, '/machine', 'firmware', signal);
  return (flash ?? '') !== '' || /ovmf|edk2|aavmf|uefi/i.test(file ?? '') ? 'uefi' : 'bios';
}

async function readNics(qmp: QmpCarrier, signal: AbortSignal): Promise<readonly Nic[]> {
  const nics: Nic[] = [];
  for (const parent of ['/machine/peripheral', '/machine/peripheral-anon']) {
    for (const child of objectsOf(await qmp.execute('qom-list', { path: parent }, signal))) {
      const name = textAt(child, 'name');
      if (name === undefined || !(textAt(child, 'type') ?? '').startsWith('child<')) continue;
      const path = `${parent}/${name}`;
      const mac = await property(qmp, path, 'mac', signal);
      if (mac === undefined) continue;
      const id = parent.endsWith('-anon') ? `nic${nics.length}` : name;
      nics.push({
        id,
        network: (await property(qmp, path, 'netdev', signal)) ?? DEFAULT_NETWORK,
        mac_address: mac.toLowerCase(),
      });
    }
  }
  return nics;
}

/** A text property of a QOM object; undefined when it has none. */
async function property(qmp: QmpCarrier, path: string, name: string, signal: AbortSignal): Promise<string | undefined> {
  try {
    const value = await qmp.execute('qom-get', { path, property: name }, signal);
    return typeof value === 'string' && value !== '' ? value : undefined;
  } catch (error) {
    if (error instanceof QmpError) return undefined;
    throw error;
  }
}
