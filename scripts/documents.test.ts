import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { winrmPort } from '../electron/engine/workers/windows-worker-user-data.ts';
import { agentPort } from '../electron/engine/transport/https.ts';
import { errorCatalogue } from '../shared/model/errors/catalogue.ts';
import { plugins } from '../shared/plugins/registry.ts';
import { currentPage, generated, generatedPages } from './write-documents.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
const pages = [
  'README.md',
  ...globSync('docs/**/*.md', { cwd: root }).filter((path) => path !== 'docs/dependencies.md'),
];

test.each([...Object.keys(generated), ...Object.keys(generatedPages)])(
  '%s is what the code says (npm run docs writes it)',
  (page) => {
    expect(read(page)).toBe(currentPage(root, page));
  },
);

test('links between pages lead to files', () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/(?:\]\(|src(?:set)?=")([^)"#\s]+)/g)]
      .map(([, target]) => target!)
      .filter((target) => !/^https?:/.test(target))
      .filter((target) => !existsSync(join(root, dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  expect(broken).toEqual([]);
});

test('every page is linked from the README', () => {
  const readme = read('README.md');
  expect(pages.filter((page) => /^docs\/[^/]+\.md$/.test(page) && !readme.includes(`(${page})`))).toEqual([]);
});

test('files and folders that a page names exist', () => {
  const folders = 'shared|electron|renderer|assets|e2e|scripts|docs';
  const missing = pages.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`\`((?:${folders})/[\\w./-]*)\``, 'g'))]
      .map(([, path]) => path!)
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${page}: ${path}`),
  );
  expect(missing).toEqual([]);
});

test('error codes that a page names exist', () => {
  const parts = [...new Set(Object.keys(errorCatalogue).map((code) => code.split('.')[0]))].join('|');
  const unknown = pages.flatMap((page) =>
    [...read(page).matchAll(new RegExp(`\`((?:${parts})\\.[a-z]+(?:-[a-z]+)+)\``, 'g'))]
      .map(([, code]) => code!)
      .filter((code) => !Object.hasOwn(errorCatalogue, code)),
  );
  expect(unknown).toEqual([]);
});

test('npm commands that a page names exist', () => {
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const unknown = pages.flatMap((page) =>
    [...read(page).matchAll(/npm run (?:-s )?([\w:-]+)/g)]
      .map(([, name]) => name!)
      .filter((name) => scripts[name] === undefined),
  );
  expect(unknown).toEqual([]);
});

test('environment variables that a page names are read somewhere', () => {
  const sources = globSync(['{shared,electron,e2e,scripts}/**/*.{ts,js}', 'vitest.config.ts'], { cwd: root })
    .filter((path) => path !== 'scripts/documents.test.ts')
    .map(read)
    .join('\n');
  const unknown = pages
    .flatMap((page) => [...read(page).matchAll(/\bCAUSEWAY_[A-Z0-9_]+/g)].map(([name]) => name))
    .filter((name) => !sources.includes(name));
  expect(unknown).toEqual([]);
});

test('the page about tests has every suite and every seed', () => {
  const testing = read('docs/testing.md');
  const { scripts } = JSON.parse(read('package.json')) as { readonly scripts: Readonly<Record<string, string>> };
  const commands = Object.keys(scripts).filter((name) => name.startsWith('test:') && name !== 'test:specs');
  const folders = [...new Set(globSync('e2e/**/*.spec.ts', { cwd: root }).map((path) => `\`${dirname(path)}\``))];
  const seeds = globSync('{shared,electron,e2e}/**/*.ts', { cwd: root }).flatMap((path) =>
    [...read(path).matchAll(/'(CAUSEWAY_[A-Z]+_SEED)'/g)].map(([, name]) => name!),
  );
  expect([...commands, ...folders, ...seeds].filter((name) => !testing.includes(name))).toEqual([]);
});

test('the page about security names the ports that workers are reached at', () => {
  const security = read('docs/security.md');
  for (const port of [22, agentPort, winrmPort]) expect(security).toContain(`(port ${port})`);
});

test('the page about security names every way to turn off the verification of TLS', () => {
  const keys = new Set(
    Object.values(plugins)
      .flatMap(({ connection }) => Object.keys(connection.shape))
      .filter((key) => key.startsWith('allow_untrusted')),
  );
  expect(keys.size).toBeGreaterThan(0);
  expect([...keys].filter((key) => !read('docs/security.md').includes(`\`${key}\``))).toEqual([]);
});

test('every platform has a README with its parts, and the files that it names exist', () => {
  const platforms = 'electron/engine/platforms';
  const folders = globSync('*/', { cwd: join(root, platforms) })
    .map((folder) => basename(folder))
    .filter((folder) => existsSync(join(root, platforms, folder)));
  expect(folders.length).toBeGreaterThan(3);
  const wrong = folders.flatMap((folder) => {
    const path = `${platforms}/${folder}/README.md`;
    if (!existsSync(join(root, path))) return [`${path} is missing`];
    const content = read(path);
    return [
      ...['## Files, in reading order', '## Quirks', '## Tests', '## Limits']
        .filter((part) => !content.includes(`\n${part}\n`))
        .map((part) => `${path}: no "${part}"`),
      ...[...content.matchAll(/`([\w./-]+(?:\.(?:ts|md|py)|\/[\w-]+))`/g)]
        .map(([, named]) => named!)
        .filter((named) => !existsSync(join(root, named)) && !existsSync(join(root, platforms, folder, named)))
        .map((named) => `${path}: ${named}`),
    ];
  });
  expect(wrong).toEqual([]);
});

test('the table of folders has every folder of the house', () => {
  const architecture = read('docs/architecture.md');
  const top = globSync('*/', {
    cwd: root,
    exclude: (name) => /^(node_modules|out|dist|coverage|test-results|\..*)$/.test(name),
  });
  expect(
    top.filter((folder) => existsSync(join(root, folder)) && !architecture.includes(`| \`${basename(folder)}/`)),
  ).toEqual([]);
});

/** Files that a file imports by relative paths, at once or when needed; types as well. Relative to the repository. */
function importsOf(path: string): string[] {
  if (!path.endsWith('.ts')) return [];
  return [...read(path).matchAll(/(?:from|import|import\()\s*'(\.[^']+\.ts)'/g)].map(([, specifier]) =>
    relative(root, resolve(root, dirname(path), specifier!)),
  );
}

/** Files that a file reaches by at most `depth` imports. */
function reachedBy(path: string, depth: number): Set<string> {
  const reached = new Set([path]);
  for (let level = 0, edge = [path]; level < depth; level += 1) {
    edge = edge.flatMap(importsOf).filter((file) => !reached.has(file));
    for (const file of edge) reached.add(file);
  }
  return reached;
}

/** The walk's next file: reached by few imports from an earlier one, an implementation of the one before, or named by what one before reaches. */
function follows(next: string, earlier: readonly string[]): boolean {
  const last = earlier.at(-1)!;
  if (importsOf(next).includes(last)) return true;
  const near = new Set(earlier.flatMap((file) => [...reachedBy(file, 3)]));
  return (
    near.has(next) || (!next.endsWith('.ts') && [...near].some((file) => read(file).includes(`'${basename(next)}'`)))
  );
}

test("the newcomer's walk is at most 15 files, each reached from those before it", () => {
  const walk = [
    ...(read('docs/architecture.md').split("## The newcomer's walk")[1]?.split('\n## ')[0] ?? '').matchAll(
      /^\d+\. `([^`]+)`/gm,
    ),
  ].map(([, path]) => path!);
  expect(walk.length).toBeGreaterThan(8);
  expect(walk.length).toBeLessThanOrEqual(15);
  expect(walk.slice(1).filter((path, index) => !follows(path, walk.slice(0, index + 1)))).toEqual([]);
});
