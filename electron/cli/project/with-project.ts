import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { openProject } from '../../engine/core/open-project.ts';
import { stateFolder } from '../../engine/store/database.ts';
import { openVault } from '../../secrets/vault.ts';
import { UsageError, type CommandContext } from '../command-context.ts';
import type { ProjectOptions } from './project-options.ts';
import { keyWrapperFor } from './unlock.ts';

/** The folder that a command works in. @throws UsageError when it is not there */
export function projectFolder(options: ProjectOptions, context: CommandContext): string {
  const folder = resolve(options.project ?? (context.env['CAUSEWAY_PROJECT'] || '.'));
  if (!existsSync(folder)) throw new UsageError(`there is no folder ${folder}`);
  return folder;
}

export function vaultPath(folder: string): string {
  return join(stateFolder(folder), 'vault.json');
}

/**
 * Opens the project, as its engine or as a client of the one that runs, does the work, and closes it again; executions that
 * this process runs are waited for.
 */
export async function withProject<T>(options: ProjectOptions, context: CommandContext, work: (core: CoreClient) => Promise<T>): Promise<T> {
  const folder = projectFolder(options, context);
  const vault = openVault(vaultPath(folder), keyWrapperFor(context));
  const { client } = await openProject({ projectFolder: folder, vault }, context.signal);
  try {
    return await work(client);
  } finally {
    await client.close();
  }
}
