import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { runFile } from './suite.ts';

/**
 * Runs unit tests and prints each result as a JSON line. Arguments: their files, relative to the repository.
 *
 *   node --import ./register.mjs run.ts electron/engine/store/database.test.ts
 */
const root = join(import.meta.dirname, '..', '..', '..', '..');
await import('../../../property-seed.ts');
process.on('unhandledRejection', (error) =>
  print({
    file: '(any)',
    name: '(unhandled rejection)',
    outcome: 'failed',
    problem: error instanceof Error ? error.stack : String(error),
  }),
);
for (const file of process.argv.slice(2))
  await runFile(file, () => import(pathToFileURL(join(root, file)).href), print);
print({ finished: true });
process.exit(0);

function print(line: object): void {
  process.stdout.write(`${JSON.stringify(line)}\n`);
}
