import type { Command } from 'commander';

/** What every command that works in a project takes. */
export interface ProjectOptions {
  readonly project?: string;
  readonly json?: boolean;
}

/** Adds `--project` and `--json`. */
export function inProject(command: Command): Command {
  return command
    .option('--project <folder>', 'the project (default: $CAUSEWAY_PROJECT, or the current folder)')
    .option('--json', 'print JSON, one value per line');
}

/** A command that only holds others, made when its first one is added. */
export function commandGroup(program: Command, name: string, description: string): Command {
  return program.commands.find((command) => command.name() === name) ?? program.command(name).description(description);
}
