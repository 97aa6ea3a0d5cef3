import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { engineFlags } from '../../electron/engine/runtime/engine-flags.ts';

const cli = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js');

export interface CommandOutcome {
  readonly status: number | null;
  readonly stdout: string;
}

/** The real command line in a project, as a user would run it on some computer. */
export interface Commands {
  /** The project's folder, as a folder of this machine. */
  readonly project: string;
  /** What its computer calls a file of this machine. */
  path(file: string): string;
  /** Runs a command to its end. `input` goes to its standard input; what it says on standard error is shown. */
  run(args: readonly string[], input?: string): Promise<CommandOutcome>;
  /** Runs a command that must succeed, and says what it printed. */
  expect(args: readonly string[], input?: string): Promise<string>;
  /** Runs a command with its output on this terminal. */
  show(args: readonly string[]): Promise<number | null>;
  /** Starts a command and kills it without warning as soon as a line of its JSON output says so. */
  killWhen(args: readonly string[], isTime: (line: unknown) => boolean): Promise<number | null>;
}

/** The command line on this machine. */
export class CommandLine implements Commands {
  readonly project: string;
  readonly #env: NodeJS.ProcessEnv;

  constructor(project: string, env: Readonly<Record<string, string>>) {
    this.project = project;
    this.#env = { ...process.env, ...env, CAUSEWAY_PROJECT: project };
  }

  path(file: string): string {
    return file;
  }

  async run(args: readonly string[], input = ''): Promise<CommandOutcome> {
    const child = this.start(args, ['pipe', 'pipe', 'inherit']);
    let stdout = '';
    child.stdout!.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stdin!.on('error', () => undefined).end(input);
    return { status: await ended(child), stdout };
  }

  async expect(args: readonly string[], input = ''): Promise<string> {
    const { status, stdout } = await this.run(args, input);
    if (status !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${status}:\n${stdout}`);
    return stdout;
  }

  async show(args: readonly string[]): Promise<number | null> {
    return ended(this.start(args, ['ignore', 'inherit', 'inherit']));
  }

  async killWhen(args: readonly string[], isTime: (line: unknown) => boolean): Promise<number | null> {
    const child = this.start([...args, '--json'], ['ignore', 'pipe', 'inherit']);
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (isTime(JSON.parse(line))) child.kill('SIGKILL');
    });
    return ended(child);
  }

  start(args: readonly string[], stdio: ('pipe' | 'inherit' | 'ignore')[]): ChildProcess {
    return spawn(process.execPath, [...engineFlags, cli, ...args], { stdio, env: this.#env });
  }
}

function ended(child: ChildProcess): Promise<number | null> {
  return new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
}
