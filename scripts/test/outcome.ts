import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/** How one task of a run ended. */
export interface Outcome {
  readonly name: string;
  readonly group: 'lint' | 'types' | 'unit' | 'specs' | 'electron';
  readonly passed: number;
  readonly failed: number;
  /** Full names of tests that did not run. */
  readonly skipped: readonly string[];
  readonly wallSeconds: number;
  readonly cpuSeconds: number | undefined;
  /** What failed, in the words of the tool. */
  readonly failures: readonly string[];
  /** Files with a failure, relative to the repository; none when the runner ended before it reported. */
  readonly failedFiles?: readonly string[];
  /** What failed in the first attempt of a task that passed in the second one. */
  readonly onlySecondTime?: readonly string[];
}

/** What is read of vitest's report. */
interface Report {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numFailedTestSuites: number;
  readonly testResults: readonly FileReport[];
}
interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  readonly assertionResults: readonly { readonly fullName: string; readonly status: string; readonly failureMessages?: readonly string[] }[];
}

/** Counts of a vitest run by its JSON report. A run that ended before it could report counts as one failure. */
export function readReport(file: string, status: number | null, root: string): Pick<Outcome, 'passed' | 'failed' | 'skipped' | 'failures' | 'failedFiles'> {
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return { passed: 0, failed: 1, skipped: [], failures: [`the test runner ended with ${status ?? 'a signal'} before it reported`] };
  }
  const { numPassedTests, numFailedTests, numFailedTestSuites, testResults } = report;
  // A file that can't be loaded has no failed test, but it is a failure; so is a non-zero exit without either.
  const failed = Math.max(numFailedTests, numFailedTestSuites > 0 ? 1 : 0, status === 0 ? 0 : 1);
  const failures = testResults.flatMap((result) => failuresOf(result, root));
  return {
    passed: numPassedTests,
    failed,
    skipped: testResults.flatMap(({ assertionResults }) => assertionResults.filter((test) => ['skipped', 'pending', 'todo', 'disabled'].includes(test.status)).map(({ fullName }) => fullName)),
    failedFiles: testResults.filter(({ status }) => status === 'failed').map(({ name }) => relative(root, name)),
    failures: failed > 0 && failures.length === 0 ? [`the test runner ended with ${status ?? 'a signal'}`] : failures,
  };
}

function failuresOf(file: FileReport, root: string): string[] {
  const path = relative(root, file.name);
  const tests = file.assertionResults.filter(({ status }) => status === 'failed').map(({ fullName, failureMessages }) =>
    `${path} > ${fullName}\n    ${(failureMessages?.[0] ?? '').split('\n').slice(0, 3).join('\n    ')}`);
  return tests.length === 0 && file.status === 'failed' ? [`${path}: ${file.message}`] : tests;
}
