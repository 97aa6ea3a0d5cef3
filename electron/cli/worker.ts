import type { MessagePort } from 'node:worker_threads';
import type { Table } from '../../shared/inventory/table.ts';
import type { ValidationOptions } from '../../shared/validation/validate-document.ts';

/** What the main thread hands to a worker thread: the role it plays, and what that needs. */
export interface ValidateWorkerData {
  readonly role: 'validate';
  readonly files: readonly string[];
  readonly options: Pick<ValidationOptions, 'catalog' | 'providerConfiguration' | 'locations'>;
}

/** Reads inventories, one file at a time, in a thread with limited memory. */
export interface TablesWorkerData {
  readonly role: 'tables';
  readonly fileName: string;
  readonly bytes: Uint8Array;
}

/** Errors do not keep their class on the way between threads. */
export type TablesAnswer = { readonly tables: readonly Table[] } | { readonly refused: string };

/** Does a worker thread's whole work and answers with one message. */
export async function serveWorker(port: MessagePort, data: unknown): Promise<void> {
  if (isTablesWork(data)) {
    const { readTables } = await import('../../shared/inventory/read-tables.ts');
    const answer: TablesAnswer = await readTables(data.fileName, data.bytes).then(
      (tables) => ({ tables }),
      (error: unknown) => ({ refused: error instanceof Error ? error.message : String(error) }),
    );
    port.postMessage(answer);
    return;
  }
  if (!isValidateWork(data)) throw new Error('The worker thread was started without a known role');
  const { validateFile } = await import('./validate/read-files.ts');
  port.postMessage(data.files.map((file) => validateFile(file, data.options)));
}

function isTablesWork(data: unknown): data is TablesWorkerData {
  return typeof data === 'object' && data !== null && 'role' in data && data.role === 'tables';
}

function isValidateWork(data: unknown): data is ValidateWorkerData {
  return typeof data === 'object' && data !== null && 'role' in data && data.role === 'validate';
}
