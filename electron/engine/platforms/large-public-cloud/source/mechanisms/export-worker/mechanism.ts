import { join } from 'node:path';
import type { WorkerCloud } from '../../../../../cloud-resources/cloud-api.ts';
import { ensureResource, nameOf, resourceTags } from '../../../../../cloud-resources/ledgered-resource.ts';
import { orRemoveFailed } from '../../../../../cloud-resources/resource-deletion.ts';
import { attachVolume } from '../../../../../cloud-resources/volume-attachments.ts';
import { awaitVolume, volumeFinders } from '../../../../../cloud-resources/volume-state.ts';
import type { DestinationRun } from '../../../../../ports/destination-platform.ts';
import { DigestFile, digestFileName, forgetDigests } from '../../../../../workers/export/digest-store.ts';
import { ExportWorker } from '../../../../../workers/export/export-worker.ts';
import { WorkerVolumeReader } from '../../../../../workers/export/worker-volume-reader.ts';
import { createVolume } from '../../../client/worker-calls.ts';
import { removeRecorded } from '../../remove-recorded.ts';
import { keyOf } from '../../snapshots.ts';
import { runOf, type DiskMark, type SourceContext } from '../../source-context.ts';
import type { ReadMechanism } from '../read-mechanism.ts';
import { cloudApi, deviceOrder } from './cloud-api.ts';
import { awsOwnVm, serialOf, zoneOf } from './own-vm.ts';
import { startWorker } from './start-worker.ts';
import { planWorker, type WorkerPlan } from './worker-plan.ts';

/**
 * `worker`: volumes made of the snapshots, which a temporary instance hashes and reads. What changed is told by digests that are
 * kept here since the last success.
 */
export function exportWorkerMechanism(context: SourceContext): ReadMechanism {
  const api = cloudApi(context);
  const folder = join(context.folder, 'large-public-cloud-digests');
  let plan: { readonly vmId: string; readonly wanted: string; readonly plan: WorkerPlan } | undefined;

  const worker = new ExportWorker(
    {
      cloud: api,
      start: (keyRing, run, signal) => startWorker(context, api, planOf(), keyRing, run, signal),
      async attach(run, workerId, volume, signal) {
        await attachVolume(api, run, workerId, volume.id, signal);
        const { sizeBytes } = volume;
        // On Xen, devices are named after what the volume was attached by, and so are in its order.
        return planOf().isNitro
          ? { kind: 'serial', serial: serialOf(volume.id), sizeBytes }
          : { kind: 'order', order: await deviceOrder(context, workerId, volume.id, signal), sizeBytes };
      },
      ownVm: awsOwnVm(context),
    },
    context.use?.ownVm,
  );
  const planOf = (): WorkerPlan => {
    if (plan === undefined) throw new Error('the worker was not planned');
    return plan.plan;
  };

  return {
    async prepare(vmId, environment, signal) {
      await worker.check(environment, signal);
      await planWorker(context, vmId, environment, signal);
    },

    async open({ tag, vmId, environment, disk, disks, base }, signal) {
      const wanted = JSON.stringify(environment);
      if (plan?.vmId !== vmId || plan.wanted !== wanted)
        plan = { vmId, wanted, plan: await planWorker(context, vmId, environment, signal) };
      const run = runOf(context, environment);
      const here = await worker.place(run, disks, signal);
      const zone = here === undefined ? plan.plan.zone : await zoneOf(context, here.vmId, signal);
      const volumeId = await ensureCopy(context, api, run, tag, disk, zone, signal);
      const { diskId, sizeBytes } = disk;
      const opened = await worker.open(run, { id: volumeId, diskId, sizeBytes, createdByThisCall: false }, signal);
      const own = new DigestFile(folder, digestFileName(tag, diskId), sizeBytes);
      const former =
        base === undefined ? undefined : new DigestFile(folder, digestFileName(base.tag, diskId), sizeBytes);
      return new WorkerVolumeReader(opened, sizeBytes, own, (await former?.isComplete()) === true ? former : undefined);
    },

    stop: (signal) => worker.stop(runOf(context), signal),
    cost: () => undefined,
    async forget(tag, disks) {
      for (const { diskId } of disks) await forgetDigests(folder, digestFileName(tag, diskId));
    },
    close: () => worker.close(),
  };
}

/** A volume with a disk's content, in the worker's zone. Removed with the execution. One in another zone is of an earlier attempt with another worker. */
async function ensureCopy(
  context: SourceContext,
  api: WorkerCloud,
  run: DestinationRun,
  tag: string,
  disk: DiskMark,
  zone: string,
  signal: AbortSignal,
): Promise<string> {
  const { resource, entry } = await ensureResource<{ readonly id: string }>(
    context,
    run.ledger,
    { kind: 'volume', key: keyOf(tag, `${disk.diskId}/copy`), lifetime: 'replica', details: { diskId: disk.diskId } },
    {
      ...volumeFinders(api),
      async create(each, within) {
        const id = await createVolume(
          context.cloud,
          {
            token: each.entryId,
            snapshotId: disk.snapshotId,
            zone,
            labels: { Name: nameOf(each), ...resourceTags(run, each) },
          },
          within,
        );
        context.recent.add(id);
        return { id };
      },
    },
    signal,
  );
  const ready = () =>
    awaitVolume(
      api,
      resource.id,
      `copying disk ${disk.diskId} into it`,
      ({ state }) => state === 'available' || state === 'attached',
      api.timing.volumeMs,
      signal,
    );
  const copy = await orRemoveFailed(api, run.ledger, entry, ready, signal);
  if (copy.zone !== undefined && copy.zone !== zone) {
    await removeRecorded(context, entry, signal);
    return ensureCopy(context, api, run, tag, disk, zone, signal);
  }
  return resource.id;
}
