import { callerRanges } from '../../workers/caller-address.ts';
import { hasLabels, labelKeys } from '../../cloud-resources/labels.ts';
import { entryLabel, resourceTags, nameOf } from '../../cloud-resources/ledgered-resource.ts';
import type { WorkerKeyRing } from '../../workers/worker-entries.ts';
import { requireWorkerQuota } from '../../workers/worker-needs.ts';
import { dropUnreachableWorker, ensureWorkerServer, workerAccess } from '../../workers/worker-server.ts';
import { decodeDebugKey } from '../../workers/worker-user-data.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../../ports/destination-platform.ts';
import { readEnvironment } from './environment.ts';
import { quotaWords } from './iaas/quotas.ts';
import { ensureNic, ensurePublicIp, ensureSecurityGroup, workerEndpoint } from './worker-network.ts';
import { cloudApi } from './cloud-api.ts';
import { asServer, callerOf } from './cloud-calls.ts';
import type { CloudSession } from './session.ts';
import { callerQuestion, planWorker, workerNeeds } from './worker-plan.ts';

/**
 * A running worker. What an earlier call made is adopted; but a worker whose key died with
 * the process that made it can't be entered, and is replaced.
 */
export async function startWorker(
  session: CloudSession,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const environment = readEnvironment(run.environment);
  const debugPublicKey = decodeDebugKey(
    environment.migr_worker_debug_ssh_public_key,
    'migr_worker_debug_ssh_public_key',
  );
  const iaas = session.iaas(environment.project);
  const cloud = cloudApi(session, iaas);
  const plan = await planWorker(iaas, environment, role, signal);
  const ranges = await callerRanges(callerOf(session), callerQuestion(plan), signal);
  await dropUnreachableWorker(cloud, keyRing, run, role, signal);
  await requireWorkerQuota(run, role, workerNeeds(plan, ranges.length), () => iaas.quotas.read(signal), quotaWords);

  const groupId = await ensureSecurityGroup(session, iaas, run, role, plan, ranges, signal);
  const nic = await ensureNic(session, iaas, run, role, plan, groupId, signal);
  const publicAddress = plan.publicAddress ? await ensurePublicIp(session, iaas, run, role, nic.id, signal) : undefined;
  const address = publicAddress ?? nic.ipv4;
  if (address === undefined)
    throw new CausewayError('cloud.unexpected-answer', `NIC ${nic.id} of the worker has no address`, {
      details: { nicId: nic.id },
    });
  const worker = await ensureWorkerServer(
    cloud,
    keyRing,
    {
      run,
      role,
      debugPublicKey,
      async find(entry, s) {
        const found = (await iaas.servers.list(entryLabel(entry), s)).find((each) =>
          hasLabels(each, entryLabel(entry)),
        );
        return found === undefined ? undefined : asServer(found);
      },
      async create(entry, userData, s) {
        const server = await iaas.servers.create(
          {
            name: nameOf(entry),
            machineType: plan.machineType.name,
            availabilityZone: plan.zone,
            networking: { nicIds: [nic.id] },
            bootVolume: {
              source: { type: 'image', id: plan.image.id },
              size: plan.bootVolumeGib,
              ...(plan.bootVolumeClass === undefined ? {} : { performanceClass: plan.bootVolumeClass }),
              deleteOnTermination: true,
            },
            userData,
            labels: resourceTags(run, entry, { [labelKeys.role]: role }),
          },
          s,
        );
        return asServer(server);
      },
    },
    signal,
  );
  return workerAccess(worker, (port) => workerEndpoint(session, address, port));
}
