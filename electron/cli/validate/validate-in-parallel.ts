import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { ValidationOptions } from '../../../shared/validation/validate-document.ts';
import type { ValidateWorkerData } from '../worker.ts';
import type { FileResult } from '../../../shared/reports/file-result.ts';
import { validateFile } from './read-files.ts';

/** Below this many files a thread's start (it loads everything again) costs more than it saves. */
const filesPerThread = 400;
const maximalThreads = 8;
/** Files between two looks at the abort signal. */
const batch = 50;

export interface ParallelOptions extends Pick<ValidationOptions, 'catalog' | 'providerConfiguration' | 'locations'> {
  /** Module that worker threads are started with. */
  readonly entry: string;
  readonly signal: AbortSignal;
}

/** Checks files in as many threads as pay off, this one included; the results are in the order of the files. */
export async function validateInParallel(files: readonly string[], options: ParallelOptions): Promise<FileResult[]> {
  const threads = Math.max(
    1,
    Math.min(availableParallelism(), maximalThreads, Math.floor(files.length / filesPerThread)),
  );
  // Every n-th file for each: large and small ones are spread evenly however the names are sorted.
  const shares = Array.from({ length: threads }, (_, thread) =>
    files.filter((_file, index) => index % threads === thread),
  );
  const [own = [], ...others] = shares;
  const elsewhere = others.map((share) => inWorker(share, options));
  const answers = await Promise.all([validateHere(own, options), ...elsewhere]);
  return files.map(
    (file, index) =>
      answers[index % threads]?.[Math.floor(index / threads)] ?? { file, findings: [], failure: 'was not checked' },
  );
}

async function validateHere(files: readonly string[], { signal, ...options }: ParallelOptions): Promise<FileResult[]> {
  const results: FileResult[] = [];
  for (const [index, file] of files.entries()) {
    if (index % batch === batch - 1) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
    results.push(validateFile(file, options));
  }
  return results;
}

function inWorker(files: readonly string[], options: ParallelOptions): Promise<FileResult[]> {
  const { catalog, providerConfiguration, locations } = options;
  const data: ValidateWorkerData = {
    role: 'validate',
    files,
    options: {
      ...(locations === undefined ? {} : { locations }),
      ...(catalog === undefined ? {} : { catalog }),
      ...(providerConfiguration === undefined ? {} : { providerConfiguration }),
    },
  };
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(options.entry), { workerData: data });
    const stop = (): void => void worker.terminate();
    options.signal.addEventListener('abort', stop, { once: true });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => {
      options.signal.removeEventListener('abort', stop);
      // Settled already after an answer.
      reject(new Error(`A worker thread exited with status ${code} before it finished`));
    });
  });
}
