import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allSpecs, reasonToSkip, sampledUnitTests, skippedForAReason, specsOf, tierEnvironment } from './tiers.ts';

const root = join(import.meta.dirname, '..', '..');
/** Suites with a command of their own: folder → script in package.json. */
const suites: Readonly<Record<string, string>> = {
  'specs-openstack': 'test:openstack',
  'specs-guests': 'test:guests',
  'specs-pairs': 'test:pairs',
  endurance: 'test:endurance',
};

test('every spec file is in the folder of a tier or of a suite that has a command', () => {
  const inTiers = new Set(allSpecs(root).map(({ path }) => path));
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    readonly scripts: Readonly<Record<string, string>>;
  };
  const elsewhere = globSync('e2e/**/*.spec.ts', { cwd: root }).filter((path) => !inTiers.has(path));
  expect(elsewhere.filter((path) => scripts[suites[path.split('/')[1] ?? ''] ?? ''] === undefined)).toEqual([]);
});

test('the full tier repeats of the usual one what that only samples, and nothing else', () => {
  const [usual, full] = (['usual', 'full'] as const).map((tier) => specsOf(tier, root).map(({ path }) => path));
  const again = full!.filter((path) => usual!.includes(path));
  expect(again).toEqual(expect.arrayContaining(['e2e/specs/crash.spec.ts', 'e2e/specs/execution-faults.spec.ts']));
  expect(again).not.toContain('e2e/specs/validate-cli.spec.ts');
  expect(full!.filter((path) => path.startsWith('e2e/specs-full/'))).toEqual(
    allSpecs(root)
      .map(({ path }) => path)
      .filter((path) => !usual!.includes(path)),
  );
  expect(sampledUnitTests(root)).toContain('electron/engine/images/mutated-images.test.ts');
});

test('what specs share registers nothing for the file that happens to import it first', () => {
  // Specs of a bundle share a process, in which each module is loaded once.
  const shared = globSync('e2e/{conformance,hosts,rigs,toy-platform}/**/*.ts', { cwd: root }).filter(
    (path) => !path.endsWith('.test.ts') && path !== 'e2e/rigs/open-source-cloud/hold-requests.ts',
  );
  expect(shared.length).toBeGreaterThan(100);
  expect(
    shared.filter((path) =>
      /^(before|after)(Each|All)\(|^(describe|it|test)[.(]|^vi\./m.test(readFileSync(join(root, path), 'utf8')),
    ),
  ).toEqual([]);
});

test('a variable that a tier sets is read by a spec or a rig', () => {
  const sources = globSync('e2e/**/*.ts', { cwd: root })
    .map((path) => readFileSync(join(root, path), 'utf8'))
    .join('\n');
  for (const name of Object.values(tierEnvironment).flatMap(Object.keys)) expect(sources).toContain(`'${name}'`);
});

test('a skipped test has the reason of its file', () => {
  expect(reasonToSkip('nfc-peer.spec.ts')).toContain('CAUSEWAY_NFC_PEER');
  expect(reasonToSkip('another.spec.ts')).toBeUndefined();
});

test('files whose tests may be skipped exist', () => {
  const names = allSpecs(root).map(({ path }) => path.split('/').at(-1));
  for (const name of Object.keys(skippedForAReason)) expect(names).toContain(name);
});
