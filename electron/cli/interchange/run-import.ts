import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { importProject, type ImportedProject } from '../../../shared/interchange/import-project.ts';
import { importedDocument, planImport, type ImportPlan } from '../../../shared/interchange/plan-import.ts';
import { readPayloads } from '../../../shared/interchange/read-payloads.ts';
import { isPortableFileName } from '../../../shared/model/file-names.ts';
import type { PluginId } from '../../../shared/model/plugin-id.ts';
import { UsageError, type CommandContext, type ExitStatus, type ProjectOptions } from '../command-context.ts';
import { print, table } from '../output/print.ts';
import { readInputText } from '../project/read-files.ts';
import { withProject } from '../project/with-project.ts';
import { notCarriedText } from './not-carried-text.ts';

export interface ImportOptions extends ProjectOptions {
  readonly endpoint?: readonly string[];
  readonly documents?: string;
  readonly dryRun?: boolean;
}

interface Result {
  readonly kind: 'endpoint' | 'replica' | 'document';
  readonly name: string;
  readonly outcome: 'created' | 'exists' | 'would be created' | 'failed';
  readonly error?: string;
  /** Options to deploy it with as the payload asks. */
  readonly deployOptions?: readonly string[];
}

/** `causeway interchange import` */
export async function runImport(file: string, options: ImportOptions, context: CommandContext): Promise<ExitStatus> {
  const payloads = readPayloads(readInputText(file));
  const given = new Map((options.endpoint ?? []).map(pairOf));
  if (options.documents !== undefined) {
    const imported = importProject(payloads, new Map());
    return report(await writeDocuments(imported, options.documents), imported, options, context);
  }
  return withProject({ ...options, createProject: true }, context, async (core) => {
    const existing = await core.call('endpoint.list', {});
    const known = new Map<string, PluginId>(
      existing.flatMap(
        ({ id, name, plugin }) =>
          [
            [id, plugin],
            [name, plugin],
          ] as const,
      ),
    );
    for (const [id, name] of given) {
      const plugin = known.get(name);
      if (plugin === undefined) throw new UsageError(`there is no endpoint ${JSON.stringify(name)}`);
      known.set(id, plugin);
    }
    const imported = importProject(payloads, known);
    const plan = planImport(imported, { endpoints: existing, replicas: await core.call('replica.list', {}) }, given);
    return report(await create(core, plan, options.dryRun === true), imported, options, context);
  });
}

function pairOf(text: string): readonly [string, string] {
  const at = text.indexOf('=');
  if (at < 1) throw new UsageError(`--endpoint ${text}: it must be ID=NAME`);
  return [text.slice(0, at), text.slice(at + 1)];
}

async function create(core: CoreClient, { endpoints, replicas }: ImportPlan, isDry: boolean): Promise<Result[]> {
  const results: Result[] = [];
  const attempt = async (
    kind: Result['kind'],
    name: string,
    exists: boolean,
    work: () => Promise<unknown>,
    more: Partial<Result> = {},
  ): Promise<void> => {
    if (exists || isDry) {
      results.push({ kind, name, outcome: exists ? 'exists' : 'would be created', ...more });
      return;
    }
    try {
      await work();
      results.push({ kind, name, outcome: 'created', ...more });
    } catch (error) {
      // One that cannot be created does not keep the others out.
      results.push({ kind, name, outcome: 'failed', error: error instanceof Error ? error.message : String(error) });
    }
  };
  for (const { name, plugin, connection, exists } of endpoints)
    await attempt('endpoint', name, exists, () => core.call('endpoint.add', { name, plugin, connection }));
  for (const {
    vm,
    source,
    destination,
    sourceEnvironment,
    destinationEnvironment,
    deployOptions,
    exists,
  } of replicas) {
    const input = { source, destination, vm, sourceEnvironment, destinationEnvironment };
    await attempt(
      'replica',
      vm,
      exists,
      () => core.call('replica.create', input),
      deployOptions.length === 0 ? {} : { deployOptions },
    );
  }
  return results;
}

async function writeDocuments({ replicas }: ImportedProject, folder: string): Promise<Result[]> {
  await mkdir(folder, { recursive: true });
  const results: Result[] = [];
  for (const replica of replicas) {
    const name = `${fileName(replica.vm, results.length)}.yaml`;
    await writeFile(join(folder, name), importedDocument(replica), { flag: 'wx' }).then(
      () => results.push({ kind: 'document', name, outcome: 'created' }),
      (error: NodeJS.ErrnoException) =>
        results.push(
          error.code === 'EEXIST'
            ? { kind: 'document', name, outcome: 'exists' }
            : { kind: 'document', name, outcome: 'failed', error: error.message },
        ),
    );
  }
  return results;
}

/** Name of a VM's document, without its ending. Instances may be paths or ids of another system: what a file must not be called is replaced. */
export function fileName(vm: string, index: number): string {
  const last = vm.split(/[\\/]/).at(-1) ?? '';
  const plain = last
    .replaceAll(/[^\w .-]/g, '-')
    .replace(/^[. ]+/, '')
    .slice(0, 100);
  return isPortableFileName(`${plain}.yaml`) && plain !== '' ? plain : `vm-${index + 1}`;
}

function report(
  results: readonly Result[],
  { notCarried, unknownEndpoints }: ImportedProject,
  options: ImportOptions,
  context: CommandContext,
): ExitStatus {
  print(context, options, [...results, ...notCarried.map((item) => ({ kind: 'not imported', ...item }))], () =>
    table(
      ['outcome', 'kind', 'name', 'deploy with', 'error'],
      results.map(({ outcome, kind, name, deployOptions, error }) => [
        outcome,
        kind,
        name,
        deployOptions?.join(' '),
        error,
      ]),
    ),
  );
  if (options.json !== true) context.stderr.write(notCarriedText('Not imported', notCarried));
  if (unknownEndpoints.length > 0)
    context.stderr.write(
      `Name unknown endpoints: ${unknownEndpoints.map((id) => `--endpoint ${id}=NAME`).join(' ')}\n`,
    );
  return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0;
}
