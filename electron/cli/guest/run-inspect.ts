import { readFile } from 'node:fs/promises';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import { isErrorCode } from '../../../shared/model/causeway-error.ts';
import { inspectImages, type InspectOptions, type InspectOutcome } from '../../engine/osmorphing/index.ts';
import { UsageError, type CommandContext, type ExitStatus } from '../command-context.ts';
import { pairs, table } from '../output/print.ts';

interface Flags {
  readonly root?: string;
  readonly keyFile?: readonly string[];
  readonly hypervisor?: InspectOptions['hypervisor'];
  readonly diskBus?: NonNullable<InspectOptions['diskBuses']>[number];
  readonly virtioDisc?: string;
  readonly json?: boolean;
}

export async function runInspect(images: readonly string[], { root, keyFile = [], hypervisor, diskBus, virtioDisc, json }: Flags, context: CommandContext): Promise<ExitStatus> {
  const luksKeys = await Promise.all(keyFile.map(async (path) => ({ key: await keyIn(path) })));
  const options: InspectOptions = {
    luksKeys, ...(root === undefined ? {} : { root }), ...(hypervisor === undefined ? {} : { hypervisor }), ...(diskBus === undefined ? {} : { diskBuses: [diskBus] }),
  };
  const outcome = await inspectImages({ images, options, virtioDisc, signal: context.signal });
  context.stdout.write(json === true ? `${JSON.stringify({ ...outcome, findings: outcome.findings.map(explained), doubts: outcome.doubts.map(explained) })}\n` : shown(outcome));
  return outcome.findings.length > 0 || !outcome.supported ? 1 : 0;
}

/** Most editors end a file with a line end that belongs to no key. */
async function keyIn(path: string): Promise<Buffer> {
  const content = await readFile(path).catch((error: unknown) => {
    throw new UsageError(`${path} cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  });
  return content.at(-1) === 10 ? content.subarray(0, -1) : content;
}

const explained = ({ code, message }: InspectOutcome['findings'][number]) => ({ code, message, ...(isErrorCode(code) ? { title: errorText(code).title, remedy: errorText(code).remedy } : {}) });

function shown({ dossier, supported, findings, changes, files, doubts }: InspectOutcome): string {
  const facts = pairs({
    System: dossier.name, 'Host name': dossier.hostname, Architecture: dossier.architecture, Firmware: dossier.firmware, 'Boot loader': dossier.bootloader,
    Kernels: dossier.kernels.join(', '), Root: dossier.root.id, Network: dossier.network.join(', '), 'cloud-init': dossier.cloudInit ?? 'not installed',
    'Tools of the source': Object.entries(dossier.hypervisorTools).map(([platform, names]) => `${platform}: ${names.join(', ')}`).join('; ') || 'none',
  });
  const verdict = !supported ? 'OSMorphing does not support this system.' : findings.length > 0 ? 'OSMorphing would stop:' : 'OSMorphing would not stop at anything that was found.';
  return [
    facts, verdict, findings.map(told).join('\n'),
    doubts.length === 0 ? '' : `Doubtful:\n\n${groups(doubts).map(told).join('\n')}`,
    changes.length === 0 ? '' : `It would change:\n\n${changes.map(({ title, notes }) => `${title}\n${notes.map((note) => `  ${note}\n`).join('')}`).join('')}`,
    table(['change', 'file'], files.map(({ change, path }) => [change, path])),
  ].filter((part) => part !== '').map((part) => `${part.trimEnd()}\n`).join('\n');
}

function told(item: { readonly code: string; readonly message: string }): string {
  const { code, message, title = code, remedy = '' } = explained(item);
  return `${title} [${code}]\n${message.split('\n').map((line) => `  ${line}\n`).join('')}  ${remedy}\n`;
}

/** One for each code: its remedy is said once. */
function groups(doubts: InspectOutcome['doubts']): InspectOutcome['doubts'] {
  return [...Map.groupBy(doubts, ({ code }) => code)].map(([code, each]) => ({ code, message: each.map(({ message }) => message).join('\n') }));
}
