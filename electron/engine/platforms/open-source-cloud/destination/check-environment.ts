import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import { refusedTags } from '../../../../../shared/plugins/open-source-cloud/instance-tags.ts';
import type { Finding } from '../../../../../shared/schema/finding.ts';
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
} from '../../../cloud-resources/environment-checks.ts';
import { checkFixedAddresses } from '../../../cloud-resources/fixed-addresses.ts';
import { fits } from '../../../cloud-resources/instance-type.ts';
import { resolve } from '../../../cloud-resources/resolve-reference.ts';
import { addNeeds } from '../../../cloud-resources/quota-needs.ts';
import { volumesOfVm } from '../../../cloud-resources/replica-volumes.ts';
import { volumeTypeOf } from '../../../cloud-resources/volume-type.ts';
import type { Flavor } from '../client/compute.ts';
import { cloudCalls } from './cloud-calls.ts';
import type { OpenStackSession } from './context.ts';
import { readEnvironment, type DestinationEnvironment } from './environment.ts';
import { chooseFlavor } from './flavor.ts';
import { mappedNetworks } from './mapped-networks.ts';
import { findPool, resolveNetwork } from './networks.ts';
import { quotaWords, readQuotas } from './quotas.ts';
import { needsOfVolumes } from './volume-rules.ts';
import { bootVolumeSize, copyWorkerNeeds, listImages } from './worker-plan.ts';

/**
 * Everything about an environment that only the cloud can tell: names, ranges, sizes, quotas. All findings in one go;
 * nothing is created or changed.
 */
export async function checkEnvironment(
  session: OpenStackSession,
  environment: JsonObject,
  vm: Vm,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const report = reportInto('open-source-cloud', findings);
  const effective = readForCheck(() => readEnvironment(environment), report);
  if (effective === undefined) return findings;
  const flavors = await session.cloud.compute.flavors(signal);
  await checkNetworks(session, effective, vm, report, signal);
  await checkPools(session, effective, report, signal);
  await checkWorkerImages(session, effective, vm, flavors, report, signal);
  checkFlavors(flavors, effective, vm, report);
  await checkStorage(session, effective, report, signal);
  await checkGroupsAndKeys(session, effective, report, signal);
  for (const { key, reason } of refusedTags(effective.instance_tags))
    report('error', pointer('instance_tags', key), 'tag', reason);
  await checkQuotas(session, effective, vm, report, signal);
  return findings;
}

async function checkNetworks(
  session: OpenStackSession,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const { network } = session.cloud;
  const [{ projectId }, networks, subnets] = await Promise.all([
    session.cloud.identity(signal),
    network.networks({}, signal),
    network.subnets({}, signal),
  ]);
  const check = (path: string, wanted: string): void => {
    const resolution = resolveNetwork(networks, projectId, wanted);
    reportUnresolved(report, path, 'network', wanted, resolution);
    if (resolution.outcome === 'found' && !subnets.some((subnet) => subnet.network_id === resolution.resource.id)) {
      report(
        'error',
        path,
        'network-without-subnet',
        `network ${resolution.resource.name} has no subnet that is visible to this project: ports would get no address`,
      );
    }
  };
  for (const [source, wanted] of Object.entries(environment.network_map)) check(pointer('network_map', source), wanted);
  checkNetworksMapped(environment.network_map, '/network_map', vm, report);
  if (environment.migr_network !== undefined) check('/migr_network', environment.migr_network);
  if (environment.preserve_fixed_ips)
    await checkFixedAddresses(
      mappedNetworks(session, networks, subnets, projectId, environment, vm),
      vm,
      signal,
      report,
    );
}

async function checkPools(
  { cloud }: OpenStackSession,
  environment: DestinationEnvironment,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const pools = [
    ...(environment.migr_worker_use_fip ? [['migr_fip_pool_name', environment.migr_fip_pool_name] as const] : []),
    ...(environment.use_floating_ip ? [['floating_ip_pool', environment.floating_ip_pool] as const] : []),
  ];
  for (const [parameter, wanted] of pools) {
    await reporting(
      report,
      `/${parameter}`,
      'floating-ip-pool',
      signal,
      async () => void (await findPool(cloud, parameter, wanted, signal)),
    );
  }
}

/** What is wrong with the environment becomes a finding; what is wrong with the cloud is thrown. */
async function reporting(
  report: Report,
  path: string,
  rule: string,
  signal: AbortSignal,
  attempt: () => Promise<void> | void,
): Promise<void> {
  try {
    await attempt();
  } catch (error) {
    signal.throwIfAborted();
    const theirs =
      error instanceof CausewayError &&
      ['cloud.parameter-missing', 'cloud.name-unknown', 'cloud.name-ambiguous', 'general.invalid-input'].includes(
        error.code,
      );
    if (!theirs) throw error;
    report('error', path, rule, error.message);
  }
}

async function checkWorkerImages(
  { cloud }: OpenStackSession,
  environment: DestinationEnvironment,
  vm: Vm,
  flavors: readonly Flavor[],
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const wanted =
    environment.migr_image === undefined
      ? Object.entries(environment.migr_image_map).map(([os, name]) => ({
          path: pointer('migr_image_map', os),
          os,
          name,
        }))
      : [{ path: '/migr_image', os: undefined, name: environment.migr_image }];
  if (environment.migr_image === undefined) checkImagesGiven(environment.migr_image_map, '/migr_image_map', vm, report);
  if (wanted.length === 0) return;
  const images = await listImages(cloud, signal);
  const named = environment.migr_flavor_name === undefined ? undefined : resolve(flavors, environment.migr_flavor_name);
  const flavor = named?.outcome === 'found' ? named.resource : undefined;
  for (const { path, os, name } of wanted) {
    const isNeeded = os !== 'windows' || vm.os_type === 'windows';
    const resolution = resolve(images, name);
    // A Windows worker that this VM never gets is worth a word, no more.
    reportUnresolved(
      isNeeded ? report : (_severity, ...rest) => report('warning', ...rest),
      path,
      'image',
      name,
      resolution,
    );
    if (!isNeeded) continue;
    if (resolution.outcome !== 'found') continue;
    const image = resolution.resource;
    if (image.status !== 'active')
      report('error', path, 'image-status', `image ${image.name} has status ${image.status}`);
    checkWorkerImage(
      { name: image.name, system: image.os_type, memory: image.min_ram ?? undefined },
      os,
      flavor,
      { image: path, machine: '/migr_flavor_name' },
      report,
    );
    if (flavor === undefined) continue;
    if (environment.migr_worker_boot_from_volume) {
      await reporting(
        report,
        '/migr_worker_volume_size',
        'worker-volume-size',
        signal,
        () => void bootVolumeSize(environment.migr_worker_volume_size, image, flavor),
      );
    } else if (flavor.disk === 0) {
      report(
        'warning',
        '/migr_worker_boot_from_volume',
        'worker-without-disk',
        `flavor ${flavor.name} has no disk, and most clouds only boot such instances from a volume: set migr_worker_boot_from_volume`,
      );
    } else if ((image.min_disk ?? 0) > flavor.disk) {
      report(
        'error',
        '/migr_flavor_name',
        'worker-disk',
        `image ${image.name} needs a disk of ${image.min_disk} GB, but ${flavor.name} has ${flavor.disk} GB`,
      );
    }
  }
}

function checkFlavors(flavors: readonly Flavor[], environment: DestinationEnvironment, vm: Vm, report: Report): void {
  if (environment.migr_flavor_name !== undefined) {
    reportUnresolved(
      report,
      '/migr_flavor_name',
      'flavor',
      environment.migr_flavor_name,
      resolve(flavors, environment.migr_flavor_name),
    );
  }
  try {
    const flavor = chooseFlavor(flavors, environment.flavor_name, vm);
    if (fits(flavor, vm)) return;
    report(
      'warning',
      '/flavor_name',
      'flavor-small',
      `${flavor.name} has ${flavor.vcpus} vCPUs and ${flavor.ram} MB, but the source VM has ${vm.vcpus ?? '?'} vCPUs and ${vm.memory_mb ?? '?'} MB`,
    );
  } catch (error) {
    report(
      'error',
      '/flavor_name',
      error instanceof CausewayError && error.code === 'cloud.parameter-missing' ? 'flavor-none' : 'name-unknown',
      toErrorRecord(error).message,
    );
  }
}

async function checkStorage(
  { cloud }: OpenStackSession,
  environment: DestinationEnvironment,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const workerType = environment.migr_worker_volume_type;
  const given = [
    ...namedTypes(environment.storage_mappings, 'storage_mappings'),
    ...(workerType === undefined ? [] : [['/migr_worker_volume_type', workerType] as const]),
  ];
  if (given.length === 0) return;
  const types = await cloud.volume.types(signal);
  for (const [path, name] of given) reportUnresolved(report, path, 'volume type', name, resolve(types, name));
}

async function checkGroupsAndKeys(
  { cloud }: OpenStackSession,
  environment: DestinationEnvironment,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  if (environment.security_groups.length > 0) {
    const { projectId } = await cloud.identity(signal);
    const groups = await cloud.network.securityGroups({ projectId }, signal);
    environment.security_groups.forEach((name, index) =>
      reportUnresolved(report, pointer('security_groups', index), 'security group', name, resolve(groups, name)),
    );
  }
  if (environment.server_group !== undefined) {
    reportUnresolved(
      report,
      '/server_group',
      'server group',
      environment.server_group,
      resolve(await cloud.compute.serverGroups(signal), environment.server_group),
    );
  }
  if (environment.keypair_name !== undefined) {
    const pairs = (await cloud.compute.keyPairs(signal)).map(({ name }) => ({ id: name, name }));
    reportUnresolved(
      report,
      '/keypair_name',
      'key pair of this user',
      environment.keypair_name,
      resolve(pairs, environment.keypair_name),
    );
  }
}

async function checkQuotas(
  session: OpenStackSession,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const worker = await plannedNeeds(
    () => copyWorkerNeeds(session, environment, signal),
    '/migr_worker_use_fip',
    report,
    signal,
  );
  const quotas = await readQuotas(session.cloud, signal);
  const largest = quotas['per_volume_gigabytes']?.limit ?? -1;
  checkDiskSizes(vm, largest < 0 ? undefined : largest, report);
  const volumes = await volumesOfVm(
    cloudCalls(session),
    vm,
    (disk) => volumeTypeOf(disk, environment.storage_mappings),
    signal,
  );
  reportShortages(addNeeds(worker, needsOfVolumes(volumes)), quotas, quotaWords, report);
}
