import { Worker } from 'node:worker_threads';
import type { Table } from '../../../shared/inventory/table.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { CommandContext } from '../command-context.ts';
import type { TablesAnswer, TablesWorkerData } from '../worker.ts';

/** Enough for the largest file within the bounds. */
const memoryMiB = 2048;

/**
 * Reads a list of machines in a thread of its own: a file that is made to exhaust the memory ends that thread, and
 * Ctrl+C ends it at any moment.
 *
 * @throws CausewayError `inventory.unreadable`
 */
export async function readTablesInWorker(
  fileName: string,
  bytes: Uint8Array,
  { entry, signal }: Pick<CommandContext, 'entry' | 'signal'>,
): Promise<readonly Table[]> {
  signal.throwIfAborted();
  const data: TablesWorkerData = { role: 'tables', fileName, bytes };
  const worker = new Worker(new URL(entry), {
    workerData: data,
    resourceLimits: { maxOldGenerationSizeMb: memoryMiB },
  });
  const stop = (): void => void worker.terminate();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const answer = await new Promise<TablesAnswer>((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', (error: NodeJS.ErrnoException) => {
        reject(
          error.code === 'ERR_WORKER_OUT_OF_MEMORY'
            ? new CausewayError(
                'inventory.unreadable',
                `${fileName}: reading it needs more than ${memoryMiB} MiB of memory`,
              )
            : error,
        );
      });
      worker.once('exit', () =>
        reject(
          signal.aborted
            ? signal.reason
            : new CausewayError('inventory.unreadable', `${fileName}: the thread that was reading it stopped`),
        ),
      );
    });
    if ('refused' in answer) throw new CausewayError('inventory.unreadable', answer.refused);
    return answer.tables;
  } finally {
    signal.removeEventListener('abort', stop);
    await worker.terminate();
  }
}
