import { z } from 'zod';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import {
  hasStarted,
  mappedName,
  readPlanState,
  refuseFixedAddresses,
} from '../../../cloud-resources/deployment/plan-steps.ts';
import { keptAddress } from '../../../cloud-resources/fixed-addresses.ts';
import { resolve, resolvedOrThrow, resolveText } from '../../../cloud-resources/resolve-reference.ts';
import { addNeeds, requireQuota } from '../../../cloud-resources/quota-needs.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import type { DeploymentPlan, DeploymentRun } from '../../../ports/deployment-platform.ts';
import type { Volume } from '../../../ports/destination-platform.ts';
import { readEnvironment, type DestinationEnvironment } from '../environment.ts';
import type { MachineType } from '../iaas/catalog-lists.ts';
import type { Iaas } from '../iaas/iaas.ts';
import type { CloudNetwork } from '../iaas/networks.ts';
import { smallestFitting } from '../machine-type.ts';
import { mappedNetworks } from '../mapped-networks.ts';
import { quotaWords } from '../iaas/quotas.ts';
import { asServerLabels } from '../server-labels.ts';
import type { CloudSession } from '../session.ts';
import { needsOfWorker } from '../../../workers/worker-needs.ts';
import { planWorker, workerNeeds } from '../worker-plan.ts';
import { bootVolumeConfig } from './boot-volume-config.ts';

const stateSchema = z.object({
  nics: z.array(
    z.object({
      sourceNicId: z.string(),
      networkId: z.string(),
      address: z.string().optional(),
      prefix: z.string().optional(),
      gateway: z.string().optional(),
    }),
  ),
  securityGroupIds: z.array(z.string()),
  affinityGroupId: z.string().optional(),
  keypairName: z.string().optional(),
});

export type PlanState = z.infer<typeof stateSchema>;

/** @throws `general.bug` when the plan is not one of this platform */
export function planState(plan: DeploymentPlan): PlanState {
  return readPlanState(stateSchema, plan);
}

/** Settles everything that can be settled, and refuses everything that can be refused, before anything is created. */
export async function planDeployment(
  session: CloudSession,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeploymentPlan> {
  const environment = readEnvironment(run.environment);
  const iaas = session.iaas(environment.project);
  const networks = await iaas.networks.list(signal);
  const nics = run.vm.nics.map((nic) => planNic(networks, environment, nic));
  if (environment.preserve_fixed_ips)
    await refuseFixedAddresses('european-cloud', mappedNetworks(iaas, networks, environment), run, signal);
  const machineType = await chooseMachineType(iaas, environment, run, signal);
  const securityGroupIds = await resolveGroups(iaas, environment, signal);
  const affinityGroupId =
    environment.affinity_group === undefined
      ? undefined
      : resolvedOrThrow(
          'affinity group',
          'affinity_group',
          environment.affinity_group,
          resolve(await iaas.lists.affinityGroups(signal), environment.affinity_group),
        ).id;
  const keypairName = await chooseKeypair(iaas, environment, run, signal);
  bootVolumeConfig(run.vm, environment);
  const [refused] = asServerLabels(environment.server_labels).refused;
  if (refused !== undefined)
    throw new CausewayError('general.invalid-input', `server_labels: ${refused.reason}`, {
      details: { parameter: 'server_labels', index: refused.index },
    });

  const worker = await planWorker(iaas, environment, run.preparationRole, signal);
  const gigabytes = volumes.reduce((sum, volume) => sum + Math.ceil(volume.sizeBytes / 2 ** 30), 0);
  const needs = addNeeds(
    // Snapshots count by their volumes' sizes as well.
    {
      snapshots: volumes.length,
      volumes: volumes.length,
      gigabytes: 2 * gigabytes,
      nics: nics.length,
      publicIps: environment.use_public_ip ? 1 : 0,
    },
    // The worker is gone when the server comes, so that the larger of the two counts for processors and memory.
    {
      ...needsOfWorker(workerNeeds(worker, 1)),
      vcpu: Math.max(worker.machineType.vcpus, machineType.vcpus),
      ram: Math.max(worker.machineType.ram, machineType.ram),
    },
  );
  if (!hasStarted(run)) requireQuota(needs, await iaas.quotas.read(signal), quotaWords);
  const state = {
    nics,
    securityGroupIds,
    ...(affinityGroupId === undefined ? {} : { affinityGroupId }),
    ...(keypairName === undefined ? {} : { keypairName }),
  };
  return { machineType: machineType.name, state: JSON.parse(JSON.stringify(state)) as JsonObject };
}

function planNic(
  networks: readonly CloudNetwork[],
  environment: DestinationEnvironment,
  nic: DeploymentRun['vm']['nics'][number],
): PlanState['nics'][number] {
  const wanted = mappedName(environment.network_map, nic);
  const network = resolvedOrThrow('network', `network_map.${nic.network}`, wanted, resolve(networks, wanted));
  const address = environment.preserve_fixed_ips ? keptAddress(nic) : undefined;
  const [prefix] = network.ipv4?.prefixes ?? [];
  const gateway = network.ipv4?.gateway;
  return {
    sourceNicId: nic.id,
    networkId: network.id,
    ...(address === undefined ? {} : { address }),
    ...(prefix === undefined ? {} : { prefix }),
    ...(typeof gateway === 'string' ? { gateway } : {}),
  };
}

async function chooseMachineType(
  iaas: Iaas,
  environment: DestinationEnvironment,
  run: DeploymentRun,
  signal: AbortSignal,
): Promise<MachineType> {
  const types = (await iaas.lists.machineTypes(signal)).map((type) => ({ ...type, id: type.name }));
  if (environment.machine_type !== undefined)
    return resolvedOrThrow(
      'machine type',
      'machine_type',
      environment.machine_type,
      resolve(types, environment.machine_type),
    );
  if (run.vm.os_type === 'windows')
    missing('machine_type', 'machine_type is not set; a Windows VM needs an explicit, Windows-compatible type');
  const chosen =
    smallestFitting(types, run.vm) ??
    missing(
      'machine_type',
      `machine_type is not set, and no type has ${run.vm.vcpus ?? '?'} vCPUs and ${run.vm.memory_mb ?? '?'} MB`,
    );
  run.note(`Machine type ${chosen.name} is the smallest that fits (${chosen.vcpus} vCPU, ${chosen.ram} MB)`, {
    machineType: chosen.name,
  });
  return chosen;
}

async function resolveGroups(iaas: Iaas, environment: DestinationEnvironment, signal: AbortSignal): Promise<string[]> {
  const wanted = [...new Set([...environment.security_groups, ...environment.default_security_groups])];
  if (wanted.length === 0) return [];
  const groups = await iaas.securityGroups.list(undefined, signal);
  const found = wanted.map((name) => resolvedOrThrow('security group', 'security_groups', name, resolve(groups, name)));
  if (new Set(found.map((group) => group.stateful ?? true)).size > 1) {
    throw new CausewayError(
      'general.invalid-input',
      'security_groups: a NIC cannot have both stateful and stateless groups',
      { details: { parameter: 'security_groups' } },
    );
  }
  return [...new Set(found.map((group) => group.id))];
}

async function chooseKeypair(
  iaas: Iaas,
  environment: DestinationEnvironment,
  run: DeploymentRun,
  signal: AbortSignal,
): Promise<string | undefined> {
  const wanted = environment.keypair_name;
  if (wanted === undefined) return undefined;
  if (environment.retain_user_credentials) {
    run.note('keypair_name has no effect because retain_user_credentials is set');
    return undefined;
  }
  const names = (await iaas.lists.keyPairs(signal)).map((each) => each.name);
  return resolvedOrThrow('key pair of this service account', 'keypair_name', wanted, resolveText(names, wanted)).name;
}
