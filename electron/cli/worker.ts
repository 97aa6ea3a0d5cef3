import type { MessagePort } from 'node:worker_threads';
import type { ValidationOptions } from '../../shared/validation/validate-document.ts';

/** What the main thread hands to a worker thread: the role it plays, and what that needs. */
export interface ValidateWorkerData {
  readonly role: 'validate';
  readonly files: readonly string[];
  readonly options: Pick<ValidationOptions, 'catalog' | 'providerConfiguration' | 'locations'>;
}

/** Does a worker thread's whole work and answers with one message. */
export async function serveWorker(port: MessagePort, data: unknown): Promise<void> {
  if (!isValidateWork(data)) throw new Error('The worker thread was started without a role that it knows');
  const { validateFile } = await import('./validate/validate-files.ts');
  port.postMessage(data.files.map((file) => validateFile(file, data.options)));
}

function isValidateWork(data: unknown): data is ValidateWorkerData {
  return typeof data === 'object' && data !== null && 'role' in data && data.role === 'validate';
}
