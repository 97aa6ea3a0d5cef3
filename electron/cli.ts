#!/usr/bin/env node
// The command line's entry, and the entry of its worker threads: one file that a bundler cannot separate from itself.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

if (isMainThread) {
  const { runProgram } = await import('./cli/program.ts');
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  // A reader that went away (`| head`) is no failure of ours.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(process.exitCode ?? 0);
    throw error;
  });
  process.exitCode = await runProgram(process.argv.slice(2), {
    stdout: process.stdout,
    stderr: process.stderr,
    env: process.env,
    entry: import.meta.url,
    signal: stop.signal,
  });
} else if (parentPort !== null) {
  const { serveWorker } = await import('./cli/worker.ts');
  await serveWorker(parentPort, workerData);
}
