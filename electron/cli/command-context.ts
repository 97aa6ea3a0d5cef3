import type { Command } from 'commander';

/** What a command may touch of the outer world, so that it can be run inside a test too. */
export interface CommandContext {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly stderr: NodeJS.WritableStream;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** URL of the module that the process was started with; workers are started with it again. */
  readonly entry: string;
  /** Aborted on SIGINT and SIGTERM. */
  readonly signal: AbortSignal;
}

/** What a command's action answers with. Never call process.exit: it cuts off output that is still being written. */
export type ExitStatus = 0 | 1 | 2;

/**
 * Adds one command to the program: its arguments, options, help. The implementation behind it is imported inside the
 * action, so that `--help` and other commands do not pay for it. Wrap the action in `context.run`.
 */
export type CommandRegistrar = (program: Command, context: RegistrationContext) => void;

export interface RegistrationContext extends CommandContext {
  /** Turns an implementation into a commander action: its answer becomes the exit status, its errors one line of text. */
  run<Arguments extends readonly unknown[]>(
    implementation: (...values: Arguments) => Promise<ExitStatus> | ExitStatus,
  ): (...values: Arguments) => Promise<void>;
}

/** Bad usage or an input that cannot be read: exit status 2, the message on standard error. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** What every command that works in a project takes. */
export interface ProjectOptions {
  readonly project?: string;
  readonly json?: boolean;
  /** The mover that has the project; undefined: this computer. */
  readonly on?: string;
}

/** A command with which a project may begin. */
export interface MayCreate {
  readonly createProject?: boolean;
}

/** Adds `--project`, `--on` and `--json`. */
export function inProject(command: Command): Command {
  return command
    .option('--project <folder>', 'the project (default: $CAUSEWAY_PROJECT, or the current folder)')
    .option(
      '--on <mover>',
      'work in a project on this mover; --project is then a folder there (default: $CAUSEWAY_MOVER)',
    )
    .option('--json', 'print JSON, one value per line');
}
