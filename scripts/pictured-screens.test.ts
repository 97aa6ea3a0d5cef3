import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { picturedScreens } from './pictured-screens.ts';

const root = join(import.meta.dirname, '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

it('makes each picture that a page shows, and no other', () => {
  const shown = ['README.md', ...globSync('docs/**/*.md', { cwd: root })].flatMap((page) =>
    [...read(page).matchAll(/pictures\/([\w-]+\.png)/g)].map(([, file]) => file!),
  );
  const made = picturedScreens.flatMap(({ name }) => [`${name}-dark.png`, `${name}-light.png`]);
  expect([...new Set(shown)].toSorted()).toEqual(made.toSorted());
  expect(globSync('*.png', { cwd: join(root, 'docs/pictures') }).toSorted()).toEqual(made.toSorted());
});

it.each(picturedScreens)('$name is a screen of the workbench', ({ component, route }) => {
  const screens = read('renderer/app/screens.tsx');
  expect(screens).toContain(`<${component} `);
  for (const part of route.filter((each) => each !== 'id')) expect(screens).toContain(`'${part}'`);
});
