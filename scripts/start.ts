import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Opens the workbench: in Electron when its runtime is on this machine, and otherwise in a browser window, served on
 * loopback by the same code. Says in one line which of the two it is. `--host` asks for the second.
 */
const root = join(import.meta.dirname, '..');
const wantsHost = process.argv.includes('--host');
const runtime = wantsHost ? undefined : electronRuntime();

if (runtime === undefined) {
  console.log(
    wantsHost
      ? 'Serving the workbench on loopback, as asked.'
      : "Electron's runtime is not on this machine (npx install-electron fetches it): serving the same workbench on loopback.",
  );
}
const child =
  runtime === undefined
    ? spawn(process.execPath, [join(root, 'out/main/host.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
    : spawn(runtime, [root, ...process.argv.slice(2)], { stdio: 'inherit', cwd: process.env['INIT_CWD'] ?? process.cwd() });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 0));

/** The executable that electron's installer put into its package; undefined where it was never fetched. */
function electronRuntime(): string | undefined {
  const folder = join(root, 'node_modules', 'electron');
  const pathFile = join(folder, 'path.txt');
  if (process.env['ELECTRON_EXEC_PATH'] !== undefined) return process.env['ELECTRON_EXEC_PATH'];
  if (!existsSync(pathFile)) return undefined;
  const executable = join(folder, 'dist', readFileSync(pathFile, 'utf8').trim());
  return existsSync(executable) ? executable : undefined;
}
