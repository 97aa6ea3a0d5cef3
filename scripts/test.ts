import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { electronRuntime } from './electron-runtime.ts';

/**
 * All checks, one after the other: lint, types, unit tests, specs. A later one runs even when an earlier one failed, so
 * that one run says everything. The last line counts; `out/test-summary.txt` keeps it for whoever wraps this.
 */
const root = join(import.meta.dirname, '..');
const reports = join(root, 'out', 'reports');
rmSync(reports, { recursive: true, force: true });
mkdirSync(reports, { recursive: true });

interface Outcome {
  readonly name: string;
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
  readonly seconds: number;
  /** What failed, in the words of the one that looked. */
  readonly failures?: readonly string[];
}

const outcomes = [
  check('lint', ['node_modules/eslint/bin/eslint.js', '.', '--max-warnings', '0']),
  check('types', ['node_modules/typescript/bin/tsc', '-p', '.']),
  suite('unit'),
  suite('specs'),
  electronSpecs(),
];

const failed = outcomes.reduce((sum, outcome) => sum + outcome.failed, 0);
const passed = outcomes.reduce((sum, outcome) => sum + outcome.passed, 0);
console.log();
for (const { name, passed: ok, failed: bad, skipped, seconds } of outcomes) {
  console.log(`${name.padEnd(8)} ${ok} passed, ${bad} failed, ${skipped} skipped  (${seconds.toFixed(0)} s)`);
}
// Again at the end: who reads a long log begins there.
const failures = outcomes.flatMap((outcome) => outcome.failures ?? []);
if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}\n`);
const summary = `${passed} passed, ${failed} failed`;
writeFileSync(join(root, 'out', 'test-summary.txt'), `${summary}\n`);
console.log(summary);
process.exitCode = failed === 0 ? 0 : 1;

/** A check that passes or fails as a whole. */
function check(name: string, args: readonly string[]): Outcome {
  heading(name);
  const startedAt = Date.now();
  const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
  return { name, passed: status === 0 ? 1 : 0, failed: status === 0 ? 0 : 1, skipped: 0, seconds: (Date.now() - startedAt) / 1000 };
}

/** The specs of the page once more, in the desktop app, where there can be one. */
function electronSpecs(): Outcome {
  const missing = electronRuntime(root) === undefined ? "Electron's runtime is not on this machine" : hasDisplay() ? undefined : 'there is no display';
  if (missing === undefined) return suite('electron');
  heading('electron');
  console.log(`Skipped: ${missing}. The same specs ran in the browser.`);
  return { name: 'electron', passed: 0, failed: 0, skipped: 1, seconds: 0 };
}

function hasDisplay(): boolean {
  return process.platform !== 'linux' || process.env['DISPLAY'] !== undefined || process.env['WAYLAND_DISPLAY'] !== undefined;
}

/** A vitest project; a run that dies before it reports counts as one failure. */
function suite(name: 'unit' | 'specs' | 'electron'): Outcome {
  heading(name);
  const report = join(reports, `${name}.json`);
  const startedAt = Date.now();
  const { status } = spawnSync(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', 'run', '--project', name, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { cwd: root, stdio: 'inherit' },
  );
  const seconds = (Date.now() - startedAt) / 1000;
  try {
    const { numPassedTests, numFailedTests, numPendingTests, numFailedTestSuites, testResults }: Report = JSON.parse(readFileSync(report, 'utf8'));
    // A file that can't even be loaded has no failed test, but it is a failure; so is a non-zero exit without either.
    const failures = Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0, status === 0 ? 0 : 1);
    return { name, passed: numPassedTests, failed: failures, skipped: numPendingTests, seconds, failures: testResults.flatMap(failedIn) };
  } catch {
    return { name, passed: 0, failed: 1, skipped: 0, seconds };
  }
}

/** What is read of vitest's report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly numFailedTestSuites: number;
  readonly testResults: readonly FileReport[];
}

interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly failureMessages?: readonly string[] }[];
}

function failedIn(file: FileReport): string[] {
  const path = relative(root, file.name);
  const tests = file.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName, failureMessages }) =>
    `${path} > ${fullName}\n    ${(failureMessages?.[0] ?? '').split('\n').slice(0, 3).join('\n    ')}`);
  return tests.length === 0 && file.status === 'failed' ? [`${path}: ${file.message}`] : tests;
}

function heading(name: string): void {
  console.log(`\n── ${name} ${'─'.repeat(Math.max(0, 60 - name.length))}`);
}
