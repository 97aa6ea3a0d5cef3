// needs: golang-go, golang-github-vmware-govmomi-dev
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { imageCache } from '../images/ensure.ts';
import { temporaryFolder } from '../closing.ts';
import { kill, labEnvironment, spawnBound } from '../machines/child-process.ts';
import { requirePrograms } from '../machines/require-programs.ts';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Where Debian's packages put Go libraries. */
const libraries = '/usr/share/gocode';
const library = join(libraries, 'src/github.com/vmware/govmomi/simulator');
export const labUser = { username: 'migration@vsphere.local', password: 'lab-password' } as const;

/** Whether the simulator can be built here, or has been. */
export async function hasVcsim(): Promise<boolean> {
  return existsSync(await builtPath()) || existsSync(library);
}

async function builtPath(): Promise<string> {
  const source = await readFile(new URL('vcsim/main.go', import.meta.url));
  return join(imageCache, `vcsim-${createHash('sha256').update(source).digest('hex').slice(0, 16)}`);
}

/** The simulator's program; built once from Debian's package of its library and kept. */
async function ensureVcsim(): Promise<string> {
  const target = await builtPath();
  if (existsSync(target)) return target;
  requirePrograms('the simulator of the virtualization platform', 'go');
  if (!existsSync(library))
    throw new Error(
      'the simulator of the virtualization platform needs the Debian package golang-github-vmware-govmomi-dev (node scripts/bootstrap.js installs it)',
    );
  await mkdir(imageCache, { recursive: true });
  const folder = await mkdtemp(`${target}.partial-`);
  try {
    const source = join(folder, 'path/src/vcsim');
    await mkdir(source, { recursive: true });
    await cp(fileURLToPath(new URL('vcsim/main.go', import.meta.url)), join(source, 'main.go'));
    await promisify(execFile)('go', ['build', '-o', join(folder, 'vcsim'), 'vcsim'], {
      env: {
        ...labEnvironment,
        GO111MODULE: 'off',
        GOFLAGS: '',
        GOPATH: `${join(folder, 'path')}:${libraries}`,
        GOCACHE: join(folder, 'cache'),
        HOME: folder,
      },
    });
    // Whoever finishes first wins; both have built the same.
    await rename(join(folder, 'vcsim'), target);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  return target;
}

export interface Vcsim {
  /** `http://127.0.0.1:<port>` */
  readonly url: string;
  close(): Promise<void>;
}

export interface VcsimOptions {
  /** A single host instead of a management server. */
  readonly singleHost?: boolean;
  /** VMs in each resource pool. Default 1. */
  readonly machines?: number;
  /** Hosts in the cluster. Default 3. */
  readonly hosts?: number;
}

/** The simulator, ready to be called. It ends with this process. */
export async function startVcsim({ singleHost = false, machines = 1, hosts = 3 }: VcsimOptions = {}): Promise<Vcsim> {
  await using stack = new AsyncDisposableStack();
  // It leaves the files of its datastores there.
  const folder = await temporaryFolder(stack, 'causeway-vcsim-');
  const child = spawnBound(
    await ensureVcsim(),
    [...(singleHost ? ['-host'] : []), '-machines', String(machines), '-hosts', String(hosts)],
    { stdio: ['pipe', 'pipe', 'pipe'], env: { ...process.env, TMPDIR: folder } },
  );
  stack.adopt(child, (simulator) => kill(simulator));
  const complaints: string[] = [];
  if (child.stderr !== null) createInterface({ input: child.stderr }).on('line', (line) => complaints.push(line));
  const host = await new Promise<string>((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (code) =>
      reject(new Error(`the simulator ended with ${String(code)}: ${complaints.slice(-5).join('\n')}`)),
    );
    if (child.stdout !== null) createInterface({ input: child.stdout }).once('line', resolve);
  });
  const opened = stack.move();
  return { url: `http://${host}`, close: () => opened.disposeAsync() };
}
