import { join } from 'node:path';
import { expect, test } from 'vitest';
import { platforms } from '../electron/engine/platforms/registry.ts';
import { sides } from '../shared/model/plugin-id.ts';
import { plugins } from '../shared/plugins/registry.ts';
import { capabilities, type Capability } from './documents/capabilities.ts';
import { gradeOf, lastResult, mergeReports, specsIn, type Results } from './support-matrix.ts';

const root = join(import.meta.dirname, '..');
const machine = { versions: { QEMU: '7.2.1' }, checkedBy: [] };
const report = (startTime: number, ...statuses: readonly string[]) => ({
  testResults: [{ name: join(root, 'e2e/specs/nbd.spec.ts'), startTime, status: statuses.includes('failed') ? 'failed' : 'passed', assertionResults: statuses.map((status) => ({ status })) }],
});
const nbd: Capability = { area: '', capability: '', grade: 'vendor-checked simulator', against: '', specs: ['specs/nbd'] };

test('capabilities name specs that exist', () => {
  const specs = specsIn(root);
  expect(capabilities.flatMap((one) => one.specs).filter((spec) => !specs.includes(spec))).toEqual([]);
  for (const { capability, grade, specs: list } of capabilities) expect({ capability, isSeen: list.length > 0 }).toEqual({ capability, isSeen: grade !== 'never seen' });
});

test('every side of every plugin is listed, as never seen where it has no adapter', () => {
  for (const side of sides) {
    const rows = capabilities.filter(({ area }) => area === (side === 'source' ? 'Sources' : 'Destinations'));
    for (const [id, plugin] of Object.entries(plugins)) {
      if (plugin[side] === undefined) continue;
      const grades = rows.filter(({ capability }) => capability.startsWith(`\`${id}\``)).map(({ grade }) => grade);
      expect({ id, side, isSeen: grades.some((grade) => grade !== 'never seen'), isListed: grades.length > 0 })
        .toEqual({ id, side, isSeen: platforms[id as keyof typeof platforms]?.[side] !== undefined, isListed: true });
    }
  }
});

test('reports are merged, the later one wins, and reports of unit tests are left alone', () => {
  const first = mergeReports({}, [report(1_000, 'passed', 'skipped')], root, machine);
  expect(first).toEqual({ 'e2e/specs/nbd.spec.ts': { date: '1970-01-01T00:00:01.000Z', passed: 1, failed: 0, skipped: 1, ...machine } });
  expect(mergeReports(first, [report(500, 'failed')], root, machine)).toEqual(first);
  expect(Object.values(mergeReports(first, [report(2_000, 'failed')], root, machine))).toMatchObject([{ failed: 1, passed: 0 }]);
  const unit = { testResults: [{ ...report(1, 'passed').testResults[0]!, name: join(root, 'scripts/x.test.ts') }] };
  expect(mergeReports({}, [unit], root, machine)).toEqual({});
});

test('a file that could not be loaded has failed', () => {
  const broken = { testResults: [{ ...report(1).testResults[0]!, status: 'failed' }] };
  expect(Object.values(mergeReports({}, [broken], root, machine))).toMatchObject([{ failed: 1 }]);
});

test('a result says its date, versions and what did not run; a failure is not hidden by others', () => {
  const results = mergeReports({}, [report(1_000, 'passed', 'skipped')], root, machine);
  expect(lastResult(nbd, results)).toBe('passed 1970-01-01, 1 tests skipped; QEMU 7.2.1');
  expect(lastResult(nbd, {})).toBe('none on record');
  expect(lastResult({ ...nbd, specs: ['specs/nbd', 'specs/crash'] }, results)).toMatch(/^1 of 2 specs passed/);
  expect(lastResult({ ...nbd, specs: ['specs/nbd', 'specs/crash'] }, { ...results, 'e2e/specs/crash.spec.ts': { ...Object.values(results)[0]!, failed: 2 } })).toMatch(/^\*\*failed\*\*: specs\/crash/);
});

test('a simulator is a stand-in until results say that requests were checked', () => {
  const results: Results = mergeReports({}, [report(1_000, 'passed')], root, machine);
  expect(gradeOf(nbd, {})).toBe('stand-in');
  expect(gradeOf(nbd, results)).toBe('stand-in');
  expect(gradeOf(nbd, mergeReports({}, [report(1_000, 'passed')], root, { ...machine, checkedBy: ['CAUSEWAY_EUROPEAN_CLOUD_OPENAPI'] }))).toBe('vendor-checked simulator');
});
