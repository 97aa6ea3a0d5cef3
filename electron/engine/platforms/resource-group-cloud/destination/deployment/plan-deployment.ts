import { z } from 'zod';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { fixedAddressFit } from '../../../../../../shared/model/fixed-address.ts';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import type { Nic } from '../../../../../../shared/model/vm.ts';
import { hasStarted, mappedName, readPlanState } from '../../../../cloud-resources/deployment/plan-steps.ts';
import { keptAddress } from '../../../../cloud-resources/fixed-addresses.ts';
import { addNeeds, requireQuota } from '../../../../cloud-resources/quota-needs.ts';
import { resolve, resolvedOrThrow } from '../../../../cloud-resources/resolve-reference.ts';
import type { DeploymentPlan, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import { needsOfWorker } from '../../../../workers/worker-needs.ts';
import { readEnvironment, type DestinationEnvironment } from '../environment.ts';
import {
  isAddressFree,
  listSubnets,
  securityGroupCalls,
  securityGroupType,
  type MappedSubnet,
} from '../network-calls.ts';
import { diskQuota, needsOfSize, quotaWords, readOffers, readQuotas } from '../offers.ts';
import { ownId, placeOf, type AzureSession } from '../session.ts';
import { chooseSize, diskTypeOf, zoneFor } from '../disk-types.ts';
import { planWorker, workerNeeds } from '../worker-plan.ts';

const stateSchema = z.object({
  nics: z.array(
    z.object({
      sourceNicId: z.string(),
      subnetId: z.string(),
      address: z.string().optional(),
      prefix: z.string().optional(),
      gateway: z.string().optional(),
    }),
  ),
  securityGroupId: z.string().optional(),
  availabilitySetId: z.string().optional(),
  zone: z.string().optional(),
});

export type PlanState = z.infer<typeof stateSchema>;

/** @throws `general.bug` when the plan is not one of this platform */
export function planState(plan: DeploymentPlan): PlanState {
  return readPlanState(stateSchema, plan);
}

/** Settles everything that can be settled, and refuses everything that can be refused, before anything is created. */
export async function planDeployment(
  session: AzureSession,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeploymentPlan> {
  const environment = readEnvironment(run.environment);
  const place = placeOf(session, environment);
  const { connection } = session;
  const offers = await readOffers(session, place.location, signal);
  const size = chooseSize(session, environment, run.vm, offers);
  const zone = zoneFor(session, environment, run.vm, offers);
  const subnets = await listSubnets(session, place, signal);
  const started = hasStarted(run);
  const nics: PlanState['nics'] = [];
  for (const nic of run.vm.nics)
    nics.push(await planNic(session, run, environment, place.group, subnets, nic, started, signal));
  const securityGroupId = await securityGroupOf(session, place.group, signal);
  const availabilitySetId = await availabilitySetOf(session, place.group, zone, signal);

  const worker = await planWorker(session, environment, run.vm, run.preparationRole, signal);
  const needs = addNeeds(
    ...run.vm.disks.map((disk) => ({ [diskQuota(diskTypeOf(disk, environment))]: 1 })),
    { NetworkInterfaces: nics.length, ...(connection.usePublicIp ? { StandardSkuPublicIpAddresses: 1 } : {}) },
    // The worker is gone when the VM comes: the larger of the two counts.
    worker.size.vcpus > size.vcpus ? needsOfWorker(workerNeeds(worker)) : needsOfSize(size),
  );
  if (!started) requireQuota(needs, await readQuotas(session, place.location, signal), quotaWords);
  if (volumes.length === 0)
    throw new CausewayError('general.invalid-input', `VM ${run.vm.name} has no volumes`, {
      details: { vmId: run.vm.id },
    });
  const state: PlanState = {
    nics,
    ...(securityGroupId === undefined ? {} : { securityGroupId }),
    ...(availabilitySetId === undefined ? {} : { availabilitySetId }),
    ...(zone === undefined ? {} : { zone }),
  };
  return { machineType: size.name, state: JSON.parse(JSON.stringify(state)) as JsonObject };
}

async function planNic(
  session: AzureSession,
  run: DeploymentRun,
  environment: DestinationEnvironment,
  group: string,
  subnets: readonly MappedSubnet[],
  nic: Nic,
  started: boolean,
  signal: AbortSignal,
): Promise<PlanState['nics'][number]> {
  const wanted = mappedName(environment.network_map, nic);
  const subnet = resolvedOrThrow('subnet', `network_map.${nic.network}`, wanted, resolve(subnets, wanted));
  const [prefix] = subnet.prefixes;
  const gateway = typeof subnet.gateway === 'string' ? { gateway: subnet.gateway } : {};
  const planned = { sourceNicId: nic.id, subnetId: subnet.id, ...(prefix === undefined ? {} : { prefix }), ...gateway };
  const address = environment.preserve_nic_ips ? keptAddress(nic) : undefined;
  if (address === undefined) return planned;
  const fit = fixedAddressFit(address, subnet);
  if (fit.outcome === 'out-of-range') {
    run.note(
      `NIC ${nic.id}: ${address} is not in the range of ${subnet.name} (${subnet.prefixes.join(', ')}), so that it gets another address`,
      { nicId: nic.id, address },
    );
    return planned;
  }
  const isTaken =
    fit.outcome !== 'reserved' && !started && !(await isAddressFree(session, group, subnet, address, signal));
  if (fit.outcome === 'reserved' || isTaken) {
    const problem = `NIC ${nic.id}: ${address} is ${fit.outcome === 'reserved' ? `reserved for ${fit.use}` : 'in use'} in subnet ${subnet.name}`;
    throw new CausewayError('cloud.address-out-of-range', problem, { details: { problems: [problem] } });
  }
  return { ...planned, address };
}

/** The security group that the endpoint has for interfaces of migrated VMs. */
async function securityGroupOf(session: AzureSession, group: string, signal: AbortSignal): Promise<string | undefined> {
  const wanted = session.connection.networkSecurityGroup;
  if (wanted === undefined) return undefined;
  const groups = (await securityGroupCalls(session).list(group, signal)).map(({ name = '' }) => ({
    id: ownId(session, group, securityGroupType, name),
    name,
  }));
  return resolvedOrThrow('network security group', 'network_security_group', wanted, resolve(groups, wanted)).id;
}

async function availabilitySetOf(
  session: AzureSession,
  group: string,
  zone: string | undefined,
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = session.connection.availabilitySet;
  if (wanted === undefined) return undefined;
  if (zone !== undefined) {
    throw new CausewayError(
      'general.invalid-input',
      `availability set ${wanted}: a VM in a zone (${zone}) cannot be in an availability set`,
      { details: { parameter: 'availability_set', zone } },
    );
  }
  const { availabilitySets } = await session.compute();
  const sets = await session.list(
    `list availability sets of ${group}`,
    (options) => availabilitySets.list(group, options),
    signal,
  );
  const named = sets.map(({ name = '' }) => ({
    id: ownId(session, group, 'Microsoft.Compute/availabilitySets', name),
    name,
  }));
  return resolvedOrThrow('availability set', 'availability_set', wanted, resolve(named, wanted)).id;
}
