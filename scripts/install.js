// Plain JavaScript without dependencies: it runs before anything is installed, on whatever Node the machine has.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname ?? new URL('.', import.meta.url).pathname, '..');
const stamp = join(root, 'node_modules', '.causeway-installed');

/** The Node that the project builds and runs on; comes with the npm package `node`. */
export const node24 =
  process.platform === 'win32'
    ? join(root, 'node_modules', 'node', 'bin', 'node.exe')
    : join(root, 'node_modules', '.bin', 'node');
export { root };

/**
 * Installs the npm packages when they are missing or the lock file has changed. What is installed already is changed in
 * place: `npm ci` would first delete it all, under whoever runs in this folder at the moment.
 */
export function ensureInstalled() {
  const wanted = createHash('sha256')
    .update(readFileSync(join(root, 'package-lock.json')))
    .digest('hex');
  if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted && existsSync(node24)) return;
  console.error('Installing the npm packages (about a minute the first time) …');
  const args = existsSync(join(root, 'node_modules'))
    ? ['install', '--no-save', '--prefer-offline', '--no-audit', '--no-fund']
    : ['ci'];
  const { status, signal, error, stdout, stderr } = spawnSync('npm', args, {
    cwd: root,
    // What npm says about packages that are for other versions of Node or have install scripts concerns nobody here.
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
    shell: process.platform === 'win32',
  });
  if (status !== 0) {
    const how = error?.message ?? (signal === null ? `exit status ${status}` : signal);
    console.error(`${stdout ?? ''}${stderr ?? ''}\nnpm ${args[0]} failed (${how}); its own messages are above.`);
    process.exit(status ?? 1);
  }
  writeFileSync(stamp, wanted);
}
