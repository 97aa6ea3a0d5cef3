import type { CommandContext } from '../command-context.ts';
import type { ProjectOptions } from '../project/project-options.ts';

/** Prints values as JSON lines when asked to, else the text that is made for people. */
export function print(context: CommandContext, options: ProjectOptions, values: readonly unknown[], text: () => string): void {
  if (options.json === true) for (const value of values) context.stdout.write(`${JSON.stringify(value)}\n`);
  else context.stdout.write(text());
}
