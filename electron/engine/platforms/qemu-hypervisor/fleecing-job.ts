import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { addNewBitmaps, disableBaseBitmaps } from './bitmap-actions.ts';
import type { Fleecing, ScratchFolder } from './fleecing.ts';
import { createOverlay } from './overlay.ts';
import { waitForAnswer } from './wait-for-answer.ts';
import { objectsOf, textAt } from './qmp-values.ts';

const MINIMUM_FREE = 1024 * 1024 * 1024;

/**
 * QEMU before 7.1, and devices that a filter can't be put under: one transaction starts a backup job without copying on
 * every disk, which keeps what the guest overwrites in an overlay. Here a guest's write fails when the scratch storage
 * fails, so room is asked for beforehand.
 */
export const jobFleecing: Fleecing = {
  kind: 'job',

  needsPause: false,

  async prepare(qmp, disks, scratch, signal) {
    await needRoom(scratch, signal);
    for (const { disk, names } of disks)
      await createOverlay(qmp, scratch.scratchFolder, names, { sizeBytes: disk.sizeBytes, backing: disk.node }, signal);
  },

  async begin(qmp, disks, signal) {
    const backups = disks.map(({ disk, names }) => ({
      type: 'blockdev-backup',
      data: {
        'job-id': names.job,
        device: disk.node,
        target: names.overlay,
        sync: 'none',
        'on-source-error': 'report',
        'on-target-error': 'report',
      },
    }));
    await qmp.execute(
      'transaction',
      { actions: [...addNewBitmaps(disks), ...disableBaseBitmaps(disks), ...backups] },
      signal,
    );
  },

  async expose() {
    // The overlay is what is exported.
  },

  async isKept(qmp, names, signal) {
    const job = objectsOf(await qmp.execute('query-jobs', {}, signal)).find(
      (entry) => textAt(entry, 'id') === names.job,
    );
    return ['running', 'ready', 'paused'].includes(textAt(job, 'status') ?? '') && textAt(job, 'error') === undefined;
  },

  async end(qmp, _disks, allNames, signal) {
    for (const names of allNames) {
      let isCancelled = false;
      await waitForAnswer(
        `ending the job ${names.job}`,
        async () => {
          const job = objectsOf(await qmp.execute('query-jobs', {}, signal)).find(
            (entry) => textAt(entry, 'id') === names.job,
          );
          if (job === undefined) return true;
          // A job that was creating an overlay ends by itself and waits to be dismissed; a backup is to be cancelled.
          if (textAt(job, 'status') === 'concluded') await qmp.execute('job-dismiss', { id: names.job }, signal);
          else if (textAt(job, 'type') === 'backup' && !isCancelled) {
            isCancelled = true;
            await qmp.execute('block-job-cancel', { device: names.job, force: true }, signal);
          }
          return undefined;
        },
        { deadlineMs: 30_000, longestPauseMs: 500 },
        signal,
      );
    }
  },
};

async function needRoom({ host, scratchFolder }: ScratchFolder, signal: AbortSignal): Promise<void> {
  const free = await host.freeBytes(scratchFolder, signal);
  if (free !== undefined && free < MINIMUM_FREE) {
    const evidence = `the scratch folder ${scratchFolder} has ${Math.floor(free / 2 ** 20)} MiB free; with this version of QEMU at least ${MINIMUM_FREE / 2 ** 20} MiB are needed`;
    throw new CausewayError('source.snapshot-failed', evidence);
  }
}
