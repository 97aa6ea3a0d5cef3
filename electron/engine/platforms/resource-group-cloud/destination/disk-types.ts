import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { Disk, Vm } from '../../../../../shared/model/vm.ts';
import { volumeTypeOf } from '../../../cloud-resources/volume-type.ts';
import { bootDiskOf, type BootDiskFacts, type DiskRules } from './cloud-calls.ts';
import { required, type DestinationEnvironment } from './environment.ts';
import { sizeNamed, type DiskType, type Generation, type Offers, type VmSize } from './offers.ts';
import type { AzureSession } from './session.ts';

/** What a disk gets whose type nobody chose. */
export const usualDiskType = 'StandardSSD_LRS';

/** Types for data disks alone. */
export const dataDisksOnly: readonly string[] = ['UltraSSD_LRS', 'PremiumV2_LRS'];

export function diskTypeOf(disk: Disk, { storage_map }: DestinationEnvironment): string {
  return volumeTypeOf(disk, storage_map) ?? usualDiskType;
}

/** Why a disk can't be of a type, in one sentence; undefined: it can. */
export function diskProblem(disk: Disk, vm: Vm, type: DiskType): string | undefined {
  const gib = Math.max(1, Math.ceil(disk.size_bytes / 2 ** 30));
  if (type.largestGib !== undefined && gib > type.largestGib)
    return `disk ${disk.id} needs ${gib} GiB, and the limit of ${type.name} is ${type.largestGib} GiB`;
  if (dataDisksOnly.includes(type.name) && bootDiskOf(vm)?.id === disk.id)
    return `${type.name} cannot hold an OS disk, and ${disk.id} is the OS disk of the VM`;
  return undefined;
}

/**
 * The zone of a VM's disks and so of its workers and of itself: the endpoint's, or, where a type of disk needs one, the first in which all of
 * them are available. Undefined: regional.
 *
 * @throws `general.invalid-input` when no zone has everything
 */
export function zoneFor(
  session: AzureSession,
  environment: DestinationEnvironment,
  vm: Pick<Vm, 'disks'>,
  offers: Offers,
): string | undefined {
  const types = [...new Set(vm.disks.map((disk) => diskTypeOf(disk, environment)))];
  const zonal = offers.diskTypes.filter(
    ({ name, zones }) =>
      types.includes(name) &&
      zones.length > 0 &&
      (dataDisksOnly.includes(name) || session.connection.availabilityZone !== undefined),
  );
  const sizes = [environment.vm_size, environment.worker_size].flatMap(
    (name) => offers.sizes.find((size) => size.name.toLowerCase() === name?.toLowerCase()) ?? [],
  );
  const fits = (zone: string): boolean =>
    zonal.every(({ zones }) => zones.includes(zone)) &&
    sizes.every(
      (size) => size.zones.includes(zone) && (!types.includes('UltraSSD_LRS') || size.ultraZones.includes(zone)),
    );
  const wanted = session.connection.availabilityZone;
  if (wanted !== undefined) {
    if (fits(wanted)) return wanted;
    throw new CausewayError(
      'general.invalid-input',
      `zone ${wanted} of the endpoint does not have all of ${[...sizes.map(({ name }) => name), ...types].join(', ')}`,
      { details: { parameter: 'availability_zone', zone: wanted } },
    );
  }
  if (!zonal.some(({ name }) => dataDisksOnly.includes(name))) return undefined;
  const found = [...new Set(zonal.flatMap(({ zones }) => zones))].sort().find(fits);
  if (found !== undefined) return found;
  throw new CausewayError(
    'general.invalid-input',
    `no zone of the region has all of ${[...sizes.map(({ name }) => name), ...types].join(', ')}`,
    { details: { parameter: 'storage_map' } },
  );
}

export function generationOf(vm: Pick<Vm, 'firmware'>): Generation {
  return vm.firmware === 'uefi' ? 'V2' : 'V1';
}

/** Secure boot is part of the security type for which the cloud has a TPM and measures the boot as well. */
export function isTrustedLaunch({ connection }: AzureSession, vm: Pick<Vm, 'firmware' | 'secure_boot'>): boolean {
  if (vm.firmware !== 'uefi' || connection.securityType === 'standard') return false;
  return connection.securityType === 'trusted_launch' || vm.secure_boot === true;
}

/** How new disks of a VM are made. */
export function diskRules(vm: Vm, isUploaded = false): DiskRules {
  const bootDisk: BootDiskFacts = {
    osType: vm.os_type === 'windows' ? 'Windows' : 'Linux',
    hyperVGeneration: generationOf(vm),
  };
  return { vm, bootDisk, isUploaded };
}

/** Why a size can't be that of the migrated VM, each in one sentence. */
export function sizeProblems(session: AzureSession, size: VmSize, vm: Vm, types: readonly string[]): readonly string[] {
  const generation = generationOf(vm);
  const data = vm.disks.length - 1;
  return [
    ...(data > size.dataDisks ? [`${size.name} takes ${size.dataDisks} data disks, and the VM has ${data}`] : []),
    ...(vm.nics.length > size.nics
      ? [`${size.name} takes ${size.nics} network interfaces, and the VM has ${vm.nics.length}`]
      : []),
    ...(size.generations.includes(generation)
      ? []
      : [
          `${size.name} does not boot generation ${generation === 'V2' ? 2 : 1}, which a VM with ${generation === 'V2' ? 'UEFI' : 'BIOS'} firmware needs`,
        ]),
    // Nothing says of a source that it is not x86-64.
    ...(size.architecture === 'x86_64' ? [] : [`${size.name} has processors of ${size.architecture}`]),
    ...(isTrustedLaunch(session, vm) && !size.trustedLaunch
      ? [`${size.name} has no trusted launch, which secure boot needs`]
      : []),
    ...(!size.premium && types.some((type) => type.startsWith('Premium'))
      ? [`${size.name} does not take disks of ${types.filter((type) => type.startsWith('Premium')).join(', ')}`]
      : []),
    ...(types.includes('UltraSSD_LRS') && size.ultraZones.length === 0
      ? [`${size.name} does not take ultra disks`]
      : []),
  ];
}

/** The size of the migrated VM. @throws `cloud.parameter-missing`, `cloud.name-unknown`, `general.invalid-input` */
export function chooseSize(session: AzureSession, environment: DestinationEnvironment, vm: Vm, offers: Offers): VmSize {
  const size = sizeNamed(offers, 'vm_size', required(environment, 'vm_size'));
  const problems = sizeProblems(session, size, vm, [...new Set(vm.disks.map((disk) => diskTypeOf(disk, environment)))]);
  if (problems.length === 0) return size;
  throw new CausewayError('general.invalid-input', `vm_size: ${problems.join('; ')}`, {
    details: { parameter: 'vm_size', problems: [...problems] },
  });
}
