import type { JsonObject } from '../../../../shared/model/json.ts';
import type { QmpCarrier } from '../../qmp/qmp-carrier.ts';
import { waitForAnswer } from './wait-for-answer.ts';
import { objectsOf, textAt } from './qmp-values.ts';
import { VmLocks } from './vm-locks.ts';

const CREATION_DEADLINE = 30_000;

/** Of the whole process, as two endpoints may lead to one QEMU. */
const turns = new VmLocks();

/**
 * All block nodes of a QEMU, with their images.
 *
 * QEMU 7.2 aborts (an assertion in `qcow2_get_specific_info`), and the guest with it, when it is asked for them at the
 * moment at which a job creates a qcow2 file. So this waits for such jobs, whoever started them, and Causeway
 * in the meantime.
 * @throws QmpError; CausewayError general.deadline, general.cancelled, and what the carrier throws
 */
export function queryBlockNodes(qmp: QmpCarrier, signal: AbortSignal): Promise<readonly JsonObject[]> {
  return turns.run(qmp.monitor, async () => {
    const noCreation = async () => {
      const jobs = objectsOf(await qmp.execute('query-jobs', {}, signal));
      return jobs.some((job) => textAt(job, 'type') === 'create' && textAt(job, 'status') !== 'concluded')
        ? undefined
        : true;
    };
    await waitForAnswer(
      'waiting until QEMU has created a file',
      noCreation,
      { deadlineMs: CREATION_DEADLINE, longestPauseMs: 250 },
      signal,
    );
    return objectsOf(await qmp.execute('query-named-block-nodes', { flat: true }, signal));
  });
}

/** Runs a job that creates an image in QEMU while its nodes are not queried. */
export function whileNobodyAsksForNodes<T>(qmp: QmpCarrier, create: () => Promise<T>): Promise<T> {
  return turns.run(qmp.monitor, create);
}

export async function blockNodeNames(qmp: QmpCarrier, signal: AbortSignal): Promise<ReadonlySet<string>> {
  return new Set((await queryBlockNodes(qmp, signal)).flatMap((node) => textAt(node, 'node-name') ?? []));
}
