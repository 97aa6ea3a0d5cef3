#!/usr/bin/env node
// The command line's entry, and the entry of its worker threads: one file that a bundler cannot separate from itself.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** The oldest one with all that the engine uses, `node:sqlite` above all. */
const oldestNode = 24;

if (Number(process.versions.node.split('.')[0]) < oldestNode) {
  process.stderr.write(`causeway: Node.js ${oldestNode} or newer is required, this is ${process.versions.node}. \`npm run causeway\` uses the project's own.\n`);
  process.exitCode = 2;
} else if (isMainThread) {
  const [{ runProgram }, { endOnUncaught }] = await Promise.all([import('./cli/program.ts'), import('./engine/core/uncaught.ts')]);
  endOnUncaught({ status: 2, tell: (_error, stack) => void process.stderr.write(`causeway: unexpected error, a bug in Causeway: ${stack}\n`) });
  const stop = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stop.abort());
  // A closed pipe (`| head`) is not a failure.
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
