import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import type { CloudApi, CloudVolume } from '../../../cloud-resources/cloud-api.ts';
import { labelKeys } from '../../../cloud-resources/labels.ts';
import { ensureResource, resourceTags, nameOf } from '../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../cloud-resources/resource-deletion.ts';
import { awaitVolume, volumeFinders } from '../../../cloud-resources/volume-state.ts';
import { temporary, type WorkerKeyRing } from '../../../workers/worker-entries.ts';
import { requireWorkerQuota } from '../../../workers/worker-needs.ts';
import { dropUnreachableWorker, ensureWorkerServer, workerAccess } from '../../../workers/worker-server.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../../../ports/destination-platform.ts';
import type { BlockDevice } from '../client/servers.ts';
import type { OpenStackSession } from './context.ts';
import { readEnvironment } from './environment.ts';
import { quotaWords, readQuotas } from './quotas.ts';
import { findServer } from './remove-resource.ts';
import { cloudApi } from './cloud-api.ts';
import { asServer } from './cloud-calls.ts';
import { ensureFloatingIp, ensurePort, ensureSecurityGroup, openPorts } from './worker-network.ts';
import { callerOf, planWorker, workerNeeds, type WorkerPlan } from './worker-plan.ts';

/**
 * A running worker. What an earlier call made is adopted; but a worker whose key died with
 * the process that made it can't be entered, and is replaced.
 */
export async function startWorker(
  session: OpenStackSession,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const environment = readEnvironment(run.environment);
  const cloud = cloudApi(session);
  const { servers } = session.cloud.compute;
  const plan = await planWorker(session.cloud, environment, role, signal);
  // That there is an address to open the worker for has to be known before anything is made; which one it is may depend
  // on the floating IP that the worker gets: projects seldom see the ranges of external networks.
  const expected = await callerRanges(callerOf(session, plan), plan.reachedThrough, signal);
  await dropUnreachableWorker(cloud, keyRing, run, role, signal);
  await requireWorkerQuota(
    run,
    role,
    workerNeeds(plan, expected.length),
    () => readQuotas(session.cloud, signal),
    quotaWords,
  );

  const groupId = await ensureSecurityGroup(session, run, role, signal);
  const port = await ensurePort(session, run, role, plan, groupId, signal);
  const floating =
    plan.pool === undefined
      ? undefined
      : await ensureFloatingIp(session, run, temporary('public-ip', role, 'public-ip', {}), plan.pool, port.id, signal);
  const address =
    floating ??
    port.fixed_ips.find(({ ip_address }) => !ip_address.includes(':'))?.ip_address ??
    port.fixed_ips[0]?.ip_address;
  if (address === undefined)
    throw new CausewayError('cloud.unexpected-answer', `port ${port.id} of the worker has no address`, {
      details: { portId: port.id },
    });
  const ranges =
    floating === undefined
      ? expected
      : await callerRanges(callerOf(session, plan, floating), { ...plan.reachedThrough, publicAddress: true }, signal);
  await openPorts(session, run, role, plan, groupId, ranges, signal);

  // Before the server in the ledger as well, so that what is removed last one first ends with it.
  const boot =
    plan.bootVolume === undefined ? undefined : await ensureBootVolume(cloud, session, run, role, plan, signal);
  const worker = await ensureWorkerServer(
    cloud,
    keyRing,
    {
      run,
      role,
      async find(entry, s) {
        const server = await findServer(session, entry, s);
        return server === undefined ? undefined : asServer(server);
      },
      async create(entry, userData, s) {
        const { id } = await servers.create(
          {
            name: nameOf(entry),
            flavorRef: plan.flavor.id,
            ...(boot === undefined ? { imageRef: plan.image.id } : { block_device_mapping_v2: [boot] }),
            networks: [{ port: port.id }],
            user_data: userData,
            config_drive: plan.configDrive,
            metadata: resourceTags(run, entry, { [labelKeys.role]: role }),
          },
          {},
          s,
        );
        // It was created; what this look says is asked for again.
        const server = await servers.get(id, s).catch(() => undefined);
        return server === undefined
          ? { id, name: nameOf(entry), state: 'changing', status: 'BUILD', problem: undefined, labels: {} }
          : asServer(server);
      },
    },
    signal,
  );
  const reached = session.context.resolveAddress ?? ((host: string, each: number) => ({ host, port: each }));
  return workerAccess(worker, (each) => reached(address, each));
}

/** A volume with the image's content, made before the server, so that it is in the ledger and of the wanted type. */
async function ensureBootVolume(
  cloud: CloudApi,
  session: OpenStackSession,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  signal: AbortSignal,
): Promise<BlockDevice> {
  const { sizeGib, type } = plan.bootVolume ?? { sizeGib: 1, type: undefined };
  const { resource, entry } = await ensureResource<{ readonly id: string }>(
    cloud,
    run.ledger,
    temporary('volume', role, 'boot-volume', { imageId: plan.image.id }),
    {
      ...volumeFinders(cloud),
      create: (each, s) =>
        session.cloud.volume.volumes.create(
          {
            name: nameOf(each),
            size: sizeGib,
            imageRef: plan.image.id,
            ...(type === undefined ? {} : { volume_type: type }),
            metadata: resourceTags(run, each),
          },
          s,
        ),
    },
    signal,
  );
  const isMade = ({ state }: CloudVolume): boolean => state === 'available' || state === 'attached';
  const made = (): Promise<CloudVolume> =>
    awaitVolume(cloud, resource.id, `copying image ${plan.image.name} into it`, isMade, cloud.timing.volumeMs, signal);
  await orRemoveFailed(cloud, run.ledger, entry, made, signal);
  return {
    source_type: 'volume',
    destination_type: 'volume',
    uuid: resource.id,
    boot_index: 0,
    delete_on_termination: false,
  };
}
