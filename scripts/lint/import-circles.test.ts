import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Files and the files that they import, types as well: relative to the repository. */
function importsBelow(folder: string): ReadonlyMap<string, readonly string[]> {
  const files = new Set(globSync(`${folder}/**/*.{ts,tsx}`, { cwd: root }).filter((path) => !/\.test\.tsx?$/.test(path)));
  return new Map([...files].map((file) => {
    const imported = [...readFileSync(join(root, file), 'utf8').matchAll(/\bfrom '(\.[^']+)'/g)].map(([, specifier]) => join(dirname(file), specifier!));
    return [file, imported.filter((path) => files.has(path))];
  }));
}

/** Chains of files that end where they begin. */
function circlesOf(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const circles: string[] = [];
  const visit = (file: string, chain: readonly string[]): void => {
    const begin = chain.indexOf(file);
    if (begin !== -1) circles.push([...chain.slice(begin), file].join(' -> '));
    if (begin !== -1 || done.has(file)) return;
    for (const next of imports.get(file) ?? []) visit(next, [...chain, file]);
    done.add(file);
  };
  for (const file of imports.keys()) visit(file, []);
  return circles;
}

test('a circle is found with every file in it', () => {
  expect(circlesOf(new Map([['a', ['b']], ['b', ['c']], ['c', ['b', 'd']], ['d', []]]))).toEqual(['b -> c -> b']);
});

test.each(['shared', 'renderer'])('no files of %s import each other in a circle', (folder) => {
  expect(circlesOf(importsBelow(folder))).toEqual([]);
});
