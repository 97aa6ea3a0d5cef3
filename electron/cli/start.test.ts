import { readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');

/** Files and packages that a file loads before anything is called: its static imports, and theirs. Types are not loaded. */
function loadedBy(path: string, loaded = new Set<string>()): ReadonlySet<string> {
  loaded.add(relative(root, path).replaceAll('\\', '/'));
  const code = readFileSync(path, 'utf8')
    .replaceAll(/^(?:import|export) type [^;]*;$/gm, '')
    .replaceAll(/^import \{(?: type \w+,?)+ \}[^;]*;$/gm, '');
  for (const [, from = ''] of code.matchAll(/^(?:import|export) [^;]*?from '([^']+)'/gm)) {
    if (!from.startsWith('.')) loaded.add(from);
    else if (from.endsWith('.ts') && !loaded.has(relative(root, join(dirname(path), from)).replaceAll('\\', '/')))
      loadedBy(join(dirname(path), from), loaded);
  }
  return loaded;
}

test('the overview loads no command, and the definition of a command no schemas and no engine: they come with its action', () => {
  const program = loadedBy(join(root, 'electron/cli/program.ts'));
  expect([...program].filter((name) => name.startsWith('electron/cli/commands/'))).toEqual([]);
  const commands = new Set(
    [
      ...readFileSync(join(root, 'electron/cli/command-list.ts'), 'utf8').matchAll(
        /import\('\.\/(commands\/[^']+)'\)/g,
      ),
    ].map(([, path]) => `electron/cli/${path}`),
  );
  expect(commands.size).toBeGreaterThan(15);
  const loaded = new Set([...program, ...[...commands].flatMap((path) => [...loadedBy(join(root, path))])]);
  expect(
    [...loaded].filter((name) =>
      /^(?:electron\/engine\/|shared\/(?:contract|plugins|environment|validation)\/)/.test(name),
    ),
  ).toEqual([]);
  expect([...loaded].filter((name) => !name.includes('/') || name.startsWith('@'))).toEqual(['commander']);
});
