import { subscribe } from 'node:diagnostics_channel';
import type { ClientRequest } from 'node:http';
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
    /** Dies as soon as a request of this method that carried a token of OpenStack was answered within this task; without one, when it begins. */
    /** The computer's clock is set by so many milliseconds as soon as this task runs, as a laptop's is after a wake-up. */
    setClock: z.object({ task: z.string(), ms: z.number() }).optional(),
    dieIn: z.object({ task: z.string(), method: z.string().optional() }).optional(),
  })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

process.stdin.resume().once('end', () => process.exit(3));
const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);

const { client } = await openProject(labCore(request.project), new AbortController().signal);
client.subscribe('execution.event', (event) => print({ event }));
const { dieIn, setClock } = request;
if (setClock !== undefined) {
  const RealDate = Date;
  let ahead = 0;
  class SetDate extends RealDate {
    constructor(...given: [] | [number | string | Date]) {
      if (given.length === 0) super(RealDate.now() + ahead);
      else super(given[0]);
    }
    static override now(): number {
      return RealDate.now() + ahead;
    }
  }
  globalThis.Date = SetDate as DateConstructor;
  client.subscribe('execution.event', ({ taskId, details }) => {
    if (taskId === setClock.task && details['state'] === 'running') ahead = setClock.ms;
  });
}
if (dieIn !== undefined) {
  let isIn = false;
  client.subscribe('execution.event', ({ taskId, details }) => {
    if (taskId === dieIn.task) isIn = details['state'] === 'running';
    if (isIn && dieIn.method === undefined) process.kill(process.pid, 'SIGKILL');
  });
  subscribe('http.client.response.finish', (message) => {
    const { request: sent } = message as { request: ClientRequest };
    if (isIn && sent.method === dieIn.method && sent.hasHeader('x-auth-token')) process.kill(process.pid, 'SIGKILL');
  });
}
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
