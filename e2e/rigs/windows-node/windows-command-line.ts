import { join } from 'node:path';
import type { Answer, StartOptions, WindowsNode, WindowsProcess } from './windows-node.ts';

const root = join(import.meta.dirname, '..', '..', '..');

/** The built command line as people have it on Windows, in a project and with a key file on drive C:. */
export interface WindowsCommandLine {
  /** The project's folder, as a folder of this machine. */
  readonly project: string;
  start(args: readonly string[], options?: StartOptions): WindowsProcess;
  run(args: readonly string[], options?: StartOptions): Promise<Answer>;
  /** Runs a command that must succeed; answers with what it printed. */
  expect(args: readonly string[], options?: StartOptions): Promise<string>;
}

/** @param project the name of a folder in the user's home folder */
export function windowsCommandLine(windows: WindowsNode, project = 'project'): WindowsCommandLine {
  const folder = join(windows.home, project);
  const env = {
    CAUSEWAY_PROJECT: windows.path(folder),
    CAUSEWAY_KEY_FILE: windows.path(join(windows.home, `${project}.key`)),
  };
  const start = (args: readonly string[], options: StartOptions = {}): WindowsProcess =>
    // Node 22 warns of its SQLite; that of later versions is as good as released.
    windows.start(
      ['--disable-warning=ExperimentalWarning', windows.path(join(root, 'out', 'main', 'cli.js')), ...args],
      { ...options, env: { ...env, ...options.env } },
    );
  const run = (args: readonly string[], options?: StartOptions): Promise<Answer> => start(args, options).ended;
  return {
    project: folder,
    start,
    run,
    async expect(args, options) {
      const { status, stdout, stderr } = await run(args, options);
      if (status !== 0) throw new Error(`causeway ${args.join(' ')} ended with ${status}:\n${stdout}${stderr}`);
      return stdout;
    },
  };
}
