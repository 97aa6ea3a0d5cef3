import { toErrorRecord, CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { Vm } from '../../../../shared/model/vm.ts';
import type { Finding } from '../../../../shared/schema/finding.ts';
import {
  checkDiskSizes,
  checkImagesGiven,
  checkNetworksMapped,
  checkWorkerImage,
  namedTypes,
  plannedNeeds,
  pointer,
  readForCheck,
  reportInto,
  reportShortages,
  reportUnresolved,
  type Report,
} from '../../cloud-resources/environment-checks.ts';
import { checkFixedAddresses } from '../../cloud-resources/fixed-addresses.ts';
import { resolve, resolveText } from '../../cloud-resources/resolve-reference.ts';
import { addNeeds } from '../../cloud-resources/quota-needs.ts';
import { volumesOfVm } from '../../cloud-resources/replica-volumes.ts';
import { decodeDebugKey } from '../../workers/worker-user-data.ts';
import { readEnvironment, type DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudNetwork } from './iaas/networks.ts';
import { fits, isArm, smallestFitting } from './machine-type.ts';
import { resolveImage } from './image-names.ts';
import { mappedNetworks } from './mapped-networks.ts';
import { quotaWords } from './iaas/quotas.ts';
import { cloudCalls, largestVolumeGib } from './cloud-calls.ts';
import { asServerLabels } from './server-labels.ts';
import type { CloudSession } from './session.ts';
import { performanceClassOf, volumeNeeds } from './volume-rules.ts';
import { bootVolumeSize, copyWorkerNeeds, imagesFor } from './worker-plan.ts';

/**
 * Everything about an environment that only the cloud can tell: names, ranges, sizes, quotas. All findings in one go;
 * nothing is created or changed.
 */
export async function checkEnvironment(
  session: CloudSession,
  environment: JsonObject,
  vm: Vm,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const report = reportInto('european-cloud', findings);
  const effective = readForCheck(() => readEnvironment(environment), report);
  if (effective === undefined) return findings;
  const iaas = session.iaas(effective.project);
  try {
    await iaas.lists.project(signal);
  } catch (error) {
    if (
      !(error instanceof CausewayError) ||
      !['cloud.permission-denied', 'cloud.not-found', 'cloud.request-refused'].includes(error.code)
    )
      throw error;
    report(
      'error',
      effective.project === undefined ? '' : '/project',
      'project',
      `project ${iaas.projectId} is not accessible: ${error.message}`,
    );
    return findings;
  }
  const networks = await iaas.networks.list(signal);
  checkNetworks(networks, effective, vm, report);
  if (effective.preserve_fixed_ips)
    await checkFixedAddresses(mappedNetworks(iaas, networks, effective), vm, signal, report);
  await checkZone(iaas, effective, signal, report);
  await checkImages(iaas, effective, vm, signal, report);
  await checkMachineTypes(iaas, effective, vm, signal, report);
  await checkStorage(iaas, effective, vm, signal, report);
  await checkGroupsAndKeys(iaas, effective, signal, report);
  checkTexts(effective, report);
  await checkQuotas(session, iaas, effective, vm, signal, report);
  return findings;
}

function checkNetworks(
  networks: readonly CloudNetwork[],
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
): void {
  for (const [source, wanted] of Object.entries(environment.network_map)) {
    reportUnresolved(report, pointer('network_map', source), 'network', wanted, resolve(networks, wanted));
  }
  checkNetworksMapped(environment.network_map, '/network_map', vm, report);
  if (environment.migr_network !== undefined) {
    reportUnresolved(
      report,
      '/migr_network',
      'network',
      environment.migr_network,
      resolve(networks, environment.migr_network),
    );
  }
}

async function checkZone(
  iaas: Iaas,
  environment: DestinationEnvironment,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const wanted = environment.availability_zone;
  if (wanted === undefined) return;
  reportUnresolved(
    report,
    '/availability_zone',
    'availability zone',
    wanted,
    resolveText(await iaas.lists.availabilityZones(signal), wanted),
  );
}

async function checkImages(
  iaas: Iaas,
  environment: DestinationEnvironment,
  vm: Vm,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const wanted = Object.entries(environment.migr_image_map);
  checkImagesGiven(environment.migr_image_map, '/migr_image_map', vm, report);
  if (wanted.length === 0) return;
  const images = await imagesFor(
    iaas,
    environment,
    wanted.map(([, name]) => name),
    signal,
  );
  const types = await iaas.lists.machineTypes(signal);
  const type = types.find((each) => each.name === environment.migr_machine_type);
  for (const [os, name] of wanted) {
    const path = pointer('migr_image_map', os);
    const resolution = resolveImage(images, name);
    reportUnresolved(report, path, 'image', name, resolution);
    if (resolution.outcome !== 'found') continue;
    const image = resolution.resource;
    checkWorkerImage(
      {
        name: image.name,
        system: image.config?.operatingSystem,
        architecture: image.config?.architecture === 'arm64' ? 'arm64' : 'x86_64',
        memory: image.minRam,
      },
      os,
      type === undefined ? undefined : { ...type, architecture: isArm(type) ? 'arm64' : 'x86_64' },
      { image: path, machine: '/migr_machine_type' },
      report,
    );
    if (type === undefined) continue;
    try {
      bootVolumeSize(environment.migr_worker_volume_size, image, type);
    } catch (error) {
      report('error', '/migr_worker_volume_size', 'worker-volume-size', toErrorRecord(error).message);
    }
  }
}

async function checkMachineTypes(
  iaas: Iaas,
  environment: DestinationEnvironment,
  vm: Vm,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const types = (await iaas.lists.machineTypes(signal)).map((type) => ({ ...type, id: type.name }));
  if (environment.migr_machine_type !== undefined) {
    reportUnresolved(
      report,
      '/migr_machine_type',
      'machine type',
      environment.migr_machine_type,
      resolve(types, environment.migr_machine_type),
    );
  }
  const source = `${vm.vcpus ?? '?'} vCPU and ${vm.memory_mb ?? '?'} MB`;
  if (environment.machine_type === undefined) {
    if (vm.os_type === 'windows')
      report(
        'error',
        '/machine_type',
        'machine-type-windows',
        'a Windows VM needs an explicit, Windows-compatible machine type',
      );
    else if (smallestFitting(types, vm) === undefined)
      report('error', '/machine_type', 'machine-type-none', `no machine type has ${source}`);
    return;
  }
  const resolution = resolve(types, environment.machine_type);
  reportUnresolved(report, '/machine_type', 'machine type', environment.machine_type, resolution);
  if (resolution.outcome === 'found' && !fits(resolution.resource, vm)) {
    const { name, vcpus, ram } = resolution.resource;
    report(
      'warning',
      '/machine_type',
      'machine-type-small',
      `${name} has ${vcpus} vCPUs and ${ram} MB, but the source VM has ${source}`,
    );
  }
}

async function checkStorage(
  iaas: Iaas,
  environment: DestinationEnvironment,
  vm: Vm,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const own = ['default_volume_performance_class', 'migr_worker_volume_performance_class'] as const;
  const given = [
    ...namedTypes(environment.storage_mappings, 'storage_mappings'),
    ...own.flatMap((key) => {
      const name = environment[key] ?? '';
      return name === '' ? [] : [[`/${key}`, name] as const];
    }),
  ];
  checkDiskSizes(vm, largestVolumeGib, report);
  if (given.length === 0) return;
  const classes = (await iaas.lists.performanceClasses(signal)).map((each) => each.name);
  for (const [path, name] of given)
    reportUnresolved(report, path, 'volume performance class', name, resolveText(classes, name));
}

async function checkGroupsAndKeys(
  iaas: Iaas,
  environment: DestinationEnvironment,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const wanted = [
    ...environment.security_groups.map((name, index) => [pointer('security_groups', index), name] as const),
    ...environment.default_security_groups.map((name) => ['/default_security_groups', name] as const),
  ];
  if (wanted.length > 0) {
    const groups = await iaas.securityGroups.list(undefined, signal);
    const kinds = new Set<boolean>();
    for (const [path, name] of wanted) {
      const resolution = resolve(groups, name);
      reportUnresolved(report, path, 'security group', name, resolution);
      if (resolution.outcome === 'found') kinds.add(resolution.resource.stateful ?? true);
    }
    if (kinds.size > 1)
      report(
        'error',
        '/security_groups',
        'groups-mixed',
        'a NIC cannot have both stateful and stateless security groups',
      );
  }
  if (environment.affinity_group !== undefined) {
    reportUnresolved(
      report,
      '/affinity_group',
      'affinity group',
      environment.affinity_group,
      resolve(await iaas.lists.affinityGroups(signal), environment.affinity_group),
    );
  }
  if (environment.keypair_name !== undefined) {
    const names = (await iaas.lists.keyPairs(signal)).map((each) => each.name);
    reportUnresolved(
      report,
      '/keypair_name',
      'key pair of this service account',
      environment.keypair_name,
      resolveText(names, environment.keypair_name),
    );
  }
}

function checkTexts(environment: DestinationEnvironment, report: Report): void {
  asServerLabels(environment.server_labels).refused.forEach(({ index, reason }) =>
    report('error', pointer('server_labels', index), 'label', reason),
  );
  try {
    decodeDebugKey(environment.migr_worker_debug_ssh_public_key, 'migr_worker_debug_ssh_public_key');
  } catch (error) {
    report('error', '/migr_worker_debug_ssh_public_key', 'debug-key', toErrorRecord(error).message);
  }
}

async function checkQuotas(
  session: CloudSession,
  iaas: Iaas,
  environment: DestinationEnvironment,
  vm: Vm,
  signal: AbortSignal,
  report: Report,
): Promise<void> {
  const worker = await plannedNeeds(
    () => copyWorkerNeeds(session, iaas, environment, signal),
    '/migr_worker_use_public_ip',
    report,
    signal,
  );
  const volumes = await volumesOfVm(
    cloudCalls(session, iaas),
    vm,
    (disk) => performanceClassOf(disk, environment),
    signal,
  );
  reportShortages(addNeeds(worker, volumeNeeds(volumes)), await iaas.quotas.read(signal), quotaWords, report);
}
