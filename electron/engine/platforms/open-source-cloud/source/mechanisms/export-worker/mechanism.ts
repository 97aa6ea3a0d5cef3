import { join } from 'node:path';
import type { DestinationRun, Volume } from '../../../../../ports/destination-platform.ts';
import type { DiskReader } from '../../../../../ports/disk-reader.ts';
import { resolve, resolvedOrThrow } from '../../../../../cloud-resources/resolve-reference.ts';
import { ownVmAccess } from '../../../../../cloud-resources/own-vm.ts';
import { attachToWorker } from '../../../../../cloud-resources/volume-attachments.ts';
import { DigestFile, digestFileName, forgetDigests } from '../../../../../workers/export/digest-store.ts';
import { ExportWorker, exportRole } from '../../../../../workers/export/export-worker.ts';
import { WorkerVolumeReader } from '../../../../../workers/export/worker-volume-reader.ts';
import { cloudApi } from '../../../destination/cloud-api.ts';
import type { OpenStackSession } from '../../../destination/context.ts';
import { readEnvironment } from '../../../destination/environment.ts';
import { startWorker } from '../../../destination/start-worker.ts';
import { planWorker } from '../../../destination/worker-plan.ts';
import { markText } from '../../disk-mark.ts';
import type { ExportMechanism } from '../export-mechanism.ts';
import { recordedOf } from '../../recorded.ts';
import { removeRecorded } from '../../remove-recorded.ts';
import { ensureInterimVolume, ensureServerImage } from './interim-volumes.ts';
import { exportWorkerWishes, inExportWords } from './worker-environment.ts';
import { ledgerOf, type CloudDisk, type DiskMark, type MarkedDisk, type SourceContext } from '../../source-context.ts';
import { takeVolumeSnapshots } from '../../volume-snapshots.ts';

/**
 * `service_backups`: copies of the disks, which a temporary worker in the cloud hashes and reads. Needs nothing of the
 * cloud but volumes and servers; a root disk that lies on the compute host is copied by way of an image. What changed is
 * told by digests that are kept here since the last success.
 */
export function exportWorkerMechanism(context: SourceContext): ExportMechanism {
  const session: OpenStackSession = context.session;
  const cloud = cloudApi(session);
  const worker = new ExportWorker(
    {
      cloud,
      start: (keyRing, run, signal) =>
        startWorker(session, keyRing, run, exportRole, signal).catch((error: unknown) => {
          throw inExportWords(error);
        }),
      attach: (run, workerId, volume, signal) => attachToWorker(cloud, run, workerId, volume, signal),
      ownVm: ownVmAccess(() => cloud, { areCopies: true }),
    },
    context.use?.ownVm,
  );
  const folder = join(context.folder, 'open-source-cloud-digests');

  const runOf = (environment: DestinationRun['environment']): DestinationRun => ({
    replicaId: context.use?.replicaId ?? '',
    executionId: context.use?.executionId ?? '',
    vm: { id: '', name: '', os_type: 'linux', disks: [], nics: [] },
    environment,
    ledger: ledgerOf(context),
    note: (message, details) => context.use?.note?.(message, details),
  });

  return {
    async prepare(environment, signal) {
      await worker.check(environment, signal);
      const wishes = exportWorkerWishes(environment);
      await planWorker(session.cloud, readEnvironment(wishes.environment), 'disk-copy', signal).catch(
        (error: unknown) => {
          throw inExportWords(error);
        },
      );
      const type = wishes.interimVolumeType;
      const types = type === undefined ? [] : await session.cloud.volume.types(signal);
      if (type !== undefined)
        resolvedOrThrow(
          'volume type',
          'service_backups_options.export_interim_volume_type',
          type,
          resolve(types, type),
        );
    },

    async take({ tag, environment, disks }, signal): Promise<readonly DiskMark[]> {
      const wishes = exportWorkerWishes(environment);
      const run = runOf(wishes.environment);
      // Leftovers of an execution that never ended are useless.
      await removeOthers(tag, signal);
      const roots = disks.filter((disk) => disk.volumeId === undefined);
      const volumes = disks.filter((disk) => disk.volumeId !== undefined);
      const [images, snapshots] = await Promise.all([
        Promise.all(roots.map((disk) => ensureServerImage(session, run, tag, disk, signal))),
        takeVolumeSnapshots(context, tag, 'replica', volumes, signal),
      ]);
      const marks = new Map<string, DiskMark>();
      const copy = async (
        disk: CloudDisk,
        origin: { snapshot_id: string } | { imageRef: string },
        type: string | undefined,
      ): Promise<void> => {
        const interim = await ensureInterimVolume(session, run, tag, disk, origin, type, signal);
        marks.set(disk.id, {
          interimVolumeId: interim,
          digests: digestFileName(tag, disk.id),
          options: wishes.environment,
          copies: disks.length,
        });
      };
      for (const [index, disk] of roots.entries())
        await copy(disk, { imageRef: images[index] ?? '' }, wishes.interimVolumeType);
      await Promise.all(
        volumes.map((disk, index) => copy(disk, { snapshot_id: snapshots[index]?.id ?? '' }, undefined)),
      );
      // The copies stand by themselves; an image is as large as they are.
      for (const entry of recordedOf(ledgerOf(context), { kind: 'image', of: tag }))
        await removeRecorded(context, entry, signal);
      return disks.map((disk) => marks.get(disk.id) ?? {});
    },

    async isAlive({ mark }, signal) {
      const volume = await context.cloud.volume.volumes.get(markText(mark, 'interimVolumeId'), signal);
      return (
        volume !== undefined && ['available', 'in-use', 'attaching', 'detaching', 'reserved'].includes(volume.status)
      );
    },

    async open({ diskId, sizeBytes, mark }: MarkedDisk, base, signal): Promise<DiskReader> {
      const id = markText(mark, 'interimVolumeId');
      const options = mark['options'];
      const volume: Volume = { id, diskId, sizeBytes, createdByThisCall: false };
      const run = runOf(
        typeof options === 'object' && options !== null && !Array.isArray(options) ? (options as DiskMark) : {},
      );
      // Marks of earlier versions do not say how many there are.
      await worker.place(run, typeof mark['copies'] === 'number' ? mark['copies'] : 1, signal);
      const opened = await worker.open(run, volume, signal);
      const own = new DigestFile(folder, markText(mark, 'digests'), sizeBytes);
      const former =
        base === undefined || base.sizeBytes !== sizeBytes
          ? undefined
          : new DigestFile(folder, markText(base.mark, 'digests'), sizeBytes);
      return new WorkerVolumeReader(opened, sizeBytes, own, (await former?.isComplete()) === true ? former : undefined);
    },

    async commit(tag, _disks, signal) {
      await clear(tag, signal);
      await removeOthers(tag, signal);
    },

    async drop(tag, disks, _scope, signal) {
      await clear(tag, signal);
      await this.forget?.(disks);
    },

    async forget(disks) {
      for (const { mark } of disks) await forgetDigests(folder, markText(mark, 'digests'));
    },

    close: () => worker.close(),
  };

  /** The worker, then the copies, then what they were made of. */
  async function clear(tag: string, signal: AbortSignal): Promise<void> {
    await worker.stop(runOf({}), signal);
    for (const entry of recordedOf(ledgerOf(context), { of: tag })) await removeRecorded(context, entry, signal);
  }

  async function removeOthers(tag: string, signal: AbortSignal): Promise<void> {
    for (const entry of recordedOf(ledgerOf(context), { notOf: tag })) {
      if (entry.lifetime === 'replica') await removeRecorded(context, entry, signal);
    }
  }
}
