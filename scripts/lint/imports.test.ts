// needs: git
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** What each file of the repository imports of the others, types included. */
function importsOfFiles(): Map<string, string[]> {
  const listed = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx'], {
    cwd: root,
    encoding: 'utf8',
  });
  const files = listed.split('\n').filter((file) => file !== '' && existsSync(join(root, file)));
  const known = new Set(files);
  return new Map(
    files.map((file) => {
      const { importedFiles } = ts.preProcessFile(readFileSync(join(root, file), 'utf8'), true, true);
      const targets = importedFiles
        .filter(({ fileName }) => fileName.startsWith('.'))
        .map(({ fileName }) => posix.join(dirname(file), fileName));
      return [file, [...new Set(targets)].filter((target) => known.has(target))];
    }),
  );
}

/** The first circle of files that import each other, in order; empty when there is none. */
function findCircle(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const path: string[] = [];
  const visit = (file: string): string[] => {
    if (done.has(file)) return [];
    const at = path.indexOf(file);
    if (at >= 0) return [...path.slice(at), file];
    path.push(file);
    for (const next of imports.get(file) ?? []) {
      const circle = visit(next);
      if (circle.length > 0) return circle;
    }
    path.pop();
    done.add(file);
    return [];
  };
  for (const file of imports.keys()) {
    const circle = visit(file);
    if (circle.length > 0) return circle;
  }
  return [];
}

interface Place {
  readonly floor: number;
  /** The folders that know each other; one, as a rule. */
  readonly folders: readonly string[];
}

/** The table of floors in a document: the highest floor first, each with its folders. */
function readFloors(text: string): Place[] {
  const section = /\n## Floors\n(.*?)\n## /s.exec(text)?.[1] ?? '';
  const rows = [...section.matchAll(/^\| \d+ \| (.*) \|$/gm)].map((row) => row[1] ?? '');
  return rows.flatMap((row, index) =>
    row.split(', ').map((entry) => ({
      floor: rows.length - index,
      folders: [...entry.matchAll(/`([^`]+)`/g)].map((name) => name[1] ?? ''),
    })),
  );
}

/** Every import that goes sideways or up; and what stands on no floor. */
function findClimbs(imports: ReadonlyMap<string, readonly string[]>, places: readonly Place[]): string[] {
  const climbs: string[] = [];
  const lengthOf = (folder: string, file: string): number =>
    file === folder || file.startsWith(`${folder}/`) ? folder.length : 0;
  const placeOf = (file: string): Place | undefined => {
    const best = places
      .map((place) => ({ place, length: Math.max(...place.folders.map((folder) => lengthOf(folder, file))) }))
      .toSorted((a, b) => b.length - a.length)[0];
    return best === undefined || best.length === 0 ? undefined : best.place;
  };
  for (const [file, targets] of imports) {
    // Tests, and what only tests use, may look anywhere.
    if (!/^(shared|electron|renderer)\//.test(file) || /\.test\.tsx?$|\/testing\//.test(file)) continue;
    const from = placeOf(file);
    if (from === undefined) {
      climbs.push(`${file} is on no floor`);
      continue;
    }
    for (const target of targets) {
      const to = placeOf(target);
      if (to !== from && (to === undefined || to.floor >= from.floor)) climbs.push(`${file} -> ${target}`);
    }
  }
  return climbs;
}

describe('the imports of the repository', () => {
  const imports = importsOfFiles();

  it('make no circle of files', () => {
    expect(imports.size).toBeGreaterThan(500);
    expect(findCircle(imports)).toEqual([]);
  });

  it('go down only, by the floors in docs/architecture.md', () => {
    const places = readFloors(readFileSync(join(root, 'docs', 'architecture.md'), 'utf8'));
    expect(places.length).toBeGreaterThan(20);
    const missing = places.flatMap(({ folders }) => folders).filter((folder) => !existsSync(join(root, folder)));
    expect(missing).toEqual([]);
    expect(findClimbs(imports, places)).toEqual([]);
  });
});

describe('the check itself', () => {
  const places = readFloors('\n## Floors\n| 2 | `electron/a` |\n| 1 | `shared/b` `shared/c`, `shared/d` |\n## ');

  it('finds circles', () => {
    expect(
      findCircle(
        new Map([
          ['a', ['b']],
          ['b', ['c']],
          ['c', ['b']],
        ]),
      ),
    ).toEqual(['b', 'c', 'b']);
    expect(
      findCircle(
        new Map([
          ['a', ['b', 'c']],
          ['b', ['c']],
          ['c', []],
        ]),
      ),
    ).toEqual([]);
  });

  it.each([
    ['shared/b/x.ts', 'electron/a/x.ts'],
    ['shared/b/x.ts', 'shared/d/x.ts'],
    ['electron/a/x.ts', 'electron/elsewhere/x.ts'],
  ])('finds that %s imports %s', (from, to) => {
    expect(findClimbs(new Map([[from, [to]]]), places)).toEqual([`${from} -> ${to}`]);
  });

  it.each([
    ['electron/a/x.ts', 'shared/d/x.ts'],
    ['electron/a/x.ts', 'electron/a/b/x.ts'],
    ['shared/b/x.ts', 'shared/c/x.ts'],
    ['shared/b/x.test.ts', 'electron/a/x.ts'],
  ])('lets %s import %s', (from, to) => {
    expect(findClimbs(new Map([[from, [to]]]), places)).toEqual([]);
  });
});
