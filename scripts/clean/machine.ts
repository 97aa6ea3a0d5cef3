import { spawn, spawnSync } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { labEnvironment, run, spawnBound } from '../../e2e/rigs/machines/child-process.ts';

const folder = import.meta.dirname;
export const root = join(folder, '..', '..');
const cache = join(root, '.cache', 'clean');
const inside = { cafile: '/srv/npm-authorities.pem', repository: '/srv/causeway.git' };

/** How long what a command started may take to end after it. */
const patienceMs = 10_000;

/** Folders of the machine that are folders of this machine's disk, with their modes. */
const folders = [
  ['root', 0o700],
  ['home/person', 0o755],
  ['srv', 0o755],
  ['tmp', 0o1777],
  ['var/tmp', 0o1777],
] as const;

export type Person = 'root' | 'person';

/** Why no machine can be started here; undefined where one can. */
export function obstacle(): string | undefined {
  if (process.geteuid?.() !== 0) return 'it needs root';
  for (const [program, ...args] of [
    ['mmdebstrap', '--version'],
    ['slirp4netns', '--version'],
    ['unshare', '--mount', '--pid', '--uts', '--ipc', '--net', '--fork', 'true'],
  ] as const) {
    const { status, error } = spawnSync(program, args, { env: labEnvironment, stdio: 'ignore' });
    if (error !== undefined) return `${program} is not on this machine`;
    if (status !== 0) return `${program} does not work on this machine`;
  }
  return undefined;
}

/**
 * The root file system that machines of a kind are copied from, built on first use.
 * @param kind `debian` for Debian's own Node and npm, or the versions of both, e.g. `22/10`
 */
export async function baseRoot(kind: string): Promise<string> {
  const hash = createHash('sha256').update(readFileSync(join(folder, 'base-root.sh')));
  hash.update(await run('bash', ['-c', `. ${join(root, 'e2e/rigs/images/apt-sources.sh')}; apt_sources`]));
  const base = join(cache, `base-${kind.replace('/', '-')}-${hash.digest('hex').slice(0, 12)}`);
  if (existsSync(base)) return base;
  // Another run may be building the same.
  const partial = `${base}.${process.pid}.partial`;
  const prefix = `${base}.${process.pid}.prefix`;
  mkdirSync(cache, { recursive: true });
  try {
    if (kind !== 'debian') await installNode(kind, prefix);
    // Its own mounts are its own: one that is interrupted leaves none.
    const child = spawnBound(
      'unshare',
      ['--mount', join(folder, 'base-root.sh'), partial, ...(kind === 'debian' ? [] : [prefix])],
      { stdio: ['ignore', 'ignore', 'pipe'] },
    );
    const complaints: string[] = [];
    createInterface({ input: child.stderr! }).on('line', (line) => complaints.push(line));
    const [code] = (await once(child, 'close')) as [number | null];
    if (code !== 0) throw new Error(`the root file system was not built: ${complaints.slice(-3).join(' / ')}`);
    if (!existsSync(base)) renameSync(partial, base);
  } finally {
    for (const left of [partial, prefix]) rmSync(left, { recursive: true, force: true });
  }
  return base;
}

/** Node and npm as their archives lay them out below /usr/local. */
async function installNode(kind: string, prefix: string): Promise<void> {
  const [node, npm] = kind.split('/');
  const name = `node-linux-${process.arch}`;
  await run('npm', [
    'install',
    '--prefix',
    prefix,
    '--no-save',
    '--no-audit',
    '--no-fund',
    `${name}@${node}`,
    `npm@${npm}`,
  ]);
  const modules = join(prefix, 'lib', 'node_modules');
  mkdirSync(join(prefix, 'lib'));
  renameSync(join(prefix, 'node_modules'), modules);
  for (const left of ['.bin', '.package-lock.json']) rmSync(join(modules, left), { recursive: true });
  mkdirSync(join(prefix, 'bin'));
  renameSync(join(modules, name, 'bin', 'node'), join(prefix, 'bin', 'node'));
  rmSync(join(modules, name), { recursive: true });
  await run('ln', ['-s', '../lib/node_modules/npm/bin/npm-cli.js', join(prefix, 'bin', 'npm')]);
}

export interface RunOptions {
  /** A folder of the account's home. */
  readonly in?: string;
  readonly log?: string;
  readonly until?: RegExp;
  readonly then?: (match: RegExpExecArray) => Promise<void>;
}

export interface CommandResult {
  readonly status: number | null;
  readonly output: string;
  readonly seconds: number;
}

/** A machine with nothing on it but a copy of `base` and, for `person`, the committed state of this repository. */
export class CleanMachine implements AsyncDisposable {
  readonly #opened: AsyncDisposableStack;
  readonly #init: number;
  readonly #mounts: readonly string[];

  private constructor(opened: AsyncDisposableStack, init: number) {
    this.#opened = opened;
    this.#init = init;
    this.#mounts = this.#mountsNow();
  }

  static async start(base: string, person: Person): Promise<CleanMachine> {
    await using opening = new AsyncDisposableStack();
    const place = join(cache, `machine-${process.pid}`);
    const own = join(place, 'own');
    await removeLeftBehind();
    opening.defer(async () => void (await run('rm', ['-rf', place])));
    for (const [name, mode] of folders) {
      mkdirSync(join(own, name), { recursive: true });
      chmodSync(join(own, name), mode);
    }
    await run('git', ['clone', '--quiet', '--bare', '--no-hardlinks', root, join(own, inside.repository)]);
    carryNpmSettings(own);
    await run('chown', ['-R', '1000:1000', join(own, 'home/person')]);
    // git reads nobody else's repository.
    if (person !== 'root') await run('chown', ['-R', '1000:1000', join(own, inside.repository)]);
    const child = spawnBound(
      'unshare',
      [
        '--mount',
        '--pid',
        '--uts',
        '--ipc',
        '--net',
        '--fork',
        '--kill-child=KILL',
        join(folder, 'enter.sh'),
        base,
        place,
        cache,
      ],
      { stdio: ['pipe', 'pipe', 'inherit'] },
    );
    opening.defer(() => ended(child));
    const [first] = (await Promise.race([once(child.stdout!, 'data'), once(child, 'exit')])) as [unknown];
    if (String(first) !== 'ready\n') throw new Error('the machine did not start');
    const children = await run('cat', [`/proc/${child.pid}/task/${child.pid}/children`]);
    const init = Number(children.trim());
    const uplink = spawnBound(
      'slirp4netns',
      ['--configure', '--mtu=65520', '--disable-host-loopback', '--ready-fd=3', String(init), 'tap0'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe'] },
    );
    opening.defer(() => ended(uplink));
    await Promise.race([once(uplink.stdio[3]!, 'data'), once(uplink, 'exit')]);
    return new CleanMachine(opening.move(), init);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#opened.disposeAsync();
  }

  /**
   * Runs a line of shell as `person`, in a folder of that account's home, with standard input closed. Its output goes to `log`. When
   * a line of it matches `until`, `then` is called, and the command is interrupted as by Ctrl-C afterwards.
   */
  async run(
    person: Person,
    line: string,
    options: RunOptions & { readonly log: string; readonly limitMinutes: number },
  ): Promise<CommandResult> {
    const home = person === 'root' ? '/root' : '/home/person';
    const begun = performance.now();
    const environment = proxies();
    const child = spawn(
      'nsenter',
      [
        ...['--target', String(this.#init), '--mount', '--pid', '--uts', '--ipc', '--net', '--'],
        ...['/usr/bin/env', '-i', `HOME=${home}`, `USER=${person}`, 'LANG=C.UTF-8'],
        `PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin`,
        ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
        ...(person === 'root' ? [] : ['setpriv', '--reuid=1000', '--regid=1000', '--init-groups']),
        ...['bash', '-c', `cd ${join(home, options.in ?? '')} && exec <&- && ${line}`],
      ],
      { stdio: ['ignore', 'pipe', 'pipe'], detached: true },
    );
    let output = '';
    let found: Promise<void> | undefined;
    const interrupt = (signal: NodeJS.Signals): void => {
      try {
        process.kill(-child.pid!, signal);
      } catch {
        // it has just ended
      }
    };
    writeFileSync(options.log, '');
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        output += text;
        writeFileSync(options.log, text, { flag: 'a' });
        const match = found === undefined ? options.until?.exec(output) : undefined;
        if (match) found = (options.then?.(match) ?? Promise.resolve()).finally(() => interrupt('SIGINT'));
      });
    const limit = setTimeout(() => interrupt('SIGKILL'), options.limitMinutes * 60_000);
    const closed = once(child, 'close');
    const [status] = (await once(child, 'exit')) as [number | null];
    clearTimeout(limit);
    await found;
    // What is left over may hold its output open.
    await Promise.race([closed, delay(patienceMs)]);
    for (const stream of [child.stdout, child.stderr]) stream.destroy();
    if (options.until !== undefined && found === undefined) throw new Error(`it ended before ${options.until}`);
    return { status, output, seconds: Math.round((performance.now() - begun) / 1000) };
  }

  /** What still runs a while after a command's end, and what is mounted since the machine started. */
  async leftovers(): Promise<string[]> {
    // The kernel tells nobody when the last process but one of a namespace ends.
    const deadline = Date.now() + patienceMs;
    while (this.#processes().length > 0 && Date.now() < deadline) await delay(100);
    const mounts = this.#mountsNow().filter((line) => !this.#mounts.includes(line));
    return [
      ...this.#processes().map((command) => `still runs: ${command}`),
      ...mounts.map((line) => `still mounted: ${line}`),
    ];
  }

  /** What runs in it beside its first process, by command line. */
  #processes(): string[] {
    const proc = `/proc/${this.#init}/root/proc`;
    return readdirSync(proc)
      .filter((name) => /^\d+$/.test(name) && name !== '1')
      .map(
        (pid) => readOr(`${proc}/${pid}/cmdline`).replaceAll('\0', ' ').trim() || readOr(`${proc}/${pid}/comm`).trim(),
      );
  }

  #mountsNow(): string[] {
    return readFileSync(`/proc/${this.#init}/mountinfo`, 'utf8').trim().split('\n');
  }
}

/** The folders of machines that were killed. */
async function removeLeftBehind(): Promise<void> {
  const left = readdirSync(cache).filter((name) => {
    const pid = /^machine-(\d+)$/.exec(name)?.[1];
    return pid !== undefined && !existsSync(`/proc/${pid}`);
  });
  await run('rm', ['-rf', ...left.map((name) => join(cache, name))]);
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function readOr(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return ''; // the process has just ended
  }
}

const npmKeys = ['registry', 'proxy', 'https-proxy', 'noproxy', 'strict-ssl'];

/** How this machine's npm reaches its registry: without it the machine would have no packages. No credentials. */
function carryNpmSettings(place: string): void {
  const get = (key: string): string => spawnSync('npm', ['config', 'get', key], { encoding: 'utf8' }).stdout.trim();
  const settings = npmKeys
    .map((key) => [key, get(key)])
    .filter(([, value]) => !['', 'null', 'undefined'].includes(value!));
  const cafile = [get('cafile'), process.env['NODE_EXTRA_CA_CERTS'] ?? ''].find((file) => existsSync(file));
  if (cafile !== undefined) {
    cpSync(cafile, join(place, inside.cafile), { dereference: true });
    settings.push(['cafile', inside.cafile]);
  }
  const text = settings.map(([key, value]) => `${key}=${value}\n`).join('');
  for (const file of ['root/.npmrc', 'home/person/.npmrc']) writeFileSync(join(place, file), text, { mode: 0o644 });
}

function proxies(): Record<string, string> {
  return Object.fromEntries(
    Object.entries(process.env).filter((entry): entry is [string, string] => /^(https?|no)_proxy$/i.test(entry[0])),
  );
}
