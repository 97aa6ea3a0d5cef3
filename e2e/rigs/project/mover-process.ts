import { createInterface } from 'node:readline';
import { z } from 'zod';
import { createCore } from '../../../electron/engine/core/core.ts';
import { ensureStateFolder } from '../../../electron/engine/store/database.ts';
import { fleetConfigSchema } from '../../../electron/fleet/fleet-config.ts';
import { joinFleet } from '../../../electron/fleet/fleet-engine.ts';
import { labCore } from './lab-options.ts';
import { labProjectSchema } from './lab-project-schema.ts';

/**
 * An engine of a fleet that stays: takes calls of the core as JSON lines and answers each of them. Its one argument is JSON. Ends with its
 * standard input, or by being killed.
 */
const { project, fleet } = z
  .object({ project: labProjectSchema, fleet: fleetConfigSchema })
  .parse(JSON.parse(process.argv[2] ?? '{}'));
const asked = z.object({ n: z.number(), call: z.string(), input: z.unknown() });

const print = (line: object): void => void process.stdout.write(`${JSON.stringify(line)}\n`);
ensureStateFolder(project.folder);
const joined = await joinFleet(fleet, { takesOver: true, projectFolder: project.folder });
// Without the project's lock: each engine of the lab has a folder of its own.
const core = createCore({ ...labCore(project), fleet: joined.join });
core.carryOutCalendar();
print({ ready: true });
createInterface({ input: process.stdin })
  .on('line', (line) => {
    const { n, call, input } = asked.parse(JSON.parse(line));
    void core.dispatch(call, input).then((answer) => print({ n, answer }));
  })
  .once('close', () => process.exit(3));
