import type { Disk, Nic, Vm } from '../../../../../shared/model/vm.ts';
import type { VmSummary } from '../../../ports/source-platform.ts';
import type { Drive, HostNic, HostVm } from '../control/answers.ts';

/** A drive of a VM, in the order of its controllers. */
export interface VmDisk {
  readonly id: string;
  /** `SCSI 0:1` */
  readonly slot: string;
  readonly drive: Drive;
  readonly sizeBytes: number;
  /** Why it can't be replicated. */
  readonly obstacle: string | undefined;
}

export function disksOf(vm: HostVm): readonly VmDisk[] {
  const drives = vm.disks.filter(({ path, physicalDisk }) => path !== '' || (physicalDisk ?? undefined) !== undefined);
  const identifiers = drives.map(({ file }) => file?.identifier ?? '');
  return drives.map((drive, index) => {
    const slot = `${drive.controller.toUpperCase()} ${drive.number}:${drive.location}`;
    const identifier = identifiers[index] ?? '';
    const isTwin = identifier !== '' && identifiers.filter((other) => other === identifier).length > 1;
    const obstacle = isTwin
      ? 'has the same identifier as another disk of the VM, so that their changes cannot be assigned; give one a new identifier with Set-VHD -ResetDiskIdentifier'
      : obstacleOf(drive);
    return {
      id: identifier === '' || isTwin ? slot : identifier,
      slot,
      drive,
      sizeBytes: drive.file?.sizeBytes ?? 0,
      obstacle,
    };
  });
}

function obstacleOf({ physicalDisk, isShared, path, file, problem }: Drive): string | undefined {
  if ((physicalDisk ?? undefined) !== undefined)
    return `is physical disk ${physicalDisk} of the host (pass-through), which no checkpoint contains`;
  if (/\.vhds$/i.test(path)) return 'is a VHD set, which several VMs may share';
  if (isShared) return 'is shared with other VMs';
  if (file === undefined) return `cannot be read by the host: ${problem ?? 'no reason given'}`;
  if (!['vhd', 'vhdx'].includes(file.format)) return `has the format ${file.format}`;
  return file.identifier === '' ? 'has no identifier' : undefined;
}

export const replicable = (vm: HostVm): readonly VmDisk[] =>
  disksOf(vm).filter(({ obstacle }) => obstacle === undefined);

/** The first version of a VM's configuration whose disks are tracked. */
export function canTrack({ version }: HostVm): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  return major > 6 || (major === 6 && minor >= 2);
}

/** What people must know before the VM is replicated, a sentence each. */
export function shortcomings(vm: HostVm): readonly string[] {
  const said: string[] = [];
  if (vm.isShielded) said.push('The VM is shielded: its host may not read its disks, so that it cannot be replicated.');
  for (const { slot, obstacle } of disksOf(vm))
    if (obstacle !== undefined) said.push(`Disk ${slot} ${obstacle}. It is not replicated.`);
  for (const device of vm.devices) said.push(`The VM has ${device} of the host, which is not replicated.`);
  if (vm.hasTpm)
    said.push(
      'The VM has a virtual TPM. Its content is not replicated: have the recovery keys of encrypted disks at hand.',
    );
  for (const { slot, drive, obstacle } of disksOf(vm)) {
    if (obstacle === undefined && drive.file?.format === 'vhd')
      said.push(`Disk ${slot} is a VHD, of which Windows tracks no changes: each execution compares the whole disk.`);
  }
  if (!canTrack(vm))
    said.push(
      `The VM has configuration version ${vm.version}, which has no change tracking: each execution compares whole disks. Update-VMVersion brings it to the version of the host.`,
    );
  if (osTypeOf(vm) === undefined)
    said.push(
      'The guest does not say what OS it runs; it is treated as Linux. Start it with its integration services to find out.',
    );
  for (const { name, vlanMode, isDynamicMac, mac } of vm.nics) {
    if (isDynamicMac && macOf(mac) === undefined)
      said.push(
        `Network adapter ${name} has no MAC address yet: the host gives it one at the VM's first start. The migrated VM gets an address of the destination.`,
      );
    if (vlanMode === 'trunk')
      said.push(`Network adapter ${name} carries several VLANs (trunk), of which a migrated VM has none.`);
    if (vlanMode === 'private')
      said.push(`Network adapter ${name} is in a private VLAN. A migrated VM is not isolated in that way.`);
  }
  return said;
}

export function osTypeOf({ system }: HostVm): 'linux' | 'windows' | undefined {
  if (system.trim() === '') return undefined;
  return /windows/i.test(system) ? 'windows' : 'linux';
}

export function powerOf({ state }: HostVm): VmSummary['power'] {
  if (state === 'running') return 'running';
  return state === 'off' ? 'stopped' : 'unknown';
}

export function summarize(vm: HostVm, place: string): VmSummary {
  const disks = replicable(vm);
  return {
    id: vm.id,
    name: vm.name,
    os_type: osTypeOf(vm) ?? 'unknown',
    power: powerOf(vm),
    diskCount: disks.length,
    totalBytes: disks.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    cluster: place,
  };
}

/** The VM as the engine describes VMs. It boots from the first disk of its boot order, or the first one by its controllers. */
export function describe(vm: HostVm): Vm {
  const disks = replicable(vm);
  const boots = Math.max(
    0,
    disks.findIndex(({ slot }) => slot === vm.bootsFrom),
  );
  return {
    id: vm.id,
    name: vm.name,
    os_type: osTypeOf(vm) ?? 'linux',
    firmware: vm.generation === 2 ? 'uefi' : 'bios',
    secure_boot: vm.secureBoot,
    ...(vm.processors > 0 ? { vcpus: vm.processors } : {}),
    ...(vm.memoryBytes > 0 ? { memory_mb: Math.max(1, Math.round(vm.memoryBytes / 2 ** 20)) } : {}),
    disks: disks.map(({ id, sizeBytes, drive }, index): Disk => ({
      id,
      size_bytes: sizeBytes,
      storage_backend: volumeOf(drive.path),
      bus: drive.controller,
      bootable: index === boots,
    })),
    nics: vm.nics.map((nic): Nic => {
      const mac = macOf(nic.mac);
      return {
        id: nic.id,
        network: networkOf(nic),
        ...(mac === undefined ? {} : { mac_address: mac }),
        ...(nic.addresses.length === 0
          ? {}
          : { ip_addresses: nic.addresses.filter((address) => !/^(fe80:|169\.254\.)/i.test(address)) }),
      };
    }),
  };
}

/** A VLAN is a network of its own. */
export function networkOf({ switch: name, vlanMode, vlan }: HostNic): string {
  if (name === '') return 'not connected';
  return vlanMode === 'access' && vlan > 0 ? `${name} VLAN ${vlan}` : name;
}

/** A VM that never ran has no dynamic address yet. */
function macOf(mac: string): string | undefined {
  const digits = mac.replaceAll(/[^0-9A-Fa-f]/g, '').toLowerCase();
  return digits.length !== 12 || /^0+$/.test(digits) ? undefined : (digits.match(/../g) ?? []).join(':');
}

/** The drive, or the shared volume of a cluster, or the share. */
function volumeOf(path: string): string {
  return /^([A-Za-z]:\\ClusterStorage\\[^\\]+|\\\\[^\\]+\\[^\\]+|[A-Za-z]:)/i.exec(path)?.[1] ?? path;
}
