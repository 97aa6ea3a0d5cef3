import { execFile, spawn } from 'node:child_process';
import type { ChildProcess, SpawnOptions } from 'node:child_process';
import { promisify } from 'node:util';

/** The environment of the lab's programs: system folders are not on everybody's search path. */
export const labEnvironment: NodeJS.ProcessEnv = {
  ...process.env,
  PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin`,
};

/** Runs a program to its end and gives its output; rejects with the program's own words. */
export async function run(program: string, args: readonly string[]): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, args, { maxBuffer: 64 * 2 ** 20, env: labEnvironment });
    return stdout;
  } catch (error) {
    const { stderr, message } = error as { stderr?: string; message: string };
    throw new Error(`${program} failed: ${(stderr ?? '').trim() || message}`, { cause: error });
  }
}

/**
 * Starts a program that the kernel kills when this process ends, however that ends: a rig leaves nothing behind even
 * when its test is killed. A session of its own keeps the terminal's Ctrl-C away from it: who started it decides.
 */
export function spawnBound(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  return spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
    env: { ...process.env, PATH: labEnvironment['PATH'] },
    detached: true,
    ...options,
  });
}

/** Kills and resolves when the process is gone. */
export function kill(child: ChildProcess, signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  return new Promise((resolve) => {
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}

/** Kills a process that is no child of this one, unless it has ended by itself. */
export function endProcess(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has.
  }
}
