#!/usr/bin/env node
// The command line's entry, and the entry of its worker threads: one file that a bundler cannot separate from itself.
import { isMainThread, parentPort, workerData } from 'node:worker_threads';

/** The oldest one with all that the engine uses: `node:sqlite` without a flag, Zstandard, the system's CA certificates. */
const oldestNode = [22, 15] as const;
const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);

if (major < oldestNode[0] || (major === oldestNode[0] && minor < oldestNode[1])) {
  process.stderr.write(
    `causeway: Node.js ${oldestNode.join('.')} or newer is required, this is ${process.versions.node}. \`npm run causeway\` uses the project's own.\n`,
  );
  process.exitCode = 2;
} else if (isMainThread) {
  const [{ runProgram }, { endOnUncaught }, { stopSignals }] = await Promise.all([
    import('./cli/program.ts'),
    import('./engine/core/uncaught.ts'),
    import('./engine/runtime/stop-signals.ts'),
  ]);
  endOnUncaught({
    status: 2,
    tell: (_error, stack) => void process.stderr.write(`causeway: unexpected error, a bug in Causeway: ${stack}\n`),
  });
  const stop = new AbortController();
  for (const name of stopSignals()) process.once(name, () => stop.abort());
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
