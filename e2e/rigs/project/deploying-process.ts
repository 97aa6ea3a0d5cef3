import { z } from 'zod';
import { openProject } from '../../../electron/engine/core/open-project.ts';
import { deploymentOptionsSchema } from '../../../shared/model/deployment.ts';
import { smallPreparation } from '../guests/deployable-lab.ts';
import { labCore } from './lab-options.ts';
import { labProjectSchema } from './lab-project-schema.ts';

/**
 * An engine to be killed: deploys a replica of a deployable lab, and prints the deployment's id as JSON as soon as it has
 * one. Its one argument is JSON.
 */
const request = z
  .object({ project: labProjectSchema, replica: z.string(), options: deploymentOptionsSchema, fails: z.boolean() })
  .parse(JSON.parse(process.argv[2] ?? '{}'));

process.stdin.resume().once('end', () => process.exit(3));
const { client } = await openProject(
  { ...labCore(request.project), guests: smallPreparation(() => request.fails) },
  new AbortController().signal,
);
const { id } = await client.call('deployment.create', { replica: request.replica, options: request.options });
process.stdout.write(`${JSON.stringify({ id })}\n`);
await client.close();
process.exit(0);
