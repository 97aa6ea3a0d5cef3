import { z } from 'zod';
import { openProject } from '../../../electron/engine/core/open-project.ts';
import { executionOptionsSchema, isTerminalExecution } from '../../../shared/model/execution.ts';
import { labCore } from './lab-options.ts';
import { labProjectSchema } from './lab-project-schema.ts';

/**
 * An engine to be killed: executes a replica (or goes on with what was interrupted), prints its events as JSON lines, and the
 * final state as the last one. Its one argument is JSON. Ends with its standard input.
 */
const request = z
  .object({
    project: labProjectSchema,
    replica: z.string(),
    options: executionOptionsSchema,
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

process.stdin.resume().once('end', () => process.exit(3));
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const { client } = await openProject(labCore(request.project), new AbortController().signal);
client.subscribe('execution.event', (event) => print({ event }));
client.subscribe('execution.progress', (progress) => print({ progress }));
const { id } = await client.call('replica.execute', { replica: request.replica, options: request.options });
print({ started: id });
for (;;) {
  const { state } = await client.call('execution.show', { execution: id });
  if (isTerminalExecution(state) || state === 'interrupted') break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
const execution = await client.call('execution.show', { execution: id });
await client.close();
print({ execution });
process.exit(0);
