import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runPart, type PartEnd } from './part.ts';

const isLinux = process.platform === 'linux';
let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-part-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

function run(
  script: string,
  silenceSeconds = 60,
  signal = new AbortController().signal,
  flags: readonly string[] = [],
): Promise<PartEnd> {
  const log = join(folder, 'part.log');
  return runPart(
    { name: 'a part', args: [...flags, '-e', script], cwd: folder, log, silenceSeconds, graceSeconds: 1 },
    signal,
  );
}

function isRunning(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8') !== '';
  } catch {
    return false;
  }
}

/** A grandchild that holds the part's output open, in a session of its own. */
const startSleeper = `
  const sleeper = require('node:child_process').spawn(process.execPath, ['-e', 'setInterval(() => {}, 1000)'], { detached: true, stdio: 'inherit' });
  sleeper.unref();
  console.log('sleeper ' + sleeper.pid);`;
const sleeperOf = ({ output }: PartEnd): number => Number(/sleeper (\d+)/.exec(output)?.[1]);

describe('a part of a run', () => {
  it('has a status and its output', async () => {
    const end = await run('console.log("hello"); process.exitCode = 3');
    expect([end.status, end.output, end.complaint]).toEqual([3, 'hello\n', undefined]);
  });

  it.runIf(isLinux)('fails when a process outlives it, which is ended', async () => {
    const end = await run(`${startSleeper} process.exit(0)`);
    expect(end.status).toBe(0);
    expect(end.complaint).toMatch(/^left running: .*setInterval.*process \d+/);
    await expect.poll(() => isRunning(sleeperOf(end))).toBe(false);
  });

  it.runIf(isLinux)('ends with everything that it started when it says nothing', async () => {
    const end = await run(`${startSleeper} setInterval(() => {}, 1000)`, 3);
    expect([end.status, end.complaint]).toEqual([null, 'no output for 3 s; ended with everything it had started']);
    await expect.poll(() => isRunning(sleeperOf(end))).toBe(false);
  });

  it.runIf(isLinux)('ends with the parts of a part', async () => {
    const inner = `
      const { runPart } = await import(${JSON.stringify(join(import.meta.dirname, 'part.ts'))});
      const script = ${JSON.stringify(startSleeper)} + 'setInterval(() => {}, 1000)';
      const log = ${JSON.stringify(join(folder, 'inner.log'))};
      const end = runPart({ name: 'inner', args: ['-e', script], cwd: '/', log, silenceSeconds: 60 }, new AbortController().signal);
      const { readFileSync } = await import('node:fs');
      const timer = setInterval(() => {
        const found = /sleeper \\d+/.exec(readFileSync(log, 'utf8'));
        if (found === null) return;
        clearInterval(timer);
        console.log(found[0]);
      }, 20);
      await end;`;
    const interrupt = new AbortController();
    const running = run(inner, 60, interrupt.signal, ['--input-type=module']);
    await expect.poll(() => readFileSync(join(folder, 'part.log'), 'utf8')).toMatch(/sleeper \d+/);
    interrupt.abort();
    const end = await running;
    expect(sleeperOf(end)).toBeGreaterThan(0);
    await expect.poll(() => isRunning(sleeperOf(end))).toBe(false);
  });

  it.runIf(isLinux)('ends with everything that it started when the run is interrupted', async () => {
    const interrupt = new AbortController();
    const running = run(`${startSleeper} setInterval(() => {}, 1000)`, 60, interrupt.signal);
    await expect.poll(() => readFileSync(join(folder, 'part.log'), 'utf8')).toMatch(/sleeper \d+/);
    interrupt.abort();
    const end = await running;
    expect(end.status).toBeNull();
    await expect.poll(() => isRunning(sleeperOf(end))).toBe(false);
  });
});
