import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { withImports } from './imports.ts';
import {
  lackingFor,
  lackingOf,
  lackingWithin,
  leftOut,
  needNames,
  needsOf,
  notSeen,
  notSeenLines,
  unitNeeds,
} from './needs.ts';

const root = join(import.meta.dirname, '..', '..');
const specs = globSync('e2e/**/*.spec.ts', { cwd: root });
const tests = [
  ...specs,
  ...globSync('{shared,electron,renderer,scripts,assets,e2e}/**/*.test.{ts,tsx}', { cwd: root }),
];
const has =
  (...present: readonly string[]) =>
  (need: string) =>
    present.includes(need);

describe('needs of a file', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'causeway-needs-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function write(files: Readonly<Record<string, string>>): void {
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }

  test('are those of its own lines and of every file of e2e that it imports', () => {
    write({
      'e2e/specs/a.spec.ts': "// needs: root\nimport { start } from '../rigs/start.ts';\n",
      'e2e/rigs/start.ts':
        "import { nbd } from './nbd.ts';\nimport type { Sshd } from './sshd.ts';\nimport { x } from '../../electron/x.ts';\n",
      'e2e/rigs/nbd.ts': '// needs: nbdkit,  qemu-utils\n// needs: root\n',
      'e2e/rigs/sshd.ts': '// needs: openssh-server\n',
      'electron/x.ts': '// needs: python3\n',
    });
    expect(needsOf('e2e/specs/a.spec.ts', folder)).toEqual(['root', 'nbdkit', 'qemu-utils']);
    expect(lackingFor('e2e/specs/a.spec.ts', folder, has('root', 'qemu-utils'))).toEqual(['nbdkit']);
    expect(lackingFor('e2e/specs/a.spec.ts', folder, has('root', 'qemu-utils', 'nbdkit'))).toEqual([]);
  });

  test('of single tests are those that they ask about', () => {
    write({
      'e2e/specs/a.spec.ts': "it.runIf(canRun('root', 'tgt'))('a', () => {});\nimport { suite } from '../suite.ts';\n",
      'e2e/suite.ts': "if (canRun('nbdkit')) it('b', () => {});\n",
      'electron/a.test.ts': "test.skipIf(inject('lacking').includes('git'))('c', () => {});\n",
    });
    expect(lackingWithin('e2e/specs/a.spec.ts', folder, has('root'))).toEqual(['nbdkit', 'tgt']);
    expect(lackingWithin('electron/a.test.ts', folder, has())).toEqual(['git']);
  });

  test('make a table of what a run did not see', () => {
    write({
      'a.spec.ts': '// needs: tgt\n',
      'b.spec.ts': '// needs: root\nit("one", () => {});\nit.runIf(true)("two", () => {});\nitem(3);\n',
      'c.spec.ts': '// needs: root\n  test.each([1])(`three`, () => {});\n',
      'd.spec.ts': '// needs: root, tgt\n',
      'e.spec.ts': '// needs: nbdkit\n',
    });
    const files = ['a.spec.ts', 'b.spec.ts', 'c.spec.ts', 'd.spec.ts', 'e.spec.ts'];
    expect(notSeen(files, folder, has('nbdkit'))).toEqual([
      { lack: 'root', files: ['b.spec.ts', 'c.spec.ts', 'd.spec.ts'], tests: 3, also: ['tgt'] },
      { lack: 'tgt', files: ['a.spec.ts'], tests: 0, also: [] },
    ]);
    expect(notSeenLines(files, folder, has('nbdkit', 'tgt'))).toEqual(['  root: 3 files, about 3 tests (b, c, d)']);
    expect(notSeenLines(['e.spec.ts'], folder, has())).toEqual(['  nbdkit: 1 file, about 0 tests (e)']);
    expect(notSeen(files, folder, () => true)).toEqual([]);
  });
});

test('one name stands for several needs; a name that nobody knows is refused', () => {
  expect(lackingOf(['emulated machines', 'cpio'], has('seabios', 'qemu-utils', 'util-linux', 'python3'))).toEqual([
    'cpio',
    'kmod',
    'mmdebstrap',
    'openssh-client',
    'qemu-system-x86',
  ]);
  expect(lackingOf(['privileges'], has())).toEqual(['root']);
  expect(lackingOf(['privileges'], has('root'))).toEqual(['loop devices', 'namespaces']);
  expect(() => lackingOf(['chromum'])).toThrow('No capability or package is called chromum');
});

test('every need of a test is known', () => {
  const unknown = tests.flatMap((path) => needsOf(path).filter((need) => !needNames.includes(need)));
  expect(unknown).toEqual([]);
  for (const path of tests) expect(() => lackingWithin(path, root, () => true)).not.toThrow();
});

test('a line with needs is at the beginning of a line, so that it is found', () => {
  const lines = globSync('e2e/**/*.ts', { cwd: root }).flatMap((path) =>
    readFileSync(join(root, path), 'utf8')
      .split('\n')
      .filter((line) => /\/\/\s*needs\s*:/i.test(line) && !/^\/\/ needs: \S/.test(line))
      .map((line) => `${path}: ${line}`),
  );
  expect(lines).toEqual([]);
});

test('unit tests ask only for what they are told', () => {
  const asked = tests.flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/inject\('lacking'\)\.includes\('([^']+)'\)/g)].map(
      ([, name]) => name ?? '',
    ),
  );
  expect([...new Set(asked)].toSorted()).toEqual(unitNeeds);
});

test('every spec of the page needs a browser', () => {
  const opensPage = (path: string): boolean =>
    withImports(path, root).some((file) => /from 'playwright(?:-core)?'/.test(valueImports(file)));
  const ofThePage = specs.filter(opensPage);
  expect(ofThePage.length).toBeGreaterThan(20);
  expect(ofThePage.filter((path) => !needsOf(path).includes('chromium'))).toEqual([]);
});

test('a machine without a program leaves out what needs it, and nothing else', () => {
  const pattern = 'e2e/{specs,specs-full}/**/*.spec.ts';
  expect([...leftOut(pattern, [], () => true)]).toEqual([]);
  const without = leftOut(pattern, [], (need) => need !== 'chromium');
  expect(new Set([...without.values()].flat())).toEqual(new Set(['chromium']));
  expect(without.has('e2e/specs/workbench-lists.spec.ts')).toBe(true);
  expect([...leftOut(pattern, ['specs/nbd.spec.ts'], (need) => need !== 'nbdkit').keys()]).toEqual([
    'e2e/specs/nbd.spec.ts',
  ]);
});

/** The statements of a file that import values. */
function valueImports(path: string): string {
  const text = readFileSync(join(root, path), 'utf8');
  return [...text.matchAll(/^import (?!type\b)[^;]+;/gm)].map(([statement]) => statement).join('\n');
}
