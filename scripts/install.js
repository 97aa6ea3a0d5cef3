// Plain JavaScript without dependencies: it runs before anything is installed, on Node 18 or later.
import { createHash } from 'node:crypto';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('..', import.meta.url)).replace(/[\\/]$/, '');
const modules = join(root, 'node_modules');
const stamp = join(modules, '.causeway-installed');
const log = join(root, '.cache', 'install.log');
const isWindows = process.platform === 'win32';

/** The Node that the project builds and runs on; comes with the npm package `node`. */
export const node24 = isWindows ? join(modules, 'node', 'bin', 'node.exe') : join(modules, '.bin', 'node');

/** The npm that installs the project's packages. Others leave out what does not fit the Node they run on, or run no scripts. */
const npmVersion = '11.21.2';

/**
 * Installs the npm packages when they are missing, the lock file has changed, or another npm has changed them. What is
 * installed already is changed in place: `npm ci` would first delete it all, under whoever runs in this folder at the moment.
 */
export function ensureInstalled() {
  if (existsSync(stamp) && existsSync(node24) && readFileSync(stamp, 'utf8') === state()) return;
  console.error('Installing the npm packages (about a minute the first time) …');
  try {
    mkdirSync(join(root, '.cache'), { recursive: true });
    const { node, npm, path } = toolchain();
    const what = existsSync(modules) ? ['install', '--no-save', '--prefer-offline'] : ['ci'];
    runNpm(node, [npm, ...what, '--include=dev', '--include=optional'], {
      cwd: root,
      env: { ...process.env, PATH: path },
    });
    if (!existsSync(node24))
      throw new Error(
        'npm ran no install scripts. Type: npm_config_ignore_scripts=false npm run …, with the same command',
      );
    writeFileSync(stamp, state());
  } catch (error) {
    console.error(`The npm packages could not be installed: ${error.message}`);
    process.exit(2);
  }
}

/** What is to be installed, and what npm says is: it writes its own lock file at the end of each change. */
function state() {
  const hash = createHash('sha256').update(`${process.platform} ${process.arch}`);
  for (const file of [join(root, 'package-lock.json'), join(modules, '.package-lock.json')])
    hash.update(existsSync(file) ? readFileSync(file) : '');
  return hash.digest('hex');
}

/**
 * Node 24 and an npm that runs on it, installed by whatever npm the user has. npm decides by the Node that it runs on which
 * optional packages it installs, so that an older one leaves out the bundler's binary. The package of the platform, which
 * the npm package `node` fetches by a script, needs none.
 */
function toolchain() {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const { platform, arch } = process;
  const name = `${platform === 'darwin' && arch === 'arm64' ? 'node-bin' : 'node'}-${isWindows ? 'win' : platform}-${arch}`;
  const wanted = [`${name}@${lock.packages['node_modules/node'].version}`, `npm@${npmVersion}`];
  const folder = join(root, '.cache', 'toolchain');
  const done = join(folder, 'installed');
  const bin = join(folder, 'node_modules', '.bin');
  if (!existsSync(done) || readFileSync(done, 'utf8') !== wanted.join(' ')) {
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true }\n');
    runNpm('npm', ['install', '--no-save', '--no-package-lock', '--no-audit', '--no-fund', ...wanted], {
      cwd: folder,
      // The user's npm runs on the user's Node, not on one that an earlier installation left in the project.
      env: {
        ...process.env,
        PATH: searchPath()
          .filter((entry) => !entry.startsWith(modules + sep))
          .join(delimiter),
      },
      shell: isWindows,
    });
    writeFileSync(done, wanted.join(' '));
  }
  return {
    node: join(folder, 'node_modules', name, 'bin', isWindows ? 'node.exe' : 'node'),
    npm: join(folder, 'node_modules', 'npm', 'bin', 'npm-cli.js'),
    // Install scripts call both by their names.
    path: [bin, ...searchPath()].join(delimiter),
  };
}

function searchPath() {
  return (process.env.PATH ?? '').split(delimiter);
}

const isOffline =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH|FETCH_ERROR|ERR_SOCKET_TIMEOUT|EIDLETIMEOUT)$/;

/** Runs npm; its output goes to the log, and the cause of a failure into one line. */
function runNpm(command, args, options) {
  const { status, signal, error, stdout, stderr } = spawnSync(command, args, {
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status === 0) return;
  if (error?.code === 'ENOENT' && command === 'npm')
    throw new Error('npm is missing. Install it (Debian: apt install npm), then type the same command again');
  const output = `${stdout ?? ''}${stderr ?? ''}`;
  writeFileSync(log, output);
  const code = /^npm (?:ERR!|error) code (\S+)/m.exec(output)?.[1];
  const reason = isOffline.test(code ?? '')
    ? `npm cannot reach its registry (${code}). Connect to the network, or set npm's proxy (npm config set proxy …), then type the same command again`
    : (/^npm (?:ERR!|error) (?!code |A complete log)(.+)/m.exec(output)?.[1] ??
      error?.message ??
      signal ??
      `exit status ${status}`);
  throw new Error(`${reason}. npm's output: ${log}`);
}
