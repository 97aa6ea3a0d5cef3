import type { JsonObject } from '../../../../../shared/model/json.ts';
import { toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { Finding } from '../../../../../shared/schema/finding.ts';
import {
  checkDiskSizes,
  checkImagesGiven,
  checkNetworksMapped,
  namedTypes,
  plannedNeeds,
  pointer,
  readForCheck,
  reportInto,
  reportUnresolved,
  type Report,
} from '../../../cloud-resources/environment-checks.ts';
import { fits } from '../../../cloud-resources/instance-type.ts';
import { resolve, resolveText } from '../../../cloud-resources/resolve-reference.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { mostVolumes } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { storagePools } from '../client/storage.ts';
import { largestVolumeGib } from '../cloud/cloud-calls.ts';
import { callerOf, named, planWorker, workerNetwork } from '../cloud/start-worker.ts';
import { systemOf } from './catalog.ts';
import { mostNics } from './deployment/plan-deployment.ts';
import { readEnvironment, workerWish, type DestinationEnvironment } from './environment.ts';
import { shapeFor } from './shapes.ts';

/**
 * Everything about an environment that only the cloud can tell: names and sizes. All findings in one go; nothing is created
 * or changed.
 */
export async function checkEnvironment(
  classic: Classic,
  environment: JsonObject,
  vm: Vm,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const report = reportInto('classic-infrastructure-cloud', findings);
  const effective = readForCheck(() => readEnvironment(environment), report);
  if (effective === undefined) return findings;
  const { network, compute } = classic;
  const [networks, images, shapes, keys] = await Promise.all([
    network.ipNetworks(signal),
    compute.imageLists(signal),
    compute.shapes(signal),
    compute.sshKeys(signal),
  ]);
  for (const [source, wanted] of Object.entries(effective.network_map))
    reportUnresolved(report, pointer('network_map', source), 'IP network', wanted, resolve(named(networks), wanted));
  checkNetworksMapped(effective.network_map, '/network_map', vm, report);
  checkDisks(effective, vm, report);
  checkImagesGiven(effective.migr_image_map, '/migr_image_map', vm, report);
  for (const [os, wanted] of Object.entries(effective.migr_image_map)) {
    const resolution = resolve(named(images), wanted);
    reportUnresolved(report, pointer('migr_image_map', os), 'image list', wanted, resolution);
    if (resolution.outcome === 'found' && systemOf(resolution.resource.object) !== os)
      report(
        'warning',
        pointer('migr_image_map', os),
        'image-system',
        `image list ${wanted} has the name of a ${systemOf(resolution.resource.object)} image`,
      );
  }
  if (effective.migr_shape_name !== undefined)
    reportUnresolved(
      report,
      '/migr_shape_name',
      'shape',
      effective.migr_shape_name,
      resolve(named(shapes), effective.migr_shape_name),
    );
  if (effective.keypair_name !== undefined) {
    const resolution = resolve(named(keys), effective.keypair_name);
    reportUnresolved(report, '/keypair_name', 'SSH key', effective.keypair_name, resolution);
    if (resolution.outcome === 'found' && resolution.resource.enabled === false)
      report(
        'error',
        '/keypair_name',
        'key-disabled',
        `SSH key ${effective.keypair_name} is disabled: enable it, or take another one`,
      );
  }
  checkShape(shapes, effective, vm, report);
  checkMachine(vm, report);
  await plannedNeeds(
    async () => {
      await planWorker(classic, workerWish(effective, 'disk-copy'), 'disk-copy', undefined, signal);
      await callerRanges(callerOf(classic), workerNetwork, signal);
      return {};
    },
    '',
    report,
    signal,
  );
  return findings;
}

function checkDisks(
  { storage_mappings: mappings, default_volume_pool: pool }: DestinationEnvironment,
  vm: Vm,
  report: Report,
): void {
  checkDiskSizes(vm, largestVolumeGib, report);
  const types = [
    ...namedTypes(mappings, 'storage_mappings'),
    ...(pool === undefined ? [] : [['/default_volume_pool', pool] as const]),
  ];
  for (const [path, name] of types)
    reportUnresolved(report, path, 'storage pool', name, resolveText(storagePools, name));
}

function checkShape(
  shapes: Parameters<typeof shapeFor>[0],
  { shape_name: wanted }: DestinationEnvironment,
  vm: Vm,
  report: Report,
): void {
  try {
    const size = shapeFor(shapes, wanted, vm);
    if (!fits(size, vm))
      report(
        'warning',
        '/shape_name',
        'shape-small',
        `shape ${size.name} has ${size.vcpus} vCPUs and ${size.ram} MB, less than the VM (${vm.vcpus ?? '?'} vCPUs, ${vm.memory_mb ?? '?'} MB)`,
      );
  } catch (error) {
    const { code, message } = toErrorRecord(error);
    report('error', '/shape_name', code === 'cloud.name-unknown' ? 'name-unknown' : 'machine-type-none', message);
  }
}

/** What no shape of the platform carries. */
function checkMachine(vm: Vm, report: Report): void {
  if (vm.firmware === 'uefi')
    report(
      'error',
      '',
      'no-uefi',
      `VM ${vm.name} boots with UEFI, and the platform has BIOS alone: convert the guest first`,
    );
  if (vm.disks.length > mostVolumes)
    report(
      'error',
      '',
      'too-many-disks',
      `VM ${vm.name} has ${vm.disks.length} disks, and an instance takes ${mostVolumes}`,
    );
  if (vm.nics.length > mostNics)
    report(
      'error',
      '',
      'too-many-nics',
      `VM ${vm.name} has ${vm.nics.length} network interfaces, and an instance takes ${mostNics}`,
    );
}
