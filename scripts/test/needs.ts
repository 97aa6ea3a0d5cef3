import { spawnSync } from 'node:child_process';
import { globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { chromiumHere } from '../../e2e/hosts/chromium.ts';
import { listenPort } from '../../e2e/rigs/machines/reachable-port.ts';
import { isPresent, packages } from '../packages.js';
import { withImports } from './imports.ts';

/**
 * What tests need of the machine. A file says so in a line `// needs: <need>, …`; one of `e2e` also has the needs of
 * the files of `e2e` that it imports. A file whose needs are not met is left out. A test with a need that the rest of
 * its file does not have asks `canRun`.
 *
 * A need is a capability, a Debian package of `scripts/packages.js`, or several of these under one name.
 */
const repository = join(import.meta.dirname, '..', '..');

declare module 'vitest' {
  interface ProvidedContext {
    /** What is missing here of `unitNeeds`, for tests beside the product's code, which imports nothing from here. */
    lacking: readonly string[];
  }
}

/** What single unit tests need: `test.skipIf(inject('lacking').includes('python3'))`. */
export const unitNeeds = ['git', 'openssl', 'python3'];

/** What a machine may have or not have beside the packages. */
const capabilities: Readonly<Record<string, () => boolean>> = {
  root: () => process.geteuid?.() === 0,
  namespaces: () => succeeds('unshare', '--mount', '--net', '--pid', '--uts', '--ipc', '--fork', 'true'),
  'loop devices': () => succeeds('losetup', '--find'),
  'port 22': () => listenPort(22) === 22,
  procps: () => succeeds('pgrep', '--version'),
  git: () => succeeds('git', '--version'),
  'x86-64': () => process.arch === 'x64',
  chromium: () => chromiumHere() !== undefined,
};

/** What native workers take beside programs. */
export const forNativeWorkers = ['root', 'namespaces', 'loop devices'];

/** Several needs under one name. Workers are those that a machine can have: see e2e/rigs/machines/kinds.ts. */
const bundles: Readonly<Record<string, (probe: Probe) => readonly string[]>> = {
  privileges: () => forNativeWorkers,
  'user workers': () => ['util-linux', 'python3', 'openssh-client'],
  'native workers': () => ['privileges', 'user workers', 'mount', 'iproute2', 'mmdebstrap'],
  workers: (probe) => [forNativeWorkers.every(probe) ? 'native workers' : 'user workers'],
  'booted volumes': () => ['qemu-system-x86', 'seabios', 'user workers'],
  'emulated machines': () => ['booted volumes', 'qemu-utils', 'mmdebstrap', 'cpio', 'kmod'],
  'installed guests': () => ['root', 'namespaces', 'emulated machines', 'fdisk', 'e2fsprogs', 'openssl'],
};

const known = new Map<string, boolean>();
const withoutVariable = 'CAUSEWAY_WITHOUT';

/** Whether a capability or package is here. */
export type Probe = (need: string) => boolean;

/** Every capability and package that a file may name. */
export const singleNeeds: readonly string[] = [
  ...new Set([
    ...Object.keys(capabilities),
    ...Object.keys(packages).filter((name) => packages[name]?.provides !== undefined),
  ]),
];

/** Every name that a file may use. */
export const needNames: readonly string[] = [...Object.keys(bundles), ...singleNeeds];

/** Of this machine; each is probed once. */
const isHere: Probe = (need) => {
  const before = known.get(need);
  if (before !== undefined) return before;
  const hidden = words(process.env[withoutVariable]);
  for (const name of hidden) {
    if (!singleNeeds.includes(name)) throw new Error(`${withoutVariable}: nothing is called ${name}`);
  }
  const here = !hidden.includes(need) && (capabilities[need]?.() ?? isPresent(need));
  known.set(need, here);
  return here;
};

/** Which capabilities and packages of these needs are missing. */
export function lackingOf(needs: readonly string[], probe: Probe = isHere): string[] {
  const single = needs.flatMap(function resolve(need): readonly string[] {
    const bundle = bundles[need];
    if (bundle !== undefined) return bundle(probe).flatMap(resolve);
    if (!singleNeeds.includes(need)) throw new Error(`No capability or package is called ${need}`);
    return [need];
  });
  const lacking = [...new Set(single)].filter((need) => !probe(need)).toSorted();
  // Without root nobody is helped by reading that these are missing, too.
  return lacking.includes('root')
    ? lacking.filter((need) => need === 'root' || !forNativeWorkers.includes(need))
    : lacking;
}

/** Whether a test with these needs can run here: `test.runIf(canRun('root', 'loop devices'))`. */
export const canRun = (...needs: readonly string[]): boolean => lackingOf(needs).length === 0;

/** What a file needs, by its own lines and by those of the files of `e2e` that it imports. @param path relative to `root` */
export function needsOf(path: string, root: string = repository): string[] {
  const files = withImports(path, root).map((file) => readFileSync(join(root, file), 'utf8'));
  return [...new Set(files.flatMap(declaredIn))];
}

/** What is missing for a file to run; nothing where it runs. */
export const lackingFor = (path: string, root?: string, probe?: Probe): string[] =>
  lackingOf(needsOf(path, root), probe);

/** What is missing for single tests of a file, or of a suite that it imports: why they are skipped. */
export function lackingWithin(path: string, root: string = repository, probe?: Probe): string[] {
  const texts = withImports(path, root).map((file) => readFileSync(join(root, file), 'utf8'));
  const asked = texts.flatMap((text) =>
    [...text.matchAll(/\b(?:canRun|inject\('lacking'\)\.includes)\(([^)]*)\)/g)].flatMap(([, list = '']) =>
      [...list.matchAll(/'([^']+)'/g)].map(([, need = '']) => need),
    ),
  );
  return lackingOf([...new Set(asked)], probe);
}

/**
 * Files that do not run here, relative to the repository, with what is missing.
 *
 * @param files a pattern, or paths
 * @param wanted parts of their names; none: all
 */
export function leftOut(
  files: string | readonly string[],
  wanted: readonly string[] = [],
  probe?: Probe,
): ReadonlyMap<string, string[]> {
  const all = typeof files === 'string' ? globSync(files, { cwd: repository, exclude: ['**/node_modules/**'] }) : files;
  const found = all
    .map((file) => file.replaceAll('\\', '/'))
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)));
  return new Map(
    found
      .toSorted()
      .map((file): [string, string[]] => [file, lackingFor(file, repository, probe)])
      .filter(([, lacking]) => lacking.length > 0),
  );
}

/** A line of the table of what a run did not see. */
export interface NotSeen {
  /** What is missing. */
  readonly lack: string;
  /** Files that did not run for lack of it, and are in no line before. */
  readonly files: readonly string[];
  /** About how many tests they have. */
  readonly tests: number;
  /** What some of them lack beside it. */
  readonly also: readonly string[];
}

/** Files that did not run here, each once: first under what keeps most of them from running. @param paths relative to the repository */
export function notSeen(paths: readonly string[], root: string = repository, probe?: Probe): NotSeen[] {
  const rows: NotSeen[] = [];
  let left = paths.map((path) => ({ path, lacking: lackingFor(path, root, probe) }));
  for (;;) {
    const counts = new Map<string, number>();
    for (const need of left.flatMap(({ lacking }) => lacking)) counts.set(need, (counts.get(need) ?? 0) + 1);
    const [lack] = [...counts.keys()].toSorted(
      (a, b) => (counts.get(b) ?? 0) - (counts.get(a) ?? 0) || rank(a) - rank(b),
    );
    if (lack === undefined) return rows;
    const now = left.filter(({ lacking }) => lacking.includes(lack));
    left = left.filter(({ lacking }) => !lacking.includes(lack));
    const files = now.map(({ path }) => path);
    const also = [...new Set(now.flatMap(({ lacking }) => lacking))].filter((need) => need !== lack);
    rows.push({ lack, files, tests: testsIn(files, root), also });
  }
}

/** Of two that keep as many files from running: what the other one stands on. */
const rank = (need: string): number => singleNeeds.indexOf(need);

/** The same for people, one line each. */
export const notSeenLines = (paths: readonly string[], root?: string, probe?: Probe): string[] =>
  notSeen(paths, root, probe).map(({ lack, files, tests, also }) => {
    const names = files.map((file) => basename(file).replace(/\.(spec|test)\.tsx?$/, ''));
    const more = also.length === 0 ? '' : `; some also lack ${also.join(', ')}`;
    return `  ${lack}: ${count(files.length, 'file')}, about ${count(tests, 'test')} (${names.join(', ')}${more})`;
  });

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? '' : 's'}`;

function testsIn(files: readonly string[], root: string): number {
  const declared = /^\s*(?:it|test)(?:\.\w+)*(?:\(|`)/gm;
  return files.reduce((sum, file) => sum + [...readFileSync(join(root, file), 'utf8').matchAll(declared)].length, 0);
}

const declaredIn = (text: string): string[] =>
  [...text.matchAll(/^\/\/ needs: (.+)$/gm)].flatMap(([, list]) => words(list));

const words = (list = ''): string[] =>
  list
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');

function succeeds(program: string, ...args: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0;
}
