import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { hasLabels, labelKeys } from '../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, nameOf, resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import type { DestinationRun, WorkerAccess, WorkerRole } from '../../../ports/destination-platform.ts';
import { callerRanges } from '../../../workers/caller-address.ts';
import { temporary, type WorkerKeyRing } from '../../../workers/worker-entries.ts';
import { requireWorkerQuota } from '../../../workers/worker-needs.ts';
import { dropUnreachableWorker, ensureWorkerServer, workerAccess } from '../../../workers/worker-server.ts';
import { asServer } from './cloud-calls.ts';
import { readEnvironment } from './environment.ts';
import { quotaWords, readQuotas } from './quotas.ts';
import { cloudApi } from './remove-resource.ts';
import { callerOf, placeOf, workerEndpoint, type OciSession, type Place } from './session.ts';
import { callerQuestion, planWorker, workerNeeds, type WorkerPlan } from './worker-plan.ts';

/**
 * A running worker. What an earlier call made is adopted; but a worker whose key died with the process that made it can't be
 * entered, and is replaced.
 */
export async function startWorker(
  session: OciSession,
  keyRing: WorkerKeyRing,
  run: DestinationRun,
  role: WorkerRole,
  signal: AbortSignal,
): Promise<WorkerAccess> {
  const environment = readEnvironment(run.environment);
  const place = await placeOf(session, environment, signal);
  const cloud = cloudApi(session, place);
  const plan = await planWorker(session, place, environment, role, signal);
  const ranges = await callerRanges(callerOf(session), callerQuestion(plan), signal);
  await dropUnreachableWorker(cloud, keyRing, run, role, signal);
  const needs = workerNeeds(plan);
  await requireWorkerQuota(run, role, needs, () => readQuotas(session, place, needs.server, signal), quotaWords);

  const groupId = await ensureSecurityGroup(session, place, run, role, plan, ranges, signal);
  const worker = await ensureWorkerServer(
    cloud,
    keyRing,
    {
      run,
      role,
      async find(entry, s) {
        const found = (await session.compute.list(place.compartmentId, s)).find(
          (each) => hasLabels({ labels: each.freeformTags }, entryLabel(entry)) && each.lifecycleState !== 'TERMINATED',
        );
        return found === undefined ? undefined : asServer(found);
      },
      create: async (entry, userData, s) =>
        asServer(
          await session.compute.launch(
            {
              compartmentId: place.compartmentId,
              availabilityDomain: place.domain,
              displayName: nameOf(entry),
              shape: plan.shape.shape,
              ...plan.config,
              sourceDetails: { sourceType: 'image', imageId: plan.image.id },
              createVnicDetails: { subnetId: plan.subnet.id, nsgIds: [groupId], assignPublicIp: plan.publicAddress },
              metadata: { user_data: userData },
              freeformTags: resourceTags(run, entry, { [labelKeys.role]: role }),
            },
            s,
          ),
        ),
    },
    signal,
  );
  const address = await addressOf(session, place, worker.server.id, plan.publicAddress, signal);
  return workerAccess(worker, (port) => workerEndpoint(session, address, port));
}

/** A group of the worker's own, with its ports open for the caller alone. Returns its id. */
async function ensureSecurityGroup(
  session: OciSession,
  place: Place,
  run: DestinationRun,
  role: WorkerRole,
  plan: WorkerPlan,
  ranges: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  const details = {
    compartment: place.compartmentId,
    networkCompartment: place.networkCompartmentId,
    domain: place.domain,
  };
  const group = await ensureResource(
    session,
    run.ledger,
    temporary('security-group', role, 'security-group', details),
    {
      find: async (entry, s) =>
        (await session.network.groups(place.compartmentId, s)).find(({ freeformTags }) =>
          hasLabels({ labels: freeformTags }, entryLabel(entry)),
        ),
      get: (id, _entry, s) => session.network.group(id, s),
      create: (entry, s) =>
        session.network.createGroup(
          {
            compartmentId: place.compartmentId,
            vcnId: plan.subnet.vcnId,
            displayName: nameOf(entry),
            freeformTags: resourceTags(run, entry),
          },
          s,
        ),
    },
    signal,
  );
  const groupId = group.resource.id;
  for (const port of plan.ports)
    for (const source of ranges) {
      await ensureResource(
        session,
        run.ledger,
        temporary('security-group-rule', role, `rule/${port}/${source}/${groupId}`, { ...details, groupId }),
        {
          find: async (entry, s) =>
            (await session.network.rules(groupId, s)).find(({ description }) => description === nameOf(entry)),
          get: async (id, _entry, s) => (await session.network.rules(groupId, s)).find((rule) => rule.id === id),
          create: (entry, s) => session.network.allowTcp(groupId, { description: nameOf(entry), port, source }, s),
        },
        signal,
      );
    }
  return groupId;
}

/** VNICs of an instance, the primary one first. */
export async function vnicsOf(
  session: OciSession,
  place: Pick<Place, 'compartmentId'>,
  instanceId: string,
  signal: AbortSignal,
) {
  const attachments = await session.compute.vnicAttachments({ compartmentId: place.compartmentId, instanceId }, signal);
  const found = await Promise.all(
    attachments.map(async ({ vnicId }) =>
      typeof vnicId === 'string' ? session.network.vnic(vnicId, signal) : undefined,
    ),
  );
  return found
    .filter((vnic) => vnic !== undefined)
    .toSorted((a, b) => Number(b.isPrimary === true) - Number(a.isPrimary === true));
}

async function addressOf(
  session: OciSession,
  place: Place,
  instanceId: string,
  isPublic: boolean,
  signal: AbortSignal,
): Promise<string> {
  const [vnic] = await vnicsOf(session, place, instanceId, signal);
  const address = isPublic ? vnic?.publicIp : vnic?.privateIp;
  if (typeof address === 'string' && address !== '') return address;
  throw new CausewayError(
    'cloud.unexpected-answer',
    `worker ${instanceId} has no ${isPublic ? 'public' : 'private'} address`,
    { details: { instanceId } },
  );
}
