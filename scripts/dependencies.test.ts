import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { currentPage, dependenciesPage } from './dependencies.ts';

const root = join(import.meta.dirname, '..');

test('docs/dependencies.md is what package.json and package-lock.json say (npm run docs:dependencies writes it)', () => {
  expect(readFileSync(join(root, 'docs', 'dependencies.md'), 'utf8')).toBe(currentPage(root));
});

test('every package has a licence', () => {
  expect(currentPage(root)).not.toContain('not given');
});

test('a dependency without a purpose, or a purpose without a dependency, is refused', () => {
  expect(() => dependenciesPage({ dependencies: { leftpad: '1' } }, { packages: {} })).toThrow(
    /missing for leftpad; without a dependency: .*zod/,
  );
});

test('the version that a package really gets is told, also where two are installed', () => {
  const { dependencies } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  const direct = Object.fromEntries(
    Object.keys(dependencies).map((name) => [`node_modules/${name}`, { version: '1.0.0', license: 'MIT' }]),
  );
  const page = dependenciesPage(
    { dependencies },
    {
      packages: {
        ...direct,
        'node_modules/ssh2': { version: '1.0.0', license: 'MIT', hasInstallScript: true, dependencies: { a: '1' } },
        'node_modules/a': { version: '1.1.1', license: 'ISC', dependencies: { b: '2', '@s/c': '1' } },
        'node_modules/b': { version: '1.9.9', license: 'MIT' },
        'node_modules/a/node_modules/b': { version: '2.2.2', license: '0BSD' },
        'node_modules/@s/c': { version: '3.3.3', license: 'MIT', dependencies: { b: '1' } },
      },
    },
  );
  expect(page).toContain('| ssh2 | 1.0.0 | MIT | **yes** |');
  expect(page).toContain('| b | 2.2.2 | 0BSD | no | ssh2 |');
  expect(page).toContain('| b | 1.9.9 | MIT | no | ssh2 |');
  expect(page).toContain('| @s/c | 3.3.3 | MIT | no | ssh2 |');
});
