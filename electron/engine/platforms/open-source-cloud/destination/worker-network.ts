import {
  ensureResource,
  entryLabel,
  nameOf,
  type Intent,
  type Owned,
} from '../../../cloud-resources/ledgered-resource.ts';
import { temporary } from '../../../workers/worker-entries.ts';
import type { DestinationRun, WorkerRole } from '../../../ports/destination-platform.ts';
import type { FloatingIp, Port } from '../client/network.ts';
import type { OpenStackSession } from './context.ts';
import { isTaggedFor, tagsOf } from './description-tags.ts';
import type { FloatingIpPool } from './networks.ts';
import type { WorkerPlan } from './worker-plan.ts';

/** A group of the worker's own, closed to everybody. Returns its id. */
export async function ensureSecurityGroup(
  session: OpenStackSession,
  run: DestinationRun,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<string> {
  const { network } = session.cloud;
  const group = await ensureResource<{ readonly id: string }>(
    session,
    run.ledger,
    temporary('security-group', role, 'security-group', {}),
    {
      find: async (entry, s) =>
        (await network.securityGroups({ name: nameOf(entry) }, s)).find((each) =>
          isTaggedFor(each.description, entryLabel(entry)),
        ),
      get: (id, _entry, s) => network.securityGroup(id, s),
      create: (entry, s) => network.createSecurityGroup({ name: nameOf(entry), description: tagsOf(run, entry) }, s),
    },
    signal,
  );
  return group.resource.id;
}

/** Opens the worker's ports for the caller alone. */
export async function openPorts(
  session: OpenStackSession,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  groupId: string,
  ranges: readonly string[],
  signal: AbortSignal,
): Promise<void> {
  const { network } = session.cloud;
  for (const port of plan.ports)
    for (const range of ranges) {
      await ensureResource<{ readonly id: string }>(
        session,
        run.ledger,
        temporary('security-group-rule', role, `rule/${port}/${range}/${groupId}`, { groupId }),
        {
          find: async (entry, s) =>
            (await network.rules(groupId, s)).find((rule) => isTaggedFor(rule.description, entryLabel(entry))),
          get: async (id, _entry, s) => (await network.rules(groupId, s)).find((rule) => rule.id === id),
          create: (entry, s) =>
            network.createRule(
              {
                security_group_id: groupId,
                direction: 'ingress',
                ethertype: range.includes(':') ? 'IPv6' : 'IPv4',
                protocol: 'tcp',
                port_range_min: port,
                port_range_max: port,
                remote_ip_prefix: range,
                description: tagsOf(run, entry),
              },
              s,
            ),
        },
        signal,
      );
    }
}

/** The worker's one port, in the workers' network. */
export async function ensurePort(
  session: OpenStackSession,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  groupId: string,
  signal: AbortSignal,
): Promise<Port> {
  const { network } = session.cloud;
  const { resource } = await ensureResource<Port>(
    session,
    run.ledger,
    temporary('nic', role, 'nic', { networkId: plan.network.id }),
    {
      find: async (entry, s) =>
        (await network.ports({ name: nameOf(entry) }, s)).find((each) =>
          isTaggedFor(each.description, entryLabel(entry)),
        ),
      get: (id, _entry, s) => network.port(id, s),
      create: (entry, s) =>
        network.createPort(
          {
            network_id: plan.network.id,
            name: nameOf(entry),
            description: tagsOf(run, entry),
            security_groups: [groupId],
          },
          s,
        ),
    },
    signal,
  );
  return resource;
}

/** A floating IP of the pool on a port, under an intent of the caller's. Returns the address. */
export async function ensureFloatingIp(
  session: OpenStackSession,
  run: DestinationRun,
  intent: Intent,
  pool: FloatingIpPool,
  portId: string,
  signal: AbortSignal,
): Promise<string> {
  const { network } = session.cloud;
  const { resource }: Owned<FloatingIp> = await ensureResource<FloatingIp>(
    session,
    run.ledger,
    intent,
    {
      find: async (entry, s) =>
        (await network.floatingIps({}, s)).find((each) => isTaggedFor(each.description, entryLabel(entry))),
      get: (id, _entry, s) => network.floatingIp(id, s),
      create: (entry, s) =>
        network.createFloatingIp(
          {
            floating_network_id: pool.networkId,
            ...(pool.subnetId === undefined ? {} : { subnet_id: pool.subnetId }),
            port_id: portId,
            description: tagsOf(run, entry),
          },
          s,
        ),
    },
    signal,
  );
  // An adopted one may have lost its port, or still have that of a port that was replaced.
  const assigned = resource.port_id === portId ? resource : await network.assignFloatingIp(resource.id, portId, signal);
  return assigned.floating_ip_address;
}
