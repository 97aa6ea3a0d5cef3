import { readFile } from 'node:fs/promises';
import { inspectImages, type InspectOptions } from '../../engine/osmorphing/index.ts';
import { UsageError, type CommandContext, type ExitStatus } from '../command-context.ts';
import { explained, foundText } from '../output/guest-text.ts';

interface Flags {
  readonly root?: string;
  readonly keyFile?: readonly string[];
  readonly hypervisor?: InspectOptions['hypervisor'];
  readonly diskBus?: NonNullable<InspectOptions['diskBuses']>[number];
  readonly keepAddresses?: boolean;
  readonly virtioDisc?: string;
  readonly json?: boolean;
}

export async function runInspect(
  images: readonly string[],
  { root, keyFile = [], hypervisor, diskBus, keepAddresses, virtioDisc, json }: Flags,
  context: CommandContext,
): Promise<ExitStatus> {
  const luksKeys = await Promise.all(keyFile.map(async (path) => ({ key: await keyIn(path) })));
  const options: InspectOptions = {
    luksKeys,
    ...(root === undefined ? {} : { root }),
    ...(hypervisor === undefined ? {} : { hypervisor }),
    ...(diskBus === undefined ? {} : { diskBuses: [diskBus] }),
    setDhcp: keepAddresses !== true,
  };
  const outcome = await inspectImages({ images, options, virtioDisc, signal: context.signal });
  context.stdout.write(
    json === true
      ? `${JSON.stringify({ ...outcome, findings: outcome.findings.map(explained), doubts: outcome.doubts.map(explained) })}\n`
      : foundText(outcome),
  );
  return outcome.findings.length > 0 || !outcome.supported ? 1 : 0;
}

/** Most editors end a file with a line end that belongs to no key. */
async function keyIn(path: string): Promise<Buffer> {
  const content = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return content.at(-1) === 10 ? content.subarray(0, -1) : content;
}
