import { CausewayError } from '../../../../../../../shared/model/causeway-error.ts';
import type { WorkerCloud } from '../../../../../cloud-resources/cloud-api.ts';
import { labelKeys } from '../../../../../cloud-resources/labels.ts';
import { pollPlan } from '../../../../../cloud-resources/retry-context.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../../../cloud-resources/ledgered-resource.ts';
import type { DestinationRun, WorkerAccess } from '../../../../../ports/destination-platform.ts';
import { pollUntil } from '../../../../../time/poll.ts';
import { callerRanges } from '../../../../../workers/caller-address.ts';
import { exportRole } from '../../../../../workers/export/export-worker.ts';
import { temporary, type WorkerKeyRing } from '../../../../../workers/worker-entries.ts';
import { workerPorts } from '../../../../../workers/worker-ports.ts';
import { dropUnreachableWorker, ensureWorkerServer, workerAccess } from '../../../../../workers/worker-server.ts';
import { findInstance, listInstances, tagFilters } from '../../../client/compute.ts';
import { serviceHost } from '../../../client/connection.ts';
import { createSecurityGroup, listSecurityGroups, openPort, runInstance } from '../../../client/worker-calls.ts';
import { untilKnown, type SourceContext } from '../../source-context.ts';
import { asServer } from './cloud-api.ts';
import type { WorkerPlan } from './worker-plan.ts';

const addressMs = 30_000;

/** A running worker in the VM's own subnet, or in the one that the endpoint names. What an earlier call made is adopted. */
export async function startWorker(
  context: SourceContext,
  api: WorkerCloud,
  plan: WorkerPlan,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const { cloud } = context;
  const { callerAddresses, workerUsesPublicIp: publicIp } = cloud.connection;
  const publicHost = serviceHost(cloud.connection, 'ec2').replace(/:\d+$/, '');
  // That there is an address to open the worker for has to be known before anything is made.
  const ranges = await callerRanges(
    { addresses: callerAddresses, egressAddress: context.egressAddress, publicHost },
    { publicAddress: publicIp, prefixes: [plan.prefix] },
    signal,
  );
  await dropUnreachableWorker(api, keyRing, run, exportRole, signal);

  const groupId = await ensureGroup(context, plan, run, signal);
  for (const port of workerPorts(exportRole, 'SSH'))
    await untilKnown(context, () => openPort(cloud, groupId, port, ranges, signal), signal);
  context.recent.saw(groupId);
  const worker = await ensureWorkerServer(
    api,
    keyRing,
    {
      run,
      role: exportRole,
      async find(entry, within) {
        const instance = (await listInstances(cloud, tagFilters(entryLabel(entry)), within))[0];
        return instance === undefined ? undefined : asServer(instance);
      },
      async create(entry, userData, within) {
        const labels = { Name: nameOf(entry), ...resourceTags(run, entry, { [labelKeys.role]: exportRole }) };
        const wanted = {
          token: entry.entryId,
          imageId: plan.imageId,
          type: plan.type,
          subnetId: plan.subnetId,
          groupId,
          publicIp,
          imageDevices: plan.imageDevices,
          userData,
          labels,
        };
        const id = await untilKnown(context, () => runInstance(cloud, wanted, within), within);
        context.recent.add(id);
        return { id, name: nameOf(entry), state: 'changing', status: 'pending', problem: undefined, labels };
      },
    },
    signal,
  );
  const address = await addressOf(context, worker.server.id, signal);
  const reached = context.resolveAddress ?? ((host: string, port: number) => ({ host, port }));
  return workerAccess(worker, (port) => reached(address, port));
}

/** A public address may show a moment after the instance runs. */
function addressOf({ cloud, timing, clock }: SourceContext, serverId: string, signal: AbortSignal): Promise<string> {
  const { workerUsesPublicIp: isPublic } = cloud.connection;
  return pollUntil(
    async (within) => {
      const instance = await findInstance(cloud, serverId, within);
      const address = isPublic ? instance?.PublicIpAddress : instance?.PrivateIpAddress;
      return address === undefined || address === ''
        ? { done: false, state: instance?.SubnetId ?? '' }
        : { done: true, value: address };
    },
    pollPlan(timing, addressMs),
    clock,
    signal,
    (subnetId) =>
      new CausewayError(
        'cloud.unexpected-answer',
        `worker ${serverId} has no ${isPublic ? 'public' : 'private'} IP address${isPublic ? `: subnet ${subnetId} may have no internet gateway. Set worker_use_public_ip to false if this computer can route to it` : ''}`,
        { details: { serverId } },
      ),
  );
}

/** A group of the worker's own, closed to everybody. */
async function ensureGroup(
  context: SourceContext,
  plan: WorkerPlan,
  run: DestinationRun,
  signal: AbortSignal,
): Promise<string> {
  const { cloud, recent } = context;
  const { resource } = await ensureResource<{ readonly id: string }>(
    context,
    run.ledger,
    temporary('security-group', exportRole, 'security-group', { vpcId: plan.vpcId }),
    {
      find: async (entry, within) =>
        found(
          (
            await listSecurityGroups(
              cloud,
              [
                { Name: 'group-name', Values: [nameOf(entry)] },
                { Name: 'vpc-id', Values: [plan.vpcId] },
              ],
              within,
            )
          )[0]?.GroupId,
        ),
      get: async (id, _entry, within) =>
        found((await listSecurityGroups(cloud, [{ Name: 'group-id', Values: [id] }], within))[0]?.GroupId),
      async create(entry, within) {
        const id = await createSecurityGroup(
          cloud,
          { name: nameOf(entry), vpcId: plan.vpcId, labels: resourceTags(run, entry) },
          within,
        );
        recent.add(id);
        return { id };
      },
    },
    signal,
  );
  return resource.id;
}

const found = (id: string | undefined): { readonly id: string } | undefined => (id === undefined ? undefined : { id });
