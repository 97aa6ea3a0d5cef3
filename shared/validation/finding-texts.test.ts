import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { plugins } from '../plugins/registry.ts';
import { oneLine } from '../testing/one-line.ts';
import { findingAreas, findingText } from './finding-texts.ts';

const root = join(import.meta.dirname, '..', '..');

/** Names of rules as the code writes them, wherever it makes a finding. */
const inCode: readonly (readonly [files: string, name: RegExp])[] = [
  [
    '{shared/schema,shared/validation,shared/environment,renderer/features,renderer/forms}/**/*.{ts,tsx}',
    /rule: ['`](?:[a-z-]+\/|`)?([a-z0-9-]+)['`]/g,
  ],
  [
    '{shared/schema,shared/validation,shared/environment,renderer/features,renderer/forms}/**/*.{ts,tsx}',
    /'document\/([a-z0-9-]+)'/g,
  ],
  ['shared/environment/provider-configuration.ts', /report\(entry, '([a-z0-9-]+)'/g],
  ['shared/validation/vm-facts.ts', /(?:error|warning)\((?:\[[^\]]*\]|path), '([a-z0-9-]+)'/g],
  ['shared/validation/vm-facts.ts', /=> \['([a-z0-9-]+)'/g],
];
/** In checks with a platform the name is the third argument, maybe one of two, or what `reporting` passes on. */
const place = String.raw`(?:'[^']*'|[a-zA-Z.]+|pointer\([^)]*\)|[^,()]*\? '' : '[^']*')`;
const online = new RegExp(
  String.raw`report\('(?:error|warning|info)', ${place}, (?:[^,]*\? )?'([a-z0-9-]+)'(?: : '([a-z0-9-]+)')?|reporting\(report, (?:'[^']*'|\x60[^\x60]*\x60), '([a-z0-9-]+)'`,
  'g',
);

const namesIn = (pattern: string, name: RegExp): string[] =>
  globSync(pattern, { cwd: root })
    .filter((path) => !/\.test\.ts$/.test(path))
    .flatMap((path) =>
      [...oneLine(readFileSync(join(root, path), 'utf8')).matchAll(name)].flatMap((match) =>
        match.slice(1).filter((part) => part !== undefined),
      ),
    );

const ruleNames = Object.values(plugins).flatMap((plugin) =>
  [plugin.source, plugin.destination].flatMap((side) =>
    (side?.rules ?? []).map(({ id }) => id.slice(id.indexOf('/') + 1)),
  ),
);
const known = new Set([
  ...ruleNames,
  ...inCode.flatMap(([files, name]) => namesIn(files, name)),
  ...namesIn('electron/engine/{cloud-resources,platforms}/**/*.ts', online).map((name) => `online-${name}`),
]);

test('every rule has a text', () => {
  expect(known.size).toBeGreaterThan(120);
  expect([...known].filter((name) => findingText(`area/${name}`) === undefined)).toEqual([]);
});

test('every text is of a rule that exists, and stands once', () => {
  const names = Object.values(findingAreas).flatMap((rows) => Object.keys(rows));
  expect(names.filter((name) => !known.has(name))).toEqual([]);
  expect(names.toSorted()).toEqual([...new Set(names)].toSorted());
});

test('texts are a title and whole sentences', () => {
  for (const rows of Object.values(findingAreas)) {
    for (const [title, cause, remedy] of Object.values(rows)) {
      expect(title).toMatch(/^.{8,}[^.\s]$/);
      for (const sentence of [cause, remedy]) expect(sentence).toMatch(/^[A-Z].{8,}[.]$|^[a-z]+_[a-z_. ]+.*[.]$/);
    }
  }
});
