#!/usr/bin/env node
/**
 * Installs the Debian packages that Causeway's lab and tests need, or says what is missing.
 *
 *   node scripts/bootstrap.js [--check] [--yes] [--no-install] [--needed-by=WHAT] [demo] [test] [windows] [bench] [openstack]
 *
 * Without a group: demo and test. As root on Debian it asks on a terminal, and installs without one, or with `--yes`; it
 * says what and why, and starts no service. With `--no-install`, or `CAUSEWAY_NO_INSTALL=1` in the environment, it does
 * not. Otherwise, or with `--check`, one line names what is missing and what for. Exit code 0: everything is there; 1:
 * something is missing, and who called goes on without it; 2: the arguments are wrong. Plain Node 18 without any npm
 * package: it runs before `npm ci`.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { groups, missingOf, packages, packagesOf } from './packages.js';
import { removeLeftBehind, withoutServices } from './without-services.js';

/** Whether apt has no package lists, or lists older than a month. */
function listsAreStale() {
  const folder = '/var/lib/apt/lists';
  if (!existsSync(folder)) return true;
  const lists = readdirSync(folder).filter((name) => name.includes('_Packages'));
  const newest = Math.max(0, ...lists.map((name) => statSync(`${folder}/${name}`).mtimeMs));
  return lists.length === 0 || Date.now() - newest > 30 * 24 * 3_600_000;
}

/** Returns undefined, or the first error that apt reports. */
function apt(...args) {
  const { status, error, stderr } = spawnSync('apt-get', ['-q', '-o', 'DPkg::Lock::Timeout=300', ...args], {
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  });
  if (status === 0) return undefined;
  return /^E: (.*)/m.exec(stderr ?? '')?.[1] ?? error?.message ?? `apt-get ended with exit status ${status}`;
}

function install(names, world) {
  // A package can be installed, and still what it provides is gone.
  const attempt = () => world.apt('install', '-y', '--no-install-recommends', '--reinstall', ...names);
  const updated = () => world.apt('update') ?? attempt();
  if (world.listsAreStale()) return updated();
  // Lists that are there may name versions that the mirror no longer has.
  return attempt() === undefined ? undefined : updated();
}

/** Asks on the terminal; no is the default, also when the input ends or is interrupted. */
async function ask(question) {
  const terminal = createInterface({ input: process.stdin, output: process.stdout });
  try {
    return /^y(es)?$/i.test(
      (
        await new Promise((resolve) => {
          terminal.question(question, resolve);
          terminal.once('close', () => resolve(''));
        })
      ).trim(),
    );
  } finally {
    terminal.close();
  }
}

const describe = (names) => names.map((name) => `${name} (${packages[name].why})`).join(', ');

/** What the bootstrap sees and does outside of itself; tests pass their own. */
const realWorld = {
  isRoot: () => process.getuid?.() === 0,
  isTerminal: () => process.stdin.isTTY === true && process.stdout.isTTY === true,
  isDebian: () => existsSync('/usr/bin/apt-get'),
  env: process.env,
  ask,
  missingOf,
  listsAreStale,
  apt,
  withoutServices,
  removeLeftBehind,
  say: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
};
const knownOptions = ['--check', '--yes', '--no-install'];
/** What cannot run without the packages. */
const neededBy = '--needed-by=';

/** Runs the bootstrap; resolves with its exit status. */
export async function bootstrap(args, world = realWorld) {
  const options = args.filter((name) => name.startsWith('--'));
  const names = args.filter((name) => !name.startsWith('--'));
  const unknown = [
    ...options.filter((name) => !knownOptions.includes(name) && !name.startsWith(neededBy)),
    ...names.filter((name) => !Object.hasOwn(groups, name)),
  ];
  if (unknown.length > 0) {
    world.complain(
      `Unknown: ${unknown.join(', ')}. Groups: ${Object.keys(groups).join(', ')}. Options: ${knownOptions.join(', ')}.`,
    );
    return 2;
  }
  const isCheck = options.includes('--check');
  // Also when the killed installation had come far enough for nothing to be missing now.
  if (world.isRoot() && !isCheck) world.removeLeftBehind();
  const useful = packagesOf(names.length === 0 ? ['demo', 'test'] : names).filter(
    (name) => world.isRoot() || packages[name].forRoot !== true,
  );
  const missing = world.missingOf(useful);
  if (missing.length === 0) return 0;
  const lacking = (how) => {
    const what = options.find((name) => name.startsWith(neededBy))?.slice(neededBy.length);
    const lead = what === undefined ? 'Missing Debian packages' : `${what} needs Debian packages that are missing`;
    world.say(`${lead} (${how}): ${describe(missing)}.`);
    return 1;
  };
  if (!world.isDebian()) return lacking('this is no Debian system: install them with its own package manager');
  const command = `node scripts/bootstrap.js --yes${names.length === 0 ? '' : ` ${names.join(' ')}`}`;
  if (isCheck || !world.isRoot()) return lacking(`to install them, run as root: ${command}`);
  if (options.includes('--no-install') || world.env.CAUSEWAY_NO_INSTALL === '1')
    return lacking(`not installed, as asked; to install them, run: ${command}`);
  if (!options.includes('--yes') && world.isTerminal()) {
    const question = `Install ${missing.length} Debian packages as root? ${missing.join(' ')}\nNo service is started. [y/N] `;
    if (!(await world.ask(question))) return lacking(`not installed without a yes; to install them, run: ${command}`);
  }
  world.say(`Installing ${missing.length} Debian packages as root: ${describe(missing)}.`);
  const failure = world.withoutServices(() => install(missing, world));
  const still = failure === undefined ? world.missingOf(missing) : missing;
  if (still.length === 0) return 0;
  world.say(
    `Debian packages that could not be installed (${failure ?? 'their files are missing'}): ${describe(still)}.`,
  );
  return 1;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await bootstrap(process.argv.slice(2));
  } catch (error) {
    // For example a system folder that cannot be written to.
    console.error(`The Debian packages could not be installed: ${error.message}`);
    process.exitCode = 1;
  }
}
