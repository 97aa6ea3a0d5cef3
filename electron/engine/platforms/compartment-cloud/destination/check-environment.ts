import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import type { Vm } from '../../../../../shared/model/vm.ts';
import type { Finding } from '../../../../../shared/schema/finding.ts';
import {
  checkDiskSizes,
  checkImagesGiven,
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
import { fits } from '../../../cloud-resources/instance-type.ts';
import { addNeeds, type QuotaNeeds } from '../../../cloud-resources/quota-needs.ts';
import { volumesOfVm } from '../../../cloud-resources/replica-volumes.ts';
import { resolve, resolveText } from '../../../cloud-resources/resolve-reference.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { attachmentTypes, type OciShape } from '../client/compute.ts';
import type { Subnet } from '../client/network.ts';
import { cloudCalls, largestVolumeGib } from './cloud-calls.ts';
import { systemOf } from './catalog.ts';
import { groupsOf } from './deployment/plan-deployment.ts';
import { mappingOf, readEnvironment, type DestinationEnvironment } from './environment.ts';
import { quotaWords, readQuotas, volumeNeeds } from './quotas.ts';
import { callerOf, placeOf, type OciSession, type Place } from './session.ts';
import { configFor, isArm, sizeOf, smallestConfig, vnicLimit } from './shapes.ts';
import { callerQuestion, planWorker, resolveNamed, subnetsOf, workerNeeds } from './worker-plan.ts';

/**
 * Everything about an environment that only the cloud can tell: names, ranges, sizes, limits. All findings in one go;
 * nothing is created or changed.
 */
export async function checkEnvironment(
  session: OciSession,
  environment: JsonObject,
  vm: Vm,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const findings: Finding[] = [];
  const report = reportInto('compartment-cloud', findings);
  const effective = readForCheck(() => readEnvironment(environment), report);
  if (effective === undefined) return findings;
  const place = await checkPlace(session, effective, report, signal);
  if (place === undefined) return findings;
  const [subnets, shapes] = await Promise.all([
    subnetsOf(session, place, signal),
    session.compute.shapes(place.compartmentId, place.domain, signal),
  ]);
  await checkNetworks(session, place, subnets, effective, vm, report, signal);
  checkDisks(effective, vm, report);
  await checkImages(session, place, shapes, effective, vm, report, signal);
  checkShape(shapes, effective, vm, report);
  await checkQuotas(session, place, effective, vm, report, signal);
  return findings;
}

/** Nothing else can be looked up without a compartment and an availability domain. */
async function checkPlace(
  session: OciSession,
  environment: DestinationEnvironment,
  report: Report,
  signal: AbortSignal,
): Promise<Place | undefined> {
  try {
    const place = await placeOf(session, environment, signal);
    const visible = (await session.compartments(signal)).map(({ id }) => id);
    for (const [key, id] of [
      ['compartment', place.compartmentId],
      ['vcn_compartment', place.networkCompartmentId],
    ] as const) {
      if (!visible.includes(id))
        report(
          'error',
          pointer(key),
          'compartment',
          `compartment ${id} does not exist, or the user has no access to it`,
        );
    }
    return visible.includes(place.compartmentId) && visible.includes(place.networkCompartmentId) ? place : undefined;
  } catch (error) {
    if (
      !(error instanceof CausewayError) ||
      !['cloud.parameter-missing', 'cloud.name-unknown', 'cloud.name-ambiguous'].includes(error.code)
    )
      throw error;
    const parameter = typeof error.details['parameter'] === 'string' ? error.details['parameter'] : '';
    report('error', parameter === '' ? '' : pointer(parameter), error.code.replace('cloud.', ''), error.message);
    return undefined;
  }
}

async function checkNetworks(
  session: OciSession,
  place: Place,
  subnets: readonly Subnet[],
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const groups = await groupsOf(session, place, signal);
  for (const [source, { id, security_groups }] of Object.entries(environment.network_map)) {
    const resolution = resolveNamed(subnets, id);
    reportUnresolved(report, pointer('network_map', source, 'id'), 'subnet', id, resolution);
    const subnet = resolution.outcome === 'found' ? resolution.resource : undefined;
    for (const [index, wanted] of (security_groups ?? []).entries()) {
      const path = pointer('network_map', source, 'security_groups', index);
      const group = resolveNamed(groups, wanted);
      reportUnresolved(report, path, 'network security group', wanted, group);
      if (group.outcome === 'found' && subnet !== undefined && group.resource.vcnId !== subnet.vcnId)
        report(
          'error',
          path,
          'group-of-other-vcn',
          `network security group ${wanted} belongs to another virtual cloud network than subnet ${id}`,
        );
    }
  }
  for (const network of new Set(vm.nics.map((nic) => nic.network))) {
    if (environment.network_map[network] === undefined)
      report('error', '/network_map', 'network-not-mapped', `source network "${network}" is not mapped`);
  }
  const first = vm.nics[0] === undefined ? undefined : environment.network_map[vm.nics[0].network];
  const primary = first === undefined ? undefined : resolveNamed(subnets, first.id);
  if (environment.set_public_ip && primary?.outcome === 'found' && primary.resource.prohibitPublicIpOnVnic === true) {
    report(
      'error',
      '/set_public_ip',
      'no-public-addresses',
      `subnet ${first?.id ?? ''} of the first NIC has no public addresses`,
    );
  }
  if (environment.migr_subnet_id !== undefined)
    reportUnresolved(
      report,
      '/migr_subnet_id',
      'subnet',
      environment.migr_subnet_id,
      resolveNamed(subnets, environment.migr_subnet_id),
    );
}

function checkDisks(environment: DestinationEnvironment, vm: Vm, report: Report): void {
  checkDiskSizes(vm, largestVolumeGib, report);
  const parameter = environment.storage_mapping === undefined ? 'storage_mappings' : 'storage_mapping';
  for (const [path, name] of namedTypes(mappingOf(environment), parameter))
    reportUnresolved(report, path, 'volume attachment type', name, resolveText(attachmentTypes, name));
}

async function checkImages(
  session: OciSession,
  place: Place,
  shapes: readonly OciShape[],
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  checkImagesGiven(environment.migr_image_map, '/migr_image_map', vm, report);
  const shape = shapes.find((each) => each.shape === environment.migr_shape_name);
  const machine =
    shape === undefined
      ? undefined
      : {
          ...sizeOf(shape, smallestConfig(shape)),
          architecture: isArm(shape) ? ('arm64' as const) : ('x86_64' as const),
        };
  const images =
    Object.keys(environment.migr_image_map).length === 0 ? [] : await session.images.list(place.compartmentId, signal);
  for (const [os, name] of Object.entries(environment.migr_image_map)) {
    const path = pointer('migr_image_map', os);
    const resolution = resolveNamed(images, name);
    reportUnresolved(report, path, 'image', name, resolution);
    if (resolution.outcome !== 'found') continue;
    const { resource } = resolution;
    const architecture = /aarch64|arm64/i.test(resource.displayName ?? '') ? 'arm64' : 'x86_64';
    checkWorkerImage(
      { name: resource.displayName ?? resource.id, system: systemOf(resource), architecture, memory: undefined },
      os,
      machine,
      { image: path, machine: '/migr_shape_name' },
      report,
    );
  }
}

function checkShape(shapes: readonly OciShape[], environment: DestinationEnvironment, vm: Vm, report: Report): void {
  const named = shapes.map((shape) => ({ ...shape, id: shape.shape, name: shape.shape }));
  if (environment.migr_shape_name !== undefined)
    reportUnresolved(
      report,
      '/migr_shape_name',
      'shape',
      environment.migr_shape_name,
      resolve(named, environment.migr_shape_name),
    );
  if (environment.shape_name === undefined) return;
  const resolution = resolve(named, environment.shape_name);
  reportUnresolved(report, '/shape_name', 'shape', environment.shape_name, resolution);
  if (resolution.outcome !== 'found') return;
  const { resource: shape } = resolution;
  if (isArm(shape))
    report(
      'error',
      '/shape_name',
      'shape-architecture',
      `shape ${shape.shape} has ARM processors: the VM does not run on it`,
    );
  try {
    const config = configFor(shape, vm);
    const size = sizeOf(shape, config);
    if (!fits(size, vm))
      report(
        'warning',
        '/shape_name',
        'shape-small',
        `shape ${shape.shape} has ${size.vcpus} vCPUs and ${size.ram} MB, less than the VM (${vm.vcpus ?? '?'} vCPUs, ${vm.memory_mb ?? '?'} MB)`,
      );
    const most = vnicLimit(shape, config);
    if (vm.nics.length > most)
      report(
        'error',
        '/shape_name',
        'shape-vnics',
        `shape ${shape.shape} has at most ${most} VNICs, and the VM has ${vm.nics.length} NICs`,
      );
  } catch (error) {
    report('error', '/shape_name', 'shape-too-small', toErrorRecord(error).message);
  }
}

async function checkQuotas(
  session: OciSession,
  place: Place,
  environment: DestinationEnvironment,
  vm: Vm,
  report: Report,
  signal: AbortSignal,
): Promise<void> {
  const worker = await plannedNeeds(() => copyWorkerNeeds(session, place, environment, signal), '', report, signal);
  const volumes = await volumesOfVm(cloudCalls(session, place), vm, () => undefined, signal);
  const needs = addNeeds(worker, volumeNeeds(volumes));
  reportShortages(needs, await readQuotas(session, place, needs, signal), quotaWords, report);
}

/** What a disk copy worker of this environment needs, opened to the computer that asks. */
export async function copyWorkerNeeds(
  session: OciSession,
  place: Place,
  environment: DestinationEnvironment,
  signal: AbortSignal,
): Promise<QuotaNeeds> {
  const plan = await planWorker(session, place, environment, 'disk-copy', signal);
  await callerRanges(callerOf(session), callerQuestion(plan), signal);
  return workerNeeds(plan).server;
}
