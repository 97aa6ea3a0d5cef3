import { bootVolumeOf } from '../../../../cloud-resources/deployment/boot-volume.ts';
import { deploymentIntent } from '../../../../cloud-resources/deployment/deployment-keys.ts';
import { serverName } from '../../../../cloud-resources/deployment/server-name.ts';
import { hasLabels } from '../../../../cloud-resources/labels.ts';
import { ensureResource, entryLabel, resourceTags, type Owned } from '../../../../cloud-resources/ledgered-resource.ts';
import { pollPlan } from '../../../../cloud-resources/retry-context.ts';
import { orRemoveFailed } from '../../../../cloud-resources/resource-deletion.ts';
import { attachVolume, freeVolume } from '../../../../cloud-resources/volume-attachments.ts';
import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { waitForState } from '../../../../http/wait-for-state.ts';
import { awaitActive } from '../../../../workers/server-state.ts';
import type {
  DeployedNic,
  DeployedServer,
  DeploymentPlan,
  DeploymentRun,
} from '../../../../ports/deployment-platform.ts';
import type { Volume } from '../../../../ports/destination-platform.ts';
import type { NewVnic, OciInstance } from '../../client/compute.ts';
import { readEnvironment } from '../environment.ts';
import { cloudApi, getInstance } from '../remove-resource.ts';
import { placeOf, type OciSession, type Place } from '../session.ts';
import { vnicsOf } from '../start-worker.ts';
import { launchProfile } from '../zero-image.ts';
import { planState, type PlanState } from './plan-deployment.ts';

/** On a VNIC: which of the planned ones it is. */
export const nicTag = 'causeway-nic';

/** One planned VNIC a source NIC, in their order. They come with the instance, and their MAC addresses with them. */
export function createNics(plan: DeploymentPlan): readonly DeployedNic[] {
  return planState(plan).nics.map(({ id, sourceNicId, subnetId, prefix, gateway }) => ({
    id,
    sourceNicId,
    networkId: subnetId,
    prefixLength: prefix === undefined ? undefined : Number(prefix.split('/')[1]),
    gateway,
  }));
}

/**
 * Launches the migrated VM from its boot volume, with its data volumes attached from the start, and waits until it runs. What the service
 * does not take at the launch follows: emulated disks, for which it is switched off, and secondary VNICs.
 */
export async function createServer(
  session: OciSession,
  run: DeploymentRun,
  plan: DeploymentPlan,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<DeployedServer> {
  const place = await placeOf(session, readEnvironment(run.environment), signal);
  const cloud = cloudApi(session, place, { attachmentOf: () => 'emulated' });
  const state = planState(plan);
  const boot = bootVolumeOf(run.vm, volumes);
  // Who was interrupted after the intent has freed them, and the instance may have them by now.
  const intended = run.ledger.find('server', deploymentIntent(run, 'server', 'server', {}).key);
  if (intended === undefined) for (const volume of volumes) await freeVolume(cloud, run, volume.id, undefined, signal);
  const { resource, entry } = await ensureServer(session, place, run, plan, state, volumes, boot, signal);
  const emulated = volumes.filter((volume) => volume.id !== boot.id && state.attachments[volume.diskId] === 'emulated');
  await orRemoveFailed(
    cloud,
    run.ledger,
    entry,
    async () => {
      await awaitLaunched(session, cloud, resource.id, signal);
      if (emulated.length > 0) await attachEmulated(session, cloud, run, resource.id, emulated, signal);
      await attachVnics(session, place, resource.id, state, signal);
    },
    signal,
  );
  const vnics = await vnicsOf(session, place, resource.id, signal);
  const addresses = [...vnics.map(({ publicIp }) => publicIp), ...vnics.map(({ privateIp }) => privateIp)].filter(
    (address) => typeof address === 'string' && address !== '',
  );
  return { id: resource.id, name: resource.displayName ?? resource.id, addresses: addresses as string[] };
}

type Cloud = ReturnType<typeof cloudApi>;

function ensureServer(
  session: OciSession,
  place: Place,
  run: DeploymentRun,
  plan: DeploymentPlan,
  state: PlanState,
  volumes: readonly Volume[],
  boot: Volume,
  signal: AbortSignal,
): Promise<Owned<OciInstance>> {
  const {
    shapeConfig,
    nics: [primary],
    attachments,
  } = state;
  if (primary === undefined) throw new CausewayError('general.bug', 'deployment plan: no VNIC');
  const environment = readEnvironment(run.environment);
  const data = volumes.filter((volume) => volume.id !== boot.id);
  return ensureResource<OciInstance>(
    session,
    run.ledger,
    deploymentIntent(run, 'server', 'server', cloudApi(session, place).entryDetails),
    {
      find: async (entry, s) =>
        (await session.compute.list(place.compartmentId, s)).find(
          (each) => hasLabels({ labels: each.freeformTags }, entryLabel(entry)) && each.lifecycleState !== 'TERMINATED',
        ),
      get: (id, _entry, s) => getInstance(session, id, s),
      create: (entry, s) =>
        session.compute.launch(
          {
            compartmentId: place.compartmentId,
            availabilityDomain: place.domain,
            displayName: serverName(run.vm.name),
            shape: plan.machineType,
            ...(shapeConfig === undefined ? {} : { shapeConfig }),
            sourceDetails: { sourceType: 'bootVolume', bootVolumeId: boot.id },
            launchOptions: launchProfile(run.vm, environment.use_pv_mode).options,
            createVnicDetails: newVnic(primary),
            launchVolumeAttachments: data.flatMap((volume) => {
              const type = attachments[volume.diskId] ?? 'paravirtualized';
              return type === 'emulated'
                ? []
                : [{ type, volumeId: volume.id, displayName: volume.diskId.slice(0, 200) }];
            }),
            freeformTags: resourceTags(run, entry),
          },
          s,
        ),
    },
    signal,
  );
}

const newVnic = ({ id, sourceNicId, subnetId, nsgIds, assignPublicIp }: PlanState['nics'][number]): NewVnic => ({
  subnetId,
  assignPublicIp,
  ...(nsgIds.length === 0 ? {} : { nsgIds }),
  displayName: sourceNicId.slice(0, 200),
  freeformTags: { [nicTag]: id },
});

/** An instance that a former call switched off for its emulated disks counts as launched. */
async function awaitLaunched(session: OciSession, cloud: Cloud, id: string, signal: AbortSignal): Promise<void> {
  const instance = await getInstance(session, id, signal);
  if (
    instance?.lifecycleState !== 'STOPPING' &&
    instance?.lifecycleState !== 'STOPPED' &&
    instance?.lifecycleState !== 'STARTING'
  )
    await awaitActive(cloud, id, signal);
}

async function attachEmulated(
  session: OciSession,
  cloud: Cloud,
  run: DeploymentRun,
  id: string,
  volumes: readonly Volume[],
  signal: AbortSignal,
): Promise<void> {
  const missing: Volume[] = [];
  for (const volume of volumes) if ((await cloud.volumes.get(volume.id, signal))?.serverId !== id) missing.push(volume);
  if (missing.length > 0) {
    await switched(session, id, 'STOP', signal);
    for (const volume of missing) await attachVolume(cloud, run, id, volume.id, signal);
  }
  await switched(session, id, 'START', signal);
}

/** Switches an instance off or on and waits. It is that already: done. */
async function switched(session: OciSession, id: string, action: 'STOP' | 'START', signal: AbortSignal): Promise<void> {
  const [wanted, from] = action === 'STOP' ? ['STOPPED', 'RUNNING'] : ['RUNNING', 'STOPPED'];
  const operation = `${action.toLowerCase()} instance ${id}`;
  await waitForState(
    { operation, details: { serverId: id } },
    async (s) => {
      const instance = await getInstance(session, id, s);
      if (instance === undefined)
        throw new CausewayError('cloud.not-found', `${operation}: the instance no longer exists`, {
          details: { operation, serverId: id },
        });
      if (instance.lifecycleState === wanted) return { done: true, value: undefined };
      if (instance.lifecycleState === from) {
        await session.compute.act(id, action, s).catch((error: unknown) => {
          if (!(error instanceof CausewayError) || error.code !== 'cloud.conflict') throw error;
        });
      }
      return { done: false, state: instance.lifecycleState };
    },
    pollPlan(session.timing, session.timing.serverMs),
    session.clock,
    signal,
  );
}

/** The secondary VNICs, one after the other, so that the guest finds them in their order. One that an earlier call attached is known by its name. */
async function attachVnics(
  session: OciSession,
  place: Place,
  id: string,
  { nics }: PlanState,
  signal: AbortSignal,
): Promise<void> {
  const attachments = (s: AbortSignal) =>
    session.compute.vnicAttachments({ compartmentId: place.compartmentId, instanceId: id }, s);
  for (const planned of nics.slice(1)) {
    // While it is being attached it has no VNIC yet, whose tag would tell.
    const { id: attachmentId } =
      (await attachments(signal)).find(({ displayName }) => displayName === planned.id) ??
      (await session.compute.attachVnic(id, planned.id, newVnic(planned), signal));
    const operation = `attach VNIC ${planned.sourceNicId} to instance ${id}`;
    await waitForState(
      { operation, details: { serverId: id } },
      async (s) => {
        const now = (await attachments(s)).find((each) => each.id === attachmentId);
        if (now === undefined)
          throw new CausewayError('cloud.operation-failed', `${operation}: the cloud took the attachment back`, {
            details: { operation, serverId: id },
          });
        return now.lifecycleState === 'ATTACHED'
          ? { done: true, value: undefined }
          : { done: false, state: now.lifecycleState };
      },
      pollPlan(session.timing, session.timing.attachMs),
      session.clock,
      signal,
    );
  }
}
