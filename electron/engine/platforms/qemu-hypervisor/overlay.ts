import { posix } from 'node:path';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../shared/model/json.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { QmpError } from '../../qmp/qmp-error.ts';
import type { ScratchFolder } from './fleecing.ts';
import { blockNodeNames, whileNobodyAsksForNodes } from './block-nodes.ts';
import { overlayFileName, type SnapshotNames } from './names.ts';
import { waitForAnswer } from './wait-for-answer.ts';
import { objectsOf, textAt } from './qmp-values.ts';

const JOB_DEADLINE = 30_000;
const uncancelled = new AbortController().signal;

/**
 * Makes the overlay that keeps what the guest overwrites while a snapshot is read, and opens it. QEMU makes the file:
 * it knows its own folders and permissions best.
 */
export async function createOverlay(
  qmp: QmpCarrier,
  scratchFolder: string,
  names: SnapshotNames,
  disk: { readonly sizeBytes: number; readonly backing?: string },
  signal: AbortSignal,
): Promise<void> {
  const filename = posix.join(scratchFolder, overlayFileName(names));
  await runCreateJob(qmp, names.job, { driver: 'file', filename, size: 0 }, signal);
  await qmp.execute(
    'blockdev-add',
    { driver: 'file', 'node-name': names.overlayFile, filename, discard: 'unmap' },
    signal,
  );
  await runCreateJob(qmp, names.job, { driver: 'qcow2', file: names.overlayFile, size: disk.sizeBytes }, signal);
  const node = { driver: 'qcow2', 'node-name': names.overlay, file: names.overlayFile, backing: disk.backing ?? null };
  await qmp.execute('blockdev-add', node, signal);
}

/** Closes the overlay and removes its file. What is not there is done. */
export async function removeOverlay(
  qmp: QmpCarrier,
  { host, scratchFolder }: ScratchFolder,
  names: SnapshotNames,
  signal: AbortSignal,
): Promise<void> {
  const nodes = await blockNodeNames(qmp, signal);
  for (const node of [names.overlay, names.overlayFile]) {
    if (nodes.has(node)) await deleteNode(qmp, node, signal);
  }
  await host.removeFile(posix.join(scratchFolder, overlayFileName(names)), signal);
}

/** Deletes a node; one that is still in use by requests that end right now is waited for. */
export async function deleteNode(qmp: QmpCarrier, node: string, signal: AbortSignal): Promise<void> {
  let refusal: QmpError | undefined;
  await waitForAnswer(
    `deleting the block node ${node}`,
    async () => {
      try {
        await qmp.execute('blockdev-del', { 'node-name': node }, signal);
        return true;
      } catch (error) {
        if (!(error instanceof QmpError)) throw error;
        refusal = error;
        return (await blockNodeNames(qmp, signal)).has(node) ? undefined : true;
      }
    },
    { deadlineMs: 5000, longestPauseMs: 500 },
    signal,
  ).catch((error: unknown) => {
    throw error instanceof CausewayError && error.code === 'general.deadline' && refusal !== undefined
      ? refusal
      : error;
  });
}

/** A cancel waits for the job, which takes milliseconds: QEMU can't stop it, and nothing can be undone before it ended. */
async function runCreateJob(qmp: QmpCarrier, job: string, options: JsonObject, signal: AbortSignal): Promise<void> {
  const failure = await whileNobodyAsksForNodes(qmp, async () => {
    await qmp.execute('blockdev-create', { 'job-id': job, options }, uncancelled);
    const ended = await waitForAnswer(
      `creating an overlay in QEMU’s scratch folder`,
      async () => {
        const entry = objectsOf(await qmp.execute('query-jobs', {}, uncancelled)).find(
          (candidate) => textAt(candidate, 'id') === job,
        );
        return entry === undefined || textAt(entry, 'status') === 'concluded'
          ? { error: textAt(entry, 'error') }
          : undefined;
      },
      { deadlineMs: JOB_DEADLINE, longestPauseMs: 250 },
      uncancelled,
    );
    await qmp.execute('job-dismiss', { id: job }, uncancelled);
    return ended.error;
  });
  if (failure !== undefined)
    throw new CausewayError('source.snapshot-failed', `QEMU could not create an overlay: ${failure}`);
  if (signal.aborted)
    throw new CausewayError('general.cancelled', 'the snapshot was cancelled while QEMU created an overlay');
}
