import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { openProject } from '../../engine/core/open-project.ts';
import { stateFolder } from '../../engine/store/database.ts';
import { openVault } from '../../secrets/vault.ts';
import { readFleetConfig } from '../../fleet/fleet-config.ts';
import { ensureProjectFile } from '../../workbench/project-file.ts';
import { UsageError, type CommandContext, type MayCreate, type ProjectOptions } from '../command-context.ts';
import { asksForPassphrase, keyWrapperFor } from './unlock.ts';

/** A command that keeps the project open, and continues what other members of its fleet have left. */
export interface StaysOpen {
  readonly staysOpen?: boolean;
}

/** The folder that a command works in. @throws UsageError when it is not there */
export function projectFolder(options: ProjectOptions, context: CommandContext): string {
  const folder = resolve(options.project ?? (context.env['CAUSEWAY_PROJECT'] || '.'));
  if (!existsSync(folder)) throw new UsageError(`folder not found: ${folder}`);
  return folder;
}

/** What only a project has; the last ones are what a cloned project has before it is opened here. */
const projectMarks = ['causeway.yaml', '.causeway', 'endpoints', 'replicas', 'waves', 'inventory', 'defaults.json'];

/** @throws UsageError where a command would make a project of a folder that is none */
function requireProject(folder: string): void {
  if (projectMarks.some((mark) => existsSync(join(folder, mark)))) return;
  throw new UsageError(
    `${folder} is not a Causeway project. Specify one with --project or CAUSEWAY_PROJECT. To create one here: causeway vault init, or causeway endpoint add`,
  );
}

/** The mover that a command works on; undefined for this computer. */
export function moverOf(options: ProjectOptions, context: CommandContext): string | undefined {
  return options.on ?? (context.env['CAUSEWAY_MOVER'] || undefined);
}

export function vaultPath(folder: string): string {
  return join(stateFolder(folder), 'vault.json');
}

/**
 * Opens the project, as its engine or as a client of the one that runs, does the work, and closes it again; executions that
 * this process runs are waited for.
 */
export async function withProject<T>(
  options: ProjectOptions & MayCreate & StaysOpen,
  context: CommandContext,
  work: (core: CoreClient) => Promise<T>,
): Promise<T> {
  const mover = moverOf(options, context);
  if (mover !== undefined) {
    const { withProjectOnMover } = await import('./on-mover.ts');
    return withProjectOnMover(mover, options, context, work);
  }
  const folder = projectFolder(options, context);
  if (options.createProject !== true) requireProject(folder);
  const vault = openVault(vaultPath(folder), keyWrapperFor(context), { asksPeople: asksForPassphrase(context) });
  const config = readFleetConfig(folder);
  // The client of NATS is loaded by who is in a fleet.
  const fleet =
    config === undefined
      ? undefined
      : await (
          await import('../../fleet/fleet-engine.ts')
        ).joinFleet(config, { takesOver: options.staysOpen === true, projectFolder: folder });
  try {
    const opened = await openProject(
      { projectFolder: folder, vault, ...(fleet === undefined ? {} : { fleet: fleet.join }) },
      context.signal,
    );
    const { client } = opened;
    if (options.staysOpen === true && opened.role === 'engine') opened.client.carryOutCalendar();
    try {
      ensureProjectFile(folder);
      return await work(client);
    } finally {
      await client.close();
    }
  } finally {
    await fleet?.close();
  }
}
