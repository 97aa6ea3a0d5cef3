import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { Finding } from '../../../../../shared/schema/finding.ts';
import { fixedAddressFit } from '../../../../../shared/model/fixed-address.ts';
import {
  checkNetworksMapped,
  namedTypes,
  plannedNeeds,
  pointer,
  readForCheck,
  reportInto,
  reportShortages,
  reportUnresolved,
  type Report,
} from '../../../cloud-resources/environment-checks.ts';
import { keptAddress } from '../../../cloud-resources/fixed-addresses.ts';
import { fits } from '../../../cloud-resources/instance-type.ts';
import { addNeeds } from '../../../cloud-resources/quota-needs.ts';
import { volumesOfVm } from '../../../cloud-resources/replica-volumes.ts';
import { resolve, resolveText } from '../../../cloud-resources/resolve-reference.ts';
import { cloudCalls } from './cloud-calls.ts';
import { imageText, locationName, readEnvironment, type DestinationEnvironment } from './environment.ts';
import { listLocations } from './catalog.ts';
import { isAddressFree, listSubnets, type MappedSubnet } from './network-calls.ts';
import { findImage, needsOfSize, quotaWords, readOffers, readQuotas, resolveSize, type Offers } from './offers.ts';
import { groupOf, type AzureSession, type Place } from './session.ts';
import { diskProblem, diskTypeOf, sizeProblems, zoneFor } from './disk-types.ts';
import { blobPlaceOf, largestBlobGib, readAccount } from './page-blobs.ts';
import { volumeNeeds } from './volume-rules.ts';
import { copyWorkerNeeds, tooManyDisks, workerProblems } from './worker-plan.ts';

/**
 * Everything about an environment that only the cloud can tell: names, ranges, sizes, quotas. All findings in one go;
 * nothing is created or changed.
 */
export async function checkEnvironment(
  session: AzureSession,
  environment: JsonObject,
  vm: Vm,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const report = reportInto('resource-group-cloud', findings);
  const effective = readForCheck(() => readEnvironment(environment), report);
  if (effective === undefined) return findings;
  const place = await checkPlace(session, effective, report, signal);
  if (place === undefined) return findings;
  const offers = await readOffers(session, place.location, signal);
  const subnets = await listSubnets(session, place, signal);
  await checkNetworks(session, place, subnets, effective, vm, report, signal);
  await checkStorageAccount(session, place, effective, vm, report, signal);
  checkDisks(session, offers, effective, vm, report);
  checkSize(session, offers, effective, vm, report);
  await checkWorkers(session, place, offers, effective, vm, report, signal);
  await checkQuotas(session, place, offers, effective, vm, report, signal);
  return findings;
}

/** The region and the resource group; without them nothing else can be asked for. */
async function checkPlace(
  session: AzureSession,
  environment: DestinationEnvironment,
  report: Report,
  signal: AbortSignal,
): Promise<Place | undefined> {
  let group: string;
  try {
    group = groupOf(session, environment.resource_group);
  } catch (error) {
    report('error', '/resource_group', 'parameter-missing', toErrorRecord(error).message);
    return undefined;
  }
  const { resourceGroups } = await session.resources();
  const found = await session
    .find(`read resource group ${group}`, (options) => resourceGroups.get(group, options), signal)
    .catch((error: unknown) => {
      if (!(error instanceof CausewayError) || error.code !== 'cloud.permission-denied') throw error;
      report(
        'error',
        '/resource_group',
        'resource-group',
        `resource group ${group} is not accessible: ${error.message}`,
      );
      return 'denied' as const;
    });
  if (found === 'denied') return undefined;
  if (found === undefined) {
    report(
      'error',
      '/resource_group',
      'name-unknown',
      `no resource group "${group}" in subscription ${session.connection.subscriptionId}`,
    );
    return undefined;
  }
  if (environment.location === undefined) {
    report('error', '/location', 'parameter-missing', 'location is not set');
    return undefined;
  }
  const location = locationName(environment.location);
  const resolution = resolveText(
    (await listLocations(session, signal)).map(({ name }) => name),
    location,
  );
  reportUnresolved(report, '/location', 'region', environment.location, resolution);
  if (resolution.outcome !== 'found') return undefined;
  if (found.location !== location)
    report(
      'warning',
      '/resource_group',
      'resource-group-region',
      `resource group ${group} is in ${found.location}, and resources are created in ${location}`,
    );
  return { group, location };
}

async function checkNetworks(
  session: AzureSession,
  { group }: Place,
  subnets: readonly MappedSubnet[],
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  for (const [source, wanted] of Object.entries(environment.network_map))
    reportUnresolved(report, pointer('network_map', source), 'subnet', wanted, resolve(subnets, wanted));
  checkNetworksMapped(environment.network_map, '/network_map', vm, report);
  if (session.connection.workerSubnet !== undefined)
    reportUnresolved(
      report,
      '',
      'subnet of the endpoint (worker_subnet)',
      session.connection.workerSubnet,
      resolve(subnets, session.connection.workerSubnet),
    );
  if (!environment.preserve_nic_ips) return;
  const seen = new Map<string, string>();
  for (const nic of vm.nics) {
    const wanted = environment.network_map[nic.network];
    const resolution = wanted === undefined ? undefined : resolve(subnets, wanted);
    const address = keptAddress(nic);
    if (resolution?.outcome !== 'found' || address === undefined) continue;
    const subnet = resolution.resource;
    const path = pointer('network_map', nic.network);
    const fit = fixedAddressFit(address, subnet);
    // Outside of the range the interface gets another address: that is what the parameter says.
    if (fit.outcome === 'out-of-range')
      report(
        'warning',
        path,
        'address-out-of-range',
        `NIC ${nic.id}: ${address} is not in the range of ${subnet.name} (${subnet.prefixes.join(', ')}), so that it gets another address`,
      );
    else if (fit.outcome === 'reserved')
      report('error', path, 'address-reserved', `NIC ${nic.id}: ${address} is ${fit.use} of subnet ${subnet.name}`);
    else if (seen.has(`${subnet.id} ${address}`))
      report(
        'error',
        path,
        'address-twice',
        `NICs ${seen.get(`${subnet.id} ${address}`) ?? ''} and ${nic.id} both need ${address} in subnet ${subnet.name}`,
      );
    else if (!(await isAddressFree(session, group, subnet, address, signal)))
      report('error', path, 'address-taken', `NIC ${nic.id}: ${address} is in use in subnet ${subnet.name}`);
    seen.set(`${subnet.id} ${address}`, nic.id);
  }
}

/** Page blobs: the account has to be one that has them, where the disks are made of them, and each disk has to fit. */
async function checkStorageAccount(
  session: AzureSession,
  place: Place,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const blobs = blobPlaceOf(environment);
  if (blobs === undefined) return;
  const account = await readAccount(session, place, blobs, signal);
  if (account === undefined)
    report(
      'error',
      '/storage_account_name',
      'name-unknown',
      `no storage account "${blobs.account}" in resource group ${place.group}`,
    );
  else if (account.problem !== undefined) report('error', '/storage_account_name', 'storage-account', account.problem);
  for (const { id, size_bytes: bytes } of vm.disks) {
    const size = Math.ceil(bytes / 2 ** 30);
    if (size > largestBlobGib)
      report(
        'error',
        '/storage_account_name',
        'disk-too-large',
        `disk ${id} needs ${size} GiB, and the limit of a page blob is ${largestBlobGib} GiB`,
      );
  }
}

function checkDisks(
  session: AzureSession,
  offers: Offers,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
): void {
  for (const [path, name] of namedTypes(environment.storage_map, 'storage_map'))
    reportUnresolved(report, path, 'storage account type', name, resolve(offers.diskTypes, name));
  for (const disk of vm.disks) {
    const type = offers.diskTypes.find(({ name }) => name === diskTypeOf(disk, environment));
    const problem = type === undefined ? undefined : diskProblem(disk, vm, type);
    if (problem?.includes('GiB') === true) report('error', '/storage_map', 'disk-too-large', problem);
    else if (problem !== undefined) report('error', '/storage_map', 'os-disk-type', problem);
  }
  try {
    zoneFor(session, environment, vm, offers);
  } catch (error) {
    report('error', '/storage_map', 'zone', toErrorRecord(error).message);
  }
}

function checkSize(
  session: AzureSession,
  offers: Offers,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
): void {
  const wanted = environment.vm_size;
  if (wanted === undefined) {
    report('error', '/vm_size', 'parameter-missing', 'vm_size is not set');
    return;
  }
  const resolution = resolveSize(offers.sizes, wanted);
  reportUnresolved(report, '/vm_size', 'VM size', wanted, resolution);
  if (resolution.outcome !== 'found') return;
  const size = resolution.resource;
  if (size.restriction !== undefined)
    report(
      'error',
      '/vm_size',
      'size-restricted',
      `${size.name} is not available to this subscription (${size.restriction})`,
    );
  for (const problem of sizeProblems(session, size, vm, [
    ...new Set(vm.disks.map((disk) => diskTypeOf(disk, environment))),
  ]))
    report('error', '/vm_size', 'size-does-not-fit', problem);
  if (!fits(size, vm))
    report(
      'warning',
      '/vm_size',
      'machine-type-small',
      `${size.name} has ${size.vcpus} vCPUs and ${size.ram} MB, but the source VM has ${vm.vcpus ?? '?'} vCPU and ${vm.memory_mb ?? '?'} MB`,
    );
}

async function checkWorkers(
  session: AzureSession,
  place: Place,
  offers: Offers,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const wanted = environment.worker_size;
  const resolution = wanted === undefined ? undefined : resolveSize(offers.sizes, wanted);
  if (wanted === undefined || resolution === undefined)
    report('error', '/worker_size', 'parameter-missing', 'worker_size is not set');
  else reportUnresolved(report, '/worker_size', 'VM size', wanted, resolution);
  const size = resolution?.outcome === 'found' ? resolution.resource : undefined;
  if (size?.restriction !== undefined)
    report(
      'error',
      '/worker_size',
      'size-restricted',
      `${size.name} is not available to this subscription (${size.restriction})`,
    );
  // Windows guests are prepared by the Linux worker too.
  const facts = await findImage(session, place.location, environment.linux_migr_image, signal);
  if (facts === undefined)
    report(
      'error',
      '/linux_migr_image',
      'name-unknown',
      `no image ${imageText(environment.linux_migr_image)} in ${place.location}`,
    );
  for (const problem of size === undefined || facts === undefined
    ? []
    : workerProblems(size, facts, 'linux', vm, environment)) {
    if (problem.startsWith('image ') && problem.endsWith(' image'))
      report('error', '/linux_migr_image', 'image-system', problem);
    else report('error', '/worker_size', 'worker-size', problem);
  }
  for (const problem of size === undefined ? [] : tooManyDisks(size, vm)) {
    report(
      'warning',
      '/worker_size',
      'worker-in-turns',
      `${problem}: they are copied in turns, and a deployment needs a larger worker_size`,
    );
  }
}

async function checkQuotas(
  session: AzureSession,
  place: Place,
  offers: Offers,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const worker = await plannedNeeds(() => copyWorkerNeeds(session, environment, vm, signal), '', report, signal);
  const volumes = await volumesOfVm(cloudCalls(session, place), vm, (disk) => diskTypeOf(disk, environment), signal);
  const quotas = await readQuotas(session, place.location, signal);
  // Page blobs are written without a worker, and count for no quota.
  if (blobPlaceOf(environment) === undefined)
    reportShortages(addNeeds(worker, volumeNeeds(volumes)), quotas, quotaWords, report);
  const size = offers.sizes.find(({ name }) => name.toLowerCase() === environment.vm_size?.toLowerCase());
  // Copying and deploying do not happen at the same time: each is to fit by itself.
  if (size !== undefined && size.vcpus > (worker['cores'] ?? 0))
    reportShortages(needsOfSize(size), quotas, quotaWords, report);
}
