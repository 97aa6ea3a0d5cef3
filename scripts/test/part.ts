import { spawn } from 'node:child_process';
import { appendFileSync, writeFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { openCpuAccount } from './cpu-account.ts';
import { endMarked, markedProcesses, markOf, type Mark } from './marked-processes.ts';

/** A program of a test run. */
export interface Part {
  readonly name: string;
  /** Arguments of Node. */
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env?: Readonly<Record<string, string>>;
  /** File that gets its output as it comes. */
  readonly log: string;
  /** A part that prints nothing for so long is ended, with everything it started. */
  readonly silenceSeconds: number;
  /** How long processes that end with their part may take for it; default 10. */
  readonly graceSeconds?: number;
}

export interface PartEnd {
  /** Exit status; null after a signal, or when the part was ended. */
  readonly status: number | null;
  readonly output: string;
  readonly wallSeconds: number;
  /** Undefined where the kernel does not count. */
  readonly cpuSeconds: number | undefined;
  /** Why the part counts as failed, whatever its own report says: silence, or processes that outlived it. */
  readonly complaint?: string;
}

/**
 * Runs a part to its end. Never waits for more than the part itself: what it left running is named, ended, and a failure.
 *
 * @param signal ends the part with everything it started
 */
export async function runPart(part: Part, signal: AbortSignal): Promise<PartEnd> {
  const account = openCpuAccount(part.name);
  const mark = markOf(part.name);
  const begun = performance.now();
  const [command, ...args] = [...account.prefix, process.execPath, ...part.args] as [string, ...string[]];
  let output = '';
  let silent = false;
  writeFileSync(part.log, '');
  const child = spawn(command, args, {
    cwd: part.cwd,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...part.env, ...process.env, ...mark.env },
  });
  const end = (): void => {
    child.kill('SIGKILL');
    endMarked(mark);
  };
  const watch = setTimeout(() => {
    silent = true;
    end();
  }, part.silenceSeconds * 1000);
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      appendFileSync(part.log, text);
      watch.refresh();
    });
  }
  signal.addEventListener('abort', end);
  // Not `close`: a process that outlives the part may hold its output open for ever.
  const status = await new Promise<number | null>((resolve) => {
    child.once('error', () => resolve(-1));
    child.once('exit', resolve);
  });
  clearTimeout(watch);
  signal.removeEventListener('abort', end);
  const left = silent || signal.aborted ? [] : await leftBehind(mark, part.graceSeconds ?? 10);
  endMarked(mark);
  child.stdout.destroy();
  child.stderr.destroy();
  const cpuSeconds = account.seconds();
  account.close();
  const complaint = silent
    ? `no output for ${part.silenceSeconds} s; ended with everything it had started`
    : left.length > 0
      ? `left running: ${left.join('; ')}`
      : undefined;
  if (complaint !== undefined) appendFileSync(part.log, `\n${complaint}\n`);
  return {
    status: silent ? null : status,
    output,
    wallSeconds: Math.round((performance.now() - begun) / 100) / 10,
    cpuSeconds: cpuSeconds === undefined ? undefined : Math.round(cpuSeconds * 10) / 10,
    ...(complaint === undefined ? {} : { complaint }),
  };
}

/** Command lines of what the part started and what still runs when the grace is over. */
async function leftBehind(mark: Mark, graceSeconds: number): Promise<string[]> {
  for (let waited = 0; waited < graceSeconds * 1000; waited += 200) {
    if (markedProcesses(mark).length === 0) return [];
    await wait(200);
  }
  return markedProcesses(mark).map(({ pid, command }) => `${command} (process ${pid})`);
}
