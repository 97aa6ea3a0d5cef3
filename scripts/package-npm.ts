import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { engineFlags } from '../electron/engine/runtime/engine-flags.ts';
import { packagedFiles, planPackage } from './package-contents.ts';

/**
 * Makes the npm package of the command line and of the workbench in the browser: `npm run package -- --npm`. It is never published by this
 * project; `npm install FILE` installs it with its dependencies, Node 24 among them.
 */

const commands: Readonly<Record<string, string>> = { causeway: 'cli.js', 'causeway-workbench': 'host.js' };

/** Makes the package and returns its path. */
export function packageForNpm(root: string): string {
  const own = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as Manifest;
  const dist = join(root, 'dist');
  mkdirSync(dist, { recursive: true });
  const work = mkdtempSync(join(tmpdir(), 'causeway-npm-'));
  try {
    for (const path of packagedFiles(root)) {
      mkdirSync(dirname(join(work, path)), { recursive: true });
      cpSync(join(root, path), join(work, path), { dereference: true });
    }
    for (const [command, file] of Object.entries(commands)) writeCommand(join(work, 'bin', `${command}.js`), file);
    writeFileSync(join(work, 'package.json'), `${JSON.stringify(manifest(root, own), undefined, 2)}\n`);
    const name = execFileSync('npm', ['pack', '--silent', '--pack-destination', dist], {
      cwd: work,
      encoding: 'utf8',
    }).trim();
    const path = join(dist, name);
    writeFileSync(`${path}.sha256`, `${createHash('sha256').update(readFileSync(path)).digest('hex')}  ${name}\n`);
    return path;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

interface Manifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

function manifest(
  root: string,
  { name, version, description, license, dependencies, devDependencies }: Manifest,
): object {
  const plan = planPackage(root);
  // What is bundled, or used by the page alone, is in `out` already.
  const external = Object.entries(dependencies).filter(
    ([dependency]) =>
      dependency !== 'electron-store' && plan.includesOfPackage(`node_modules/${dependency}/package.json`),
  );
  return {
    name,
    version,
    description,
    license,
    type: 'module',
    bin: Object.fromEntries(Object.keys(commands).map((command) => [command, `bin/${command}.js`])),
    dependencies: { ...Object.fromEntries(external), node: devDependencies['node'] },
  };
}

/** Whatever Node starts it, the work is done by the one that came with the package. */
function writeCommand(path: string, file: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(
    path,
    `#!/usr/bin/env node
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const node = join(dirname(createRequire(import.meta.url).resolve('node/package.json')), 'bin', process.platform === 'win32' ? 'node.exe' : 'node');
const child = spawn(node, [${engineFlags.map((flag) => `'${flag}', `).join('')}join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), '..', 'out', 'main', '${file}'), ...process.argv.slice(2)], { stdio: 'inherit' });
// A terminal sends Ctrl-C to the whole group; the child decides what it means.
for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => name === 'SIGINT' || child.kill(name));
child.on('error', (error) => { console.error(error.message); process.exitCode = 2; });
child.on('exit', (code) => { process.exitCode = code ?? 1; });
`,
  );
  chmodSync(path, 0o755);
}
