import type { CoreClient } from '../../../shared/contract/core-client.ts';
import { nearestSpelling } from '../../../shared/schema/spelling.ts';
import { UsageError, type CommandContext, type ProjectOptions } from '../command-context.ts';
import { withProject } from './with-project.ts';

/** Opens the project with the names of its waves. */
export function inWaves<T>(
  options: ProjectOptions,
  context: CommandContext,
  work: (core: CoreClient, names: readonly string[]) => Promise<T>,
): Promise<T> {
  return withProject(options, context, async (core) =>
    work(
      core,
      (await core.call('wave.list', {})).map(({ name }) => name),
    ),
  );
}

/** The same with a wave that has to be there. @throws UsageError */
export function inWave<T>(
  wave: string,
  options: ProjectOptions,
  context: CommandContext,
  work: (core: CoreClient) => Promise<T>,
): Promise<T> {
  return inWaves(options, context, (core, names) => {
    requireWave(wave, names);
    return work(core);
  });
}

/** @throws UsageError that says which waves there are and how to create one */
export function requireWave(wave: string, names: readonly string[]): void {
  if (names.includes(wave)) return;
  const nearest = nearestSpelling(wave, names);
  const known =
    names.length === 0
      ? 'the project has no waves'
      : nearest === undefined
        ? `waves: ${names.join(', ')}`
        : `did you mean ${nearest}?`;
  throw new UsageError(
    `there is no wave "${wave}" (${known}). To create it: causeway wave create ${/^[\w.-]+$/.test(wave) ? wave : JSON.stringify(wave)}`,
  );
}
