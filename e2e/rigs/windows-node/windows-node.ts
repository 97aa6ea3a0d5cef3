// needs: wine, x86-64
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ensureWindowsNode } from '../images/ensure.ts';
import { kill, run, spawnBound } from '../machines/child-process.ts';
import { hasProgram } from '../machines/require-programs.ts';
import { followLines } from './follow-lines.ts';

/** Whether this machine can run programs of Windows. */
export const hasWine = hasProgram('wine') && hasProgram('npm') && process.arch === 'x64';

export interface Answer {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface StartOptions {
  /** Folder of this machine or of the computer that it starts in. Default: the computer's home folder. */
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
  /** What it reads from its standard input. */
  readonly input?: string;
  /** Called with each line of its standard output as it is written. */
  readonly onLine?: (line: string) => void;
}

/** A program under Windows' Node. */
export interface WindowsProcess {
  /** Its end, with all that it printed. */
  readonly ended: Promise<Answer>;
  /** Ends it without warning, as the task manager does. */
  kill(): Promise<void>;
}

/** A computer with Windows' own Node, on Debian's Wine: `process.platform` is `win32`. Its loopback is this machine's. */
export interface WindowsNode {
  /** Its drive C:, as a folder of this machine. */
  readonly driveC: string;
  /** Its user's home folder, as a folder of this machine. */
  readonly home: string;
  /** What its programs call a file or folder of this machine: on drive C: below `driveC`, on Z: elsewhere. */
  path(file: string): string;
  start(args: readonly string[], options?: StartOptions): WindowsProcess;
  run(args: readonly string[], options?: StartOptions): Promise<Answer>;
  /** Runs a program of Windows itself, to its end. */
  program(args: readonly string[]): Promise<Answer>;
  close(): Promise<void>;
}

/** Starts a computer of its own. Nothing else is on the network: it is as this machine for all that it talks to. */
export async function startWindowsNode(): Promise<WindowsNode> {
  const image = await ensureWindowsNode();
  const folder = mkdtempSync(join(tmpdir(), 'causeway-windows-'));
  const prefix = join(folder, 'prefix');
  // Wine replaces its registry's files and never writes into those of the system, so that links are as good as copies.
  await run('cp', ['-al', join(image, 'prefix'), prefix]).catch(() => run('cp', ['-a', join(image, 'prefix'), prefix]));
  for (const name of ['system.reg', 'user.reg', 'userdef.reg'])
    await run('cp', ['--remove-destination', join(image, 'prefix', name), join(prefix, name)]);
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    LANG: 'C.UTF-8',
    WINEPREFIX: prefix,
    WINEDEBUG: '-all',
    WINEDLLOVERRIDES: 'winemenubuilder.exe=d;mscoree,mshtml=',
    NODE_SKIP_PLATFORM_CHECK: '1',
    NODE_COMPILE_CACHE: 'C:\\compile-cache',
  };
  // It stays between programs: each of them would start all of the computer's services otherwise.
  const server = spawnBound('wineserver', ['-f', '-p'], { stdio: 'ignore', env });
  const driveC = join(prefix, 'drive_c');
  const user = readdirSync(join(driveC, 'users')).find((name) => name !== 'Public') ?? '';
  const home = join(driveC, 'users', user);
  const output = join(folder, 'output');
  mkdirSync(output);
  let started = 0;

  const launch = (program: readonly string[], options: StartOptions = {}): WindowsProcess => {
    const name = join(output, String((started += 1)));
    // Programs of Windows can write to files of this machine, not to its pipes.
    const files = [openInput(name, options.input), openSync(`${name}.out`, 'w'), openSync(`${name}.err`, 'w')] as const;
    const child = spawnBound('wine', program, {
      stdio: [...files],
      cwd: options.cwd ?? home,
      env: { ...env, ...options.env },
    });
    files.forEach((file) => closeSync(file));
    const finished = new AbortController();
    const followed =
      options.onLine === undefined ? Promise.resolve() : followLines(`${name}.out`, options.onLine, finished.signal);
    const ended = once(child, 'close').then(async ([status]): Promise<Answer> => {
      finished.abort();
      await followed;
      return {
        status: status as number | null,
        stdout: readFileSync(`${name}.out`, 'utf8'),
        stderr: readFileSync(`${name}.err`, 'utf8'),
      };
    });
    return {
      ended,
      async kill() {
        await kill(child);
        await ended;
      },
    };
  };
  const start = (args: readonly string[], options?: StartOptions): WindowsProcess =>
    launch([join(image, 'node.exe'), ...args], options);
  return {
    driveC,
    home,
    path: (file) =>
      (file.startsWith(`${driveC}/`) ? `C:${file.slice(driveC.length)}` : `Z:${file}`).replaceAll('/', '\\'),
    start,
    run: (args, options) => start(args, options).ended,
    program: (args) => launch(args).ended,
    async close() {
      // Ends every program of the computer.
      await kill(server, 'SIGTERM');
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

function openInput(name: string, input: string | undefined): number {
  if (input === undefined) return openSync('/dev/null', 'r');
  writeFileSync(`${name}.in`, input);
  return openSync(`${name}.in`, 'r');
}
