import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { hasLabels } from '../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../cloud-resources/ledgered-resource.ts';
import type { DestinationRun, WorkerRole } from '../../ports/destination-platform.ts';
import { temporary } from '../../workers/worker-entries.ts';
import { agentPort, sshPort } from '../../workers/worker-ports.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudNic } from './iaas/networks.ts';
import type { CloudSession } from './session.ts';
import type { WorkerPlan } from './worker-plan.ts';

/** A group of the worker's own, with its ports open for the caller alone. Returns its id. */
export async function ensureSecurityGroup(
  session: CloudSession,
  iaas: Iaas,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  ranges: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const group = await ensureResource(
    session,
    run.ledger,
    temporary('security-group', role, 'security-group', { project: iaas.projectId }),
    {
      find: async (entry, s) =>
        (await iaas.securityGroups.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
      get: (id, _entry, s) => iaas.securityGroups.get(id, s),
      create: (entry, s) =>
        iaas.securityGroups.create(
          {
            name: nameOf(entry),
            description: 'Causeway worker: only accessible to its operator',
            labels: resourceTags(run, entry),
          },
          s,
        ),
    },
    signal,
  );
  const groupId = group.resource.id;
  for (const port of plan.ports)
    for (const ipRange of ranges) {
      const findRule = async (name: string, s: AbortSignal): Promise<{ id: string } | undefined> =>
        (await iaas.securityGroups.rules(groupId, s)).find((rule) => rule.description === name);
      await ensureResource<{ id: string }>(
        session,
        run.ledger,
        temporary('security-group-rule', role, `rule/${port}/${ipRange}/${groupId}`, {
          project: iaas.projectId,
          groupId,
        }),
        {
          find: (entry, s) => findRule(nameOf(entry), s),
          get: async (id, _entry, s) => (await iaas.securityGroups.rules(groupId, s)).find((rule) => rule.id === id),
          create: (entry, s) => iaas.securityGroups.allowTcp(groupId, { description: nameOf(entry), port, ipRange }, s),
        },
        signal,
      );
    }
  return groupId;
}

/** The worker's one NIC, in the workers' network. */
export async function ensureNic(
  session: CloudSession,
  iaas: Iaas,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  groupId: string,
  signal: AbortSignal,
): Promise<CloudNic> {
  const { resource } = await ensureResource(
    session,
    run.ledger,
    temporary('nic', role, 'nic', { project: iaas.projectId, networkId: plan.network.id }),
    {
      find: async (entry, s) =>
        (await iaas.nics.list(entryLabel(entry), s)).find((each) => hasLabels(each, entryLabel(entry))),
      get: (id, _entry, s) => iaas.nics.get(id, s),
      create: (entry, s) =>
        iaas.nics.create(
          plan.network.id,
          { name: nameOf(entry), securityGroups: [groupId], labels: resourceTags(run, entry) },
          s,
        ),
    },
    signal,
  );
  return resource;
}

/** A public address on the worker's NIC. Returns the address. */
export async function ensurePublicIp(
  session: CloudSession,
  iaas: Iaas,
  run: DestinationRun,
  role: WorkerRole,
  nicId: string,
  signal: AbortSignal,
): Promise<string> {
  const { resource, entry } = await ensureResource(
    session,
    run.ledger,
    temporary('public-ip', role, 'public-ip', { project: iaas.projectId }),
    {
      find: async (each, s) =>
        (await iaas.publicIps.list(entryLabel(each), s)).find((ip) => hasLabels(ip, entryLabel(each))),
      get: (id, _entry, s) => iaas.publicIps.get(id, s),
      create: (each, s) => iaas.publicIps.create(nicId, resourceTags(run, each), s),
    },
    signal,
  );
  if (resource.ip === undefined)
    throw new CausewayError('cloud.unexpected-answer', `public IP ${nameOf(entry)} (${resource.id}) has no address`);
  return resource.ip;
}

/** Where a port of a worker is reached from here: as the context says, else at the port that the connection maps it to. */
export function workerEndpoint(
  { context, connection }: Pick<CloudSession, 'context' | 'connection'>,
  address: string,
  port: number,
): { readonly host: string; readonly port: number } {
  if (context.resolveAddress !== undefined) return context.resolveAddress(address, port);
  const mapped = { [sshPort]: connection.workerSshPort, [agentPort]: connection.workerHttpsPort }[port];
  return { host: address, port: mapped ?? port };
}
