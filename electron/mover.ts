import { parseArgs } from 'node:util';
import { toErrorRecord } from '../shared/model/causeway-error.ts';
import { endOnUncaught } from './engine/core/uncaught.ts';
import { runMoverCommand } from './mover/commands.ts';

/**
 * `causeway-mover`: what the application runs on another computer over SSH. Each command prints one line of JSON; `serve` is the service
 * itself and goes on without the connection that started it.
 */
endOnUncaught({
  status: 70,
  tell: (_error, stack) => void process.stderr.write(`causeway-mover: unexpected error: ${stack}\n`),
});
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { project: { type: 'string' }, create: { type: 'boolean', default: false } },
});
try {
  const answer = await runMoverCommand(positionals[0] ?? '', {
    project: values.project,
    mayCreate: values.create,
    entry: import.meta.filename,
  });
  if (answer !== undefined) process.stdout.write(`${JSON.stringify(answer)}\n`);
} catch (error) {
  const { code, message } = toErrorRecord(error);
  process.stdout.write(`${JSON.stringify({ failed: { code, message } })}\n`);
  process.exitCode = 1;
}
