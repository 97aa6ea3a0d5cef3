import { z } from 'zod';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../../shared/model/json.ts';
import type { Nic } from '../../../../../../shared/model/vm.ts';
import { parseCidr, parseIpv4 } from '../../../../../../shared/model/ip-address.ts';
import { refusedTags } from '../../../../../../shared/plugins/open-source-cloud/instance-tags.ts';
import {
  hasStarted,
  mappedName,
  readPlanState,
  refuseFixedAddresses,
} from '../../../../cloud-resources/deployment/plan-steps.ts';
import { keptAddress } from '../../../../cloud-resources/fixed-addresses.ts';
import { resolve, resolvedOrThrow } from '../../../../cloud-resources/resolve-reference.ts';
import { addNeeds, requireQuota } from '../../../../cloud-resources/quota-needs.ts';
import type { DeploymentPlan, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import type { Network, Subnet } from '../../client/network.ts';
import type { OpenStackSession } from '../context.ts';
import { readEnvironment, type DestinationEnvironment } from '../environment.ts';
import { chooseFlavor } from '../flavor.ts';
import { mappedNetworks } from '../mapped-networks.ts';
import { findPool, resolveNetwork } from '../networks.ts';
import { quotaWords, readQuotas, volumeNeeds } from '../quotas.ts';
import { needsOfWorker } from '../../../../workers/worker-needs.ts';
import { planWorker, workerNeeds } from '../worker-plan.ts';
import { portFor } from './port-reuse.ts';

const portSchema = z.object({
  sourceNicId: z.string(),
  networkId: z.string(),
  fixedIp: z.object({ subnet_id: z.string(), ip_address: z.string() }).optional(),
  macAddress: z.string().optional(),
  /** A port with the MAC address that gives way before a new one is made. */
  replacedPortId: z.string().optional(),
  /** A port with the MAC address that is taken over as it is. */
  reusedPortId: z.string().optional(),
});

const stateSchema = z.object({
  flavorId: z.string(),
  ports: z.array(portSchema),
  securityGroupIds: z.array(z.string()).optional(),
  serverGroupId: z.string().optional(),
  keypairName: z.string().optional(),
});

export type PlannedPort = z.infer<typeof portSchema>;
export type PlanState = z.infer<typeof stateSchema>;

/** @throws `general.bug` when the plan is not one of this platform */
export function planState(plan: DeploymentPlan): PlanState {
  return readPlanState(stateSchema, plan);
}

/** Settles everything that can be settled, and refuses everything that can be refused, before anything is created. */
export async function planDeployment(
  session: OpenStackSession,
  run: DeploymentRun,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeploymentPlan> {
  const environment = readEnvironment(run.environment);
  const { cloud } = session;
  const [{ projectId }, networks, subnets, flavors] = await Promise.all([
    cloud.identity(signal),
    cloud.network.networks({}, signal),
    cloud.network.subnets({}, signal),
    cloud.compute.flavors(signal),
  ]);
  const going = hasStarted(run);
  if (environment.preserve_fixed_ips) {
    await refuseFixedAddresses(
      'open-source-cloud',
      mappedNetworks(session, networks, subnets, projectId, environment, run.vm),
      run,
      signal,
    );
  }
  const ports: PlannedPort[] = [];
  for (const nic of run.vm.nics) {
    const network = mappedNetwork(networks, projectId, environment, nic);
    const fixedIp = environment.preserve_fixed_ips ? fixedIpOf(subnets, network, nic) : undefined;
    ports.push({
      sourceNicId: nic.id,
      networkId: network.id,
      ...(fixedIp === undefined ? {} : { fixedIp }),
      ...(await portFor(session, run, environment.port_reuse_policy, network, nic, signal)),
    });
  }
  const flavor = chooseFlavor(flavors, environment.flavor_name, run.vm);
  if (environment.flavor_name === undefined)
    run.note(`Flavor ${flavor.name} is the smallest that fits (${flavor.vcpus} vCPU, ${flavor.ram} MB)`, {
      flavor: flavor.name,
    });
  const securityGroupIds = await resolveGroups(session, environment, projectId, signal);
  const serverGroupId =
    environment.server_group === undefined
      ? undefined
      : resolvedOrThrow(
          'server group',
          'server_group',
          environment.server_group,
          resolve(await cloud.compute.serverGroups(signal), environment.server_group),
        ).id;
  const keypairName =
    environment.keypair_name === undefined ? undefined : await knownKeyPair(session, environment.keypair_name, signal);
  if (environment.use_floating_ip) await findPool(cloud, 'floating_ip_pool', environment.floating_ip_pool, signal);
  const [refused] = refusedTags(environment.instance_tags);
  if (refused !== undefined)
    throw new CausewayError('general.invalid-input', `instance_tags: ${refused.reason}`, {
      details: { parameter: 'instance_tags', key: refused.key },
    });

  const worker = await planWorker(cloud, environment, run.preparationRole, signal);
  const volumesNeeded = await Promise.all(
    volumes.map(async ({ id, sizeBytes }) => {
      const type = (await cloud.volume.volumes.get(id, signal))?.volume_type ?? undefined;
      const gib = Math.ceil(sizeBytes / 2 ** 30);
      // Snapshots count by their volumes' sizes as well.
      return addNeeds(volumeNeeds(type, 1, gib), volumeNeeds(type, 0, gib), { snapshots: 1 });
    }),
  );
  const needs = addNeeds(
    ...volumesNeeded,
    {
      port: ports.filter((port) => port.reusedPortId === undefined).length,
      floatingip: environment.use_floating_ip ? 1 : 0,
    },
    {
      ...needsOfWorker(workerNeeds(worker, 1)),
      // The worker is gone when the server comes, so that the larger of the two counts for processors and memory.
      cores: Math.max(worker.flavor.vcpus, flavor.vcpus),
      ram: Math.max(worker.flavor.ram, flavor.ram),
    },
  );
  if (!going) requireQuota(needs, await readQuotas(cloud, signal), quotaWords);
  const state: PlanState = {
    flavorId: flavor.id,
    ports,
    ...(securityGroupIds === undefined ? {} : { securityGroupIds }),
    ...(serverGroupId === undefined ? {} : { serverGroupId }),
    ...(keypairName === undefined ? {} : { keypairName }),
  };
  return { machineType: flavor.name, state: JSON.parse(JSON.stringify(state)) as JsonObject };
}

function mappedNetwork(
  networks: readonly Network[],
  projectId: string,
  environment: DestinationEnvironment,
  nic: Nic,
): Network {
  const wanted = mappedName(environment.network_map, nic);
  return resolvedOrThrow('network', `network_map.${nic.network}`, wanted, resolveNetwork(networks, projectId, wanted));
}

function fixedIpOf(subnets: readonly Subnet[], network: Network, nic: Nic): PlannedPort['fixedIp'] {
  const address = keptAddress(nic);
  const number = address === undefined ? undefined : parseIpv4(address);
  if (address === undefined || number === undefined) return undefined;
  const subnet = subnets.find((each) => {
    const range = each.network_id === network.id ? parseCidr(each.cidr) : undefined;
    return range !== undefined && number >= range.first && number <= range.last;
  });
  return subnet === undefined ? undefined : { subnet_id: subnet.id, ip_address: address };
}

/** Undefined: the environment names none, and ports get the project's default group. */
async function resolveGroups(
  session: OpenStackSession,
  environment: DestinationEnvironment,
  projectId: string,
  signal: AbortSignal,
): Promise<string[] | undefined> {
  if (environment.security_groups.length === 0) return undefined;
  const groups = await session.cloud.network.securityGroups({ projectId }, signal);
  return [
    ...new Set(
      environment.security_groups.map(
        (name) => resolvedOrThrow('security group', 'security_groups', name, resolve(groups, name)).id,
      ),
    ),
  ];
}

async function knownKeyPair(session: OpenStackSession, wanted: string, signal: AbortSignal): Promise<string> {
  const pairs = (await session.cloud.compute.keyPairs(signal)).map(({ name }) => ({ id: name, name }));
  return resolvedOrThrow('key pair of this user', 'keypair_name', wanted, resolve(pairs, wanted)).name;
}
