import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { platforms } from '../electron/engine/platforms/registry.ts';
import { sides } from '../shared/model/plugin-id.ts';
import { plugins } from '../shared/plugins/registry.ts';
import { capabilities, type Capability } from './documents/capabilities.ts';
import { corpusInParts, corpusTable } from './documents/guest-corpus.ts';
import { gradeOf, lastResult, supportSummary } from './support-matrix.ts';
import { isNarrowed, mergeResults, resultsOf, specsIn, type Results, type RunFacts } from './test/spec-results.ts';

const root = join(import.meta.dirname, '..');
const facts: RunFacts = { suite: 'full', versions: { QEMU: '7.2.1', Nova: '26' }, checkedBy: [] };
const report = (startTime: number, ...statuses: readonly string[]) => ({
  testResults: [
    {
      name: join(root, 'e2e/specs/nbd.spec.ts'),
      startTime,
      status: statuses.includes('failed') ? 'failed' : 'passed',
      assertionResults: statuses.map((status) => ({ status })),
    },
  ],
});
const nbd: Capability = {
  area: '',
  capability: '`european-cloud`: volumes',
  grade: 'vendor-checked simulator',
  against: '',
  specs: ['specs/nbd'],
};
const path = 'e2e/specs/nbd.spec.ts';
/** What is known after some runs, each with its suite. */
const after = (...runs: readonly (readonly [number, RunFacts['suite'], ...string[]])[]): Results =>
  runs.reduce(
    (known: Results, [at, suite, ...statuses]) =>
      mergeResults(known, resultsOf([report(at, ...statuses)], root, { ...facts, suite }), ['specs/nbd']),
    {},
  );

test('capabilities name specs that exist', () => {
  const specs = specsIn(root);
  expect(capabilities.flatMap((one) => one.specs).filter((spec) => !specs.includes(spec))).toEqual([]);
  for (const { capability, grade, specs: list } of capabilities)
    expect({ capability, isSeen: list.length > 0 }).toEqual({ capability, isSeen: grade !== 'never seen' });
});

test('every side of every plugin is listed, as never seen where it has no adapter', () => {
  for (const side of sides) {
    const rows = capabilities.filter(({ area }) => area === (side === 'source' ? 'Sources' : 'Destinations'));
    for (const [id, plugin] of Object.entries(plugins)) {
      if (plugin[side] === undefined) continue;
      const grades = rows.filter(({ capability }) => capability.startsWith(`\`${id}\``)).map(({ grade }) => grade);
      expect({ id, side, isSeen: grades.some((grade) => grade !== 'never seen'), isListed: grades.length > 0 }).toEqual(
        { id, side, isSeen: platforms[id as keyof typeof platforms]?.[side] !== undefined, isListed: true },
      );
    }
  }
});

test('the table of guests says what was not run, and tells a guest that is refused from one that fails', () => {
  const about = '';
  const table = corpusTable({
    guests: {
      xfs: { about, prepared: 'prepared', buses: { virtio: 'booted', ide: 'failed' } },
      full: { about, prepared: 'osmorphing.no-space', buses: {} },
      bridge: { about, prepared: 'osmorphing.initramfs', buses: {} },
    },
  });
  const row = (name: string): readonly string[] =>
    table
      .split('\n')
      .find((line) => line.startsWith(`| \`${name}\``))
      ?.split(' | ')
      .slice(2)
      .map((cell) => cell.replace(/ \|$/, '')) ?? [];
  expect(row('xfs')).toEqual(['yes', 'not run', 'yes', '**no**', 'not run']);
  expect(row('full')).toEqual(['refused, as it should be (`osmorphing.no-space`)', '–', '–', '–', '–']);
  expect(row('bridge')[0]).toBe('**no** (`osmorphing.initramfs`)');
  expect(row('selinux')).toEqual(['not run', 'not run', 'not run', 'not run', 'not run']);
  expect(row('layout lvm')).toHaveLength(5);
});

test('a corpus that was run in parts says how many of its starts answered', () => {
  const about = '';
  expect(corpusInParts(undefined)).toBe('none on record');
  const found = {
    date: '2026-01-02T00:00:00.000Z',
    guests: {
      xfs: { about, prepared: 'prepared', buses: { virtio: 'booted', ide: 'failed' } },
      full: { about, prepared: 'osmorphing.no-space', buses: {} },
      gone: { about, prepared: 'prepared', buses: { ide: 'booted' } },
    },
  };
  expect(corpusInParts(found)).toMatch(
    /^run in parts, last 2026-01-02: 2 of \d+ guests prepared or refused as they should be, 1 of \d+ starts answered, \*\*1 failed\*\*$/,
  );
});

test('results of a report say when, in which suite and with what; those of unit tests, and of files of which nothing ran, are left alone', () => {
  expect(resultsOf([report(1_000, 'passed', 'skipped')], root, facts)).toEqual({
    [path]: { date: '1970-01-01T00:00:01.000Z', passed: 1, failed: 0, skipped: 1, ...facts },
  });
  const unit = { testResults: [{ ...report(1, 'passed').testResults[0]!, name: join(root, 'scripts/x.test.ts') }] };
  expect(resultsOf([unit], root, facts)).toEqual({});
  expect(resultsOf([report(1, 'skipped', 'skipped')], root, facts)).toEqual({});
});

test('a run that a variable narrows to some tests of a file is no result of that file', () => {
  const spec = readFileSync(join(root, 'e2e/specs-guests/guest-corpus.spec.ts'), 'utf8');
  expect(isNarrowed(spec, {})).toBe(false);
  expect(isNarrowed(spec, { CAUSEWAY_CORPUS_BUSES: '' })).toBe(false);
  for (const name of ['CAUSEWAY_CORPUS_GUESTS', 'CAUSEWAY_CORPUS_BUSES'])
    expect(isNarrowed(spec, { [name]: 'xfs' })).toBe(true);
  const told = {
    testResults: [
      { ...report(1, 'passed').testResults[0]!, name: join(root, 'e2e/specs-guests/guest-corpus.spec.ts') },
    ],
  };
  expect(Object.keys(resultsOf([told], root, facts, {}))).toEqual(['e2e/specs-guests/guest-corpus.spec.ts']);
  expect(resultsOf([told], root, facts, { CAUSEWAY_CORPUS_GUESTS: 'xfs' })).toEqual({});
  // Whatever a file chooses its tests by is named in its line.
  for (const path of specsIn(root).map((name) => `e2e/${name}.spec.ts`)) {
    const text = readFileSync(join(root, path), 'utf8');
    for (const [, name] of text.matchAll(/chosen\('(\w+)'/g))
      expect({ path, isNamed: isNarrowed(text, { [name!]: 'x' }) }).toEqual({ path, isNamed: true });
  }
});

test('a file that could not be loaded has failed', () => {
  const broken = { testResults: [{ ...report(1).testResults[0]!, status: 'failed' }] };
  expect(resultsOf([broken], root, facts)[path]).toMatchObject({ failed: 1 });
});

test('the later result wins, but a sample that passed does not replace the whole', () => {
  expect(after([1_000, 'full', 'passed', 'passed'], [500, 'full', 'failed'])[path]).toMatchObject({
    passed: 2,
    failed: 0,
  });
  expect(after([1_000, 'full', 'passed', 'passed'], [2_000, 'full', 'passed', 'failed'])[path]).toMatchObject({
    failed: 1,
  });
  expect(after([1_000, 'full', 'passed', 'passed'], [2_000, 'usual', 'passed', 'skipped'])[path]).toMatchObject({
    suite: 'full',
    skipped: 0,
  });
  expect(after([1_000, 'full', 'passed', 'passed'], [2_000, 'usual', 'failed', 'skipped'])[path]).toMatchObject({
    suite: 'usual',
    failed: 1,
  });
  expect(after([1_000, 'full', 'failed'], [2_000, 'usual', 'passed', 'skipped'])[path]).toMatchObject({
    suite: 'usual',
    failed: 0,
  });
  expect(after([1_000, 'usual', 'passed'], [2_000, 'guests', 'passed'])[path]).toMatchObject({ suite: 'guests' });
});

test('a run of some specs leaves the results of the others, and those of files that are gone are dropped', () => {
  const one = Object.values(after([1_000, 'full', 'passed']))[0]!;
  const known = { 'e2e/specs/crash.spec.ts': one, 'e2e/specs/gone.spec.ts': one };
  expect(Object.keys(mergeResults(known, after([2_000, 'full', 'passed']), ['specs/crash', 'specs/nbd']))).toEqual([
    'e2e/specs/crash.spec.ts',
    path,
  ]);
});

test('a result in words has its date, versions that matter and what did not run; a failure is not hidden by others', () => {
  const results = after([1_000, 'full', 'passed', 'skipped']);
  const both = { ...nbd, specs: ['specs/nbd', 'specs/crash'] };
  expect(lastResult(nbd, results)).toBe('passed 1970-01-01, 1 test skipped; QEMU 7.2.1');
  expect(lastResult(nbd, after([1_000, 'usual', 'passed', 'skipped', 'skipped']))).toBe(
    'passed 1970-01-01 in the usual tier, 2 tests skipped; QEMU 7.2.1',
  );
  expect(lastResult(nbd, {})).toBe('none on record');
  expect(lastResult(both, results)).toMatch(/^1 of 2 specs passed/);
  expect(lastResult(both, { ...results, 'e2e/specs/crash.spec.ts': { ...results[path]!, failed: 2 } })).toMatch(
    /^\*\*failed\*\*: `specs\/crash`/,
  );
  expect(
    lastResult(both, {
      ...results,
      'e2e/specs/crash.spec.ts': { ...results[path]!, date: '1970-01-03T00:00:00.000Z' },
    }),
  ).toMatch(/^passed 1970-01-01 to 1970-01-03/);
});

test("a simulator is a stand-in until results say that requests were checked against that platform's description", () => {
  const checked = (...names: string[]): Results =>
    resultsOf([report(1_000, 'passed')], root, { ...facts, checkedBy: names });
  expect(gradeOf(nbd, {})).toBe('stand-in');
  expect(gradeOf(nbd, checked())).toBe('stand-in');
  expect(gradeOf(nbd, checked('CAUSEWAY_OPENSTACK_API'))).toBe('stand-in');
  expect(gradeOf(nbd, checked('CAUSEWAY_EUROPEAN_CLOUD_OPENAPI'))).toBe('vendor-checked simulator');
});

test('the summary names each platform once, with its grades, and counts what is on record', () => {
  const summary = supportSummary({});
  for (const [id, { title }] of Object.entries(plugins)) expect(summary.split(`${title} (\`${id}\`)`)).toHaveLength(2);
  expect(summary).toMatch(
    /^\| European cloud \(`european-cloud`\) \| – \| stand-in \(the lab's simulator of the STACKIT IaaS API v2\); never seen: the real cloud \|$/m,
  );
  expect(summary).toContain('No test result is on record yet.');
  expect(supportSummary(after([1_000, 'full', 'passed']))).toMatch(
    /On record: 1 of \d+ spec files, all passed, 1970-01-01\.$/,
  );
});
