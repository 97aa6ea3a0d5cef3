import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { ensureResource, entryLabel, nameOf } from '../../../../cloud-resources/ledgered-resource.ts';
import type { DeployedNic, DeploymentPlan, DeploymentRun } from '../../../../ports/deployment-platform.ts';
import type { Port } from '../../client/network.ts';
import type { OpenStackSession } from '../context.ts';
import { isTaggedFor, tagsOf } from '../description-tags.ts';
import { planState, type PlannedPort, type PlanState } from './plan-deployment.ts';

/** One port a source NIC, in their order, with the MAC address, the fixed IP and the groups of the plan. */
export async function createPorts(
  session: OpenStackSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  signal: AbortSignal,
): Promise<readonly DeployedNic[]> {
  const state = planState(plan);
  const subnets = await session.cloud.network.subnets({}, signal);
  const nics: DeployedNic[] = [];
  for (const planned of state.ports) {
    const port =
      planned.reusedPortId === undefined
        ? await ensurePort(session, run, state, planned, signal)
        : await takePort(session, planned.reusedPortId, state, planned, signal);
    const address = port.fixed_ips.find(({ ip_address }) => !ip_address.includes(':')) ?? port.fixed_ips[0];
    const subnet = subnets.find(({ id }) => id === address?.subnet_id);
    nics.push({
      id: port.id,
      sourceNicId: planned.sourceNicId,
      networkId: planned.networkId,
      macAddress: port.mac_address.toLowerCase(),
      ipAddress: address?.ip_address,
      prefixLength: subnet === undefined ? undefined : Number(subnet.cidr.split('/')[1]),
      gateway: subnet?.gateway_ip ?? undefined,
    });
  }
  return nics;
}

async function ensurePort(
  session: OpenStackSession,
  run: DeploymentRun,
  state: PlanState,
  planned: PlannedPort,
  signal: AbortSignal,
): Promise<Port> {
  const { network } = session.cloud;
  const { macAddress, fixedIp, replacedPortId } = planned;
  const { resource } = await ensureResource<Port>(
    session,
    run.ledger,
    deploymentIntent(run, 'nic', `nic/${planned.sourceNicId}`, { networkId: planned.networkId }),
    {
      find: async (entry, s) =>
        (await network.ports({ name: nameOf(entry) }, s)).find((each) =>
          isTaggedFor(each.description, entryLabel(entry)),
        ),
      get: (id, _entry, s) => network.port(id, s),
      async create(entry, s) {
        if (replacedPortId !== undefined) await removeForeignPort(session, run, replacedPortId, s);
        return network.createPort(
          {
            network_id: planned.networkId,
            name: nameOf(entry),
            description: tagsOf(run, entry),
            ...(macAddress === undefined ? {} : { mac_address: macAddress }),
            ...(fixedIp === undefined ? {} : { fixed_ips: [fixedIp] }),
            ...(state.securityGroupIds === undefined ? {} : { security_groups: state.securityGroupIds }),
          },
          s,
        );
      },
    },
    signal,
  );
  return resource;
}

/** What the policy to keep MAC addresses asks for; checked again, because the plan may be old. */
async function removeForeignPort(
  session: OpenStackSession,
  run: DeploymentRun,
  id: string,
  signal: AbortSignal,
): Promise<void> {
  const port = await session.cloud.network.port(id, signal);
  if (port === undefined) return;
  refuseUsed(port);
  run.note(
    `Port ${port.name ?? ''} (${id}) with MAC address ${port.mac_address} was deleted: port_reuse_policy is keep_mac`,
    { portId: id },
  );
  await session.cloud.network.deletePort(id, signal);
}

/** An existing port is not in the ledger, so a roll-back does not delete it. */
async function takePort(
  session: OpenStackSession,
  id: string,
  state: PlanState,
  planned: PlannedPort,
  signal: AbortSignal,
): Promise<Port> {
  const { network } = session.cloud;
  const port = await network.port(id, signal);
  if (port === undefined)
    throw new CausewayError('cloud.not-found', `port ${id}, which was to be reused, no longer exists`, {
      details: { portId: id },
    });
  const { fixedIp } = planned;
  const moves = fixedIp !== undefined && !port.fixed_ips.some(({ ip_address }) => ip_address === fixedIp.ip_address);
  const regroups =
    state.securityGroupIds !== undefined &&
    state.securityGroupIds.some((group) => !port.security_groups.includes(group));
  if (!moves && !regroups) return port;
  refuseUsed(port);
  return network.changePort(
    id,
    {
      ...(moves ? { fixed_ips: [fixedIp] } : {}),
      ...(regroups && state.securityGroupIds !== undefined ? { security_groups: state.securityGroupIds } : {}),
    },
    signal,
  );
}

function refuseUsed(port: Port): void {
  if (port.device_id === undefined || port.device_id === null || port.device_id === '') return;
  throw new CausewayError(
    'cloud.port-in-use',
    `port ${port.name ?? ''} (${port.id}) with MAC address ${port.mac_address} is in use by ${port.device_id}`,
    {
      details: { portId: port.id, deviceId: port.device_id, macAddress: port.mac_address },
    },
  );
}
