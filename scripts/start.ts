import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { electronRuntime } from './electron-runtime.ts';
import { sandboxObstacle } from './sandbox-obstacle.ts';

/**
 * Opens the workbench: in Electron when its runtime is on this machine, and otherwise in a browser window, served on
 * loopback by the same code. Says in one line which of the two it is. `--host` asks for the second.
 */
const root = join(import.meta.dirname, '..');
const wantsHost = process.argv.includes('--host');
const found = wantsHost ? undefined : electronRuntime(root);
const obstacle = found === undefined ? undefined : sandboxObstacle(found);
const runtime = obstacle === undefined ? found : undefined;

if (runtime === undefined) {
  console.log(
    wantsHost
      ? 'Serving the workbench on loopback, as asked.'
      : obstacle !== undefined
        ? `${obstacle}: serving the same workbench on loopback.`
        : "Electron's runtime is not on this machine (npx install-electron fetches it): serving the same workbench on loopback.",
  );
}
const child =
  runtime === undefined
    ? spawn(process.execPath, [join(root, 'out/main/host.js'), ...process.argv.slice(2)], { stdio: 'inherit' })
    : spawn(runtime, [root, ...process.argv.slice(2)], {
        stdio: 'inherit',
        cwd: process.env['INIT_CWD'] ?? process.cwd(),
      });
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
child.on('exit', (code) => process.exit(code ?? 0));
