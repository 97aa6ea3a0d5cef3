import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { stripVTControlCharacters } from 'node:util';

/**
 * Builds what is older than its sources: `node` (command line, engine, host, main) or `all` (preload and renderer too).
 * Prints nothing when it succeeds, because the command line's own output must stand alone.
 */
const root = join(import.meta.dirname, '..');
const target = process.argv[2] === 'node' ? 'node' : 'all';
const lock = join(root, 'out', '.building');

const log = join(root, 'out', 'build.log');

try {
  if (!isFresh()) await buildOnce();
} catch (error) {
  process.stderr.write(`The build failed: ${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 2;
}

async function buildOnce(): Promise<void> {
  await takeLock();
  try {
    if (!isFresh()) build();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function stampOf(what: 'node' | 'all'): string {
  return join(root, 'out', `.built-${what}`);
}

function isFresh(): boolean {
  const stamp = target === 'node' && existsSync(stampOf('node')) ? stampOf('node') : stampOf('all');
  if (!existsSync(stamp)) return false;
  const builtAt = statSync(stamp).mtimeMs;
  return sources().every((file) => statSync(join(root, file)).mtimeMs < builtAt);
}

function sources(): string[] {
  const code = globSync('{shared,electron,renderer,assets}/**/*', {
    cwd: root,
    exclude: (name) => /\.test\.tsx?$/.test(name),
  });
  return [...code, 'electron.vite.config.ts', 'package.json', 'package-lock.json'];
}

function build(): void {
  const startedAt = new Date();
  const vite = join(root, 'node_modules', 'electron-vite', 'bin', 'electron-vite.js');
  const { status, stdout, stderr } = spawnSync(process.execPath, [vite, 'build', '--logLevel', 'warn'], {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, CAUSEWAY_BUILD: target },
  });
  if (status !== 0) {
    const output = stripVTControlCharacters(`${stdout}${stderr}`);
    writeFileSync(log, output);
    throw new Error(`${causeIn(output) ?? `electron-vite ended with exit status ${status}`} (its output: ${log})`);
  }
  for (const stamp of target === 'all' ? [stampOf('node'), stampOf('all')] : [stampOf('node')]) {
    writeFileSync(stamp, startedAt.toISOString());
  }
}

/** What went wrong, and where: the bundler's own message, or the first error of whatever did not start. */
function causeIn(output: string): string | undefined {
  const message = /^\[[\w:-]+\] .+/m.exec(output)?.[0] ?? /^\s*(?:\w*Error|error): (.+)/m.exec(output)?.[1];
  const place = /╭─\[ (.+?) \]/.exec(output)?.[1];
  return message === undefined || place === undefined ? message : `${message} at ${place}`;
}

/** Two commands that are started at once must not build into each other; a lock whose owner died is taken over. */
async function takeLock(): Promise<void> {
  mkdirSync(join(root, 'out'), { recursive: true });
  for (const deadline = Date.now() + 120_000; Date.now() < deadline; await wait(100)) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, 'pid'), String(process.pid));
      return;
    } catch {
      if (ownerIsGone()) rmSync(lock, { recursive: true, force: true });
    }
  }
  throw new Error(`another one holds ${lock} for two minutes; remove it if no build runs`);
}

function ownerIsGone(): boolean {
  try {
    process.kill(Number(readFileSync(join(lock, 'pid'), 'utf8')), 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}
