import { createHash, randomFillSync } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import { createProject } from '../../electron/workbench/project-file.ts';
import { CommandLine } from '../demo/command-line.ts';
import { addEndpoints, cloudEndpoint } from '../demo/endpoints.ts';
import { startLab, type Lab } from '../demo/lab.ts';
import { writeCloudEnvironment } from '../rigs/project/cloud-environment.ts';
import { mebibyte } from './transfer-disks.ts';

/** A project that moves disk images to the lab's cloud, worked with by the command line that users have. */
export interface ImagesProject {
  readonly causeway: CommandLine;
  /** Makes a replica of the image, or folder of images, of this name. */
  createReplica(name: string): Promise<void>;
}

/** Works with a lab and a folder in memory, which both are gone afterwards; ends the process where the command line is not built. */
export async function withImagesLab(work: (lab: Lab, scratch: string) => Promise<void>): Promise<void> {
  if (!existsSync(join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js'))) {
    console.error('The command line is not built: npm run build');
    process.exit(2);
  }
  const scratch = await mkdtemp('/dev/shm/causeway-bench-');
  let lab: Lab | undefined;
  try {
    lab = await startLab({ folder: join(scratch, 'lab'), withVm: false, say: () => {} });
    await work(lab, scratch);
  } finally {
    await lab?.close();
    await rm(scratch, { recursive: true, force: true });
  }
}

/**
 * @param scratch where the project and its vault's key go; images are in its folder `images`
 * @param inParallel executions at the same time
 */
export async function createImagesProject(scratch: string, { cloud }: Lab, inParallel: number): Promise<ImagesProject> {
  const images = join(scratch, 'images');
  await mkdir(images, { recursive: true });
  const project = join(scratch, 'project');
  createProject(project, 'Measurement');
  const causeway = new CommandLine(project, {
    CAUSEWAY_KEY_FILE: join(scratch, 'vault.key'),
    CAUSEWAY_USER_FOLDER: join(scratch, 'user'),
  });
  await addEndpoints(causeway, { cloud });
  await causeway.expect(['endpoint', 'add', 'images', '--plugin', 'disk-images', '--set', `path=${images}`]);
  await causeway.expect(['execution', 'parallel', String(inParallel)]);
  const environment = await writeCloudEnvironment(project);
  return {
    causeway,
    createReplica: async (name) =>
      void (await causeway.expect(['replica', 'create', 'images', name, cloudEndpoint, '--environment', environment])),
  };
}

/** A disk of so many MiB without a block that another one has. */
export async function makeImage(folder: string, name: string, mib: number): Promise<void> {
  const bytes = randomFillSync(Buffer.alloc(mebibyte));
  const file = await open(join(folder, `${name}.raw`), 'w');
  for (let at = 0; at < mib; at++) {
    for (let block = 0; block < mebibyte; block += 4096)
      createHash('md5').update(`${name} ${at} ${block}`).digest().copy(bytes, block);
    await file.write(bytes, 0, mebibyte, at * mebibyte);
  }
  await file.close();
}

/** When something began and ended, milliseconds since 1970. */
export type Interval = readonly [from: number, until: number];

const executionSchema = z.object({ id: z.string(), state: z.string() });
const doneSchema = z.object({
  type: z.literal('disk.done'),
  at: z.string(),
  details: z.object({ durationSeconds: z.number() }),
});
const verificationSchema = z.object({
  type: z.literal('task.state'),
  at: z.string(),
  taskId: z.literal('verify-disks'),
  details: z.object({ state: z.string() }),
});

/** When each disk of the replica's last execution was copied, which must have completed. */
export async function copyingTimes(causeway: CommandLine, replica: string): Promise<readonly Interval[]> {
  const done = (await eventsOf(causeway, replica)).flatMap((line) => doneSchema.safeParse(line).data ?? []);
  if (done.length === 0) throw new Error(`${replica} says nothing of its disks`);
  return done.map(({ at, details }) => [Date.parse(at) - 1000 * details.durationSeconds, Date.parse(at)]);
}

/** When what the replica's last execution wrote was read again. */
export async function verifyingTimes(causeway: CommandLine, replica: string): Promise<readonly Interval[]> {
  const states = (await eventsOf(causeway, replica)).flatMap((line) => verificationSchema.safeParse(line).data ?? []);
  const [from, until] = ['running', 'completed'].map(
    (state) => states.find(({ details }) => details.state === state)?.at,
  );
  if (from === undefined || until === undefined) throw new Error(`${replica} was not verified`);
  return [[Date.parse(from), Date.parse(until)]];
}

async function eventsOf(causeway: CommandLine, replica: string): Promise<readonly unknown[]> {
  const lines = (await causeway.expect(['execution', 'show', replica, '--events', '--json']))
    .trim()
    .split('\n')
    .map((line): unknown => JSON.parse(line));
  if (executionSchema.parse(lines[0]).state !== 'completed')
    throw new Error(`the execution of ${replica} was not completed`);
  return lines;
}
