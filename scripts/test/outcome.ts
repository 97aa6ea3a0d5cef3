import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import type { PartEnd } from './part.ts';

/** How one task of a run ended. */
export interface Outcome {
  readonly name: string;
  readonly group: 'lint' | 'types' | 'unit' | 'specs' | 'electron' | 'steady' | 'clean';
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
  readonly testResults: readonly FileReport[];
}
interface FileReport {
  readonly name: string;
  readonly status: string;
  readonly message: string;
  /** Milliseconds since 1970. */
  readonly startTime?: number;
  readonly endTime?: number;
  readonly assertionResults: readonly {
    readonly fullName: string;
    readonly status: string;
    readonly failureMessages?: readonly string[];
  }[];
}

/** What a report tells of one file. */
export type FileOutcome = Pick<Outcome, 'passed' | 'failed' | 'skipped' | 'failures' | 'failedFiles'> & {
  /** Relative to the repository; undefined for what no file accounts for, e.g. an error outside of tests. */
  readonly path: string | undefined;
  readonly wallSeconds: number;
};

/** Counts of a vitest run by its JSON report. A run that ended before it could report counts as one failure. */
export function readReport(
  file: string,
  status: number | null,
  root: string,
): Pick<Outcome, 'passed' | 'failed' | 'skipped' | 'failures' | 'failedFiles'> {
  const files = readFiles(file, status, root);
  return {
    passed: files.reduce((sum, { passed }) => sum + passed, 0),
    failed: files.reduce((sum, { failed }) => sum + failed, 0),
    skipped: files.flatMap(({ skipped }) => skipped),
    failures: files.flatMap(({ failures }) => failures),
    failedFiles: files.flatMap(({ failedFiles = [] }) => failedFiles),
  };
}

/** The same, file by file. */
export function readFiles(file: string, status: number | null, root: string): FileOutcome[] {
  const unaccounted = (failure: string): FileOutcome => ({
    path: undefined,
    passed: 0,
    failed: 1,
    skipped: [],
    failures: [failure],
    failedFiles: [],
    wallSeconds: 0,
  });
  let report: Report;
  try {
    report = JSON.parse(readFileSync(file, 'utf8')) as Report;
  } catch {
    return [unaccounted(`the test runner ended with ${status ?? 'a signal'} before it reported`)];
  }
  const files = report.testResults.map((result): FileOutcome => {
    const count = (...states: string[]): string[] =>
      result.assertionResults.filter((test) => states.includes(test.status)).map(({ fullName }) => fullName);
    const path = relative(root, result.name).replaceAll('\\', '/');
    const isFailed = result.status === 'failed';
    return {
      path,
      passed: count('passed').length,
      // A file that can't be loaded has no failed test, but it is a failure.
      failed: Math.max(count('failed').length, isFailed ? 1 : 0),
      skipped: count('skipped', 'pending', 'todo', 'disabled'),
      failures: failuresOf(result, root),
      failedFiles: isFailed ? [path] : [],
      wallSeconds: Math.max(0, ((result.endTime ?? 0) - (result.startTime ?? 0)) / 1000),
    };
  });
  // A non-zero exit without any of these is a failure too.
  return status === 0 || files.some(({ failed }) => failed > 0)
    ? files
    : [...files, unaccounted(`the test runner ended with ${status ?? 'a signal'}`)];
}

function failuresOf(file: FileReport, root: string): string[] {
  const path = relative(root, file.name);
  const tests = file.assertionResults
    .filter(({ status }) => status === 'failed')
    .map(
      ({ fullName, failureMessages }) =>
        `${path} > ${fullName}\n    ${(failureMessages?.[0] ?? '').split('\n').slice(0, 3).join('\n    ')}`,
    );
  return tests.length === 0 && file.status === 'failed' ? [`${path}: ${file.message}`] : tests;
}

/** A part of a run, as far as its outcome depends on it. */
interface Reporting {
  readonly name: string;
  readonly group: Outcome['group'];
  /** vitest's report as JSON; without one the exit status counts, or the last line `N passed, N failed`. */
  readonly report?: string;
  /** Spec files. */
  readonly paths?: readonly string[];
}

/** What a part came to: one outcome, or one for each file of a bundle. A complaint of the part itself is one more failure. */
export function outcomesOf(job: Reporting, end: PartEnd, root: string): Outcome[] {
  const { name, group, report, paths = [] } = job;
  const { status, wallSeconds, cpuSeconds, complaint } = end;
  const all =
    report === undefined
      ? [{ name, group, ...outcomeOfProgram(name, end), wallSeconds, cpuSeconds }]
      : paths.length > 1
        ? outcomesOfFiles(paths, readFiles(report, status, root), name, cpuSeconds)
        : [{ name, group, ...readReport(report, status, root), wallSeconds, cpuSeconds }];
  const [first, ...rest] = all;
  if (complaint === undefined || first === undefined) return all;
  const failures = [...first.failures, `${name}: ${complaint}`];
  return [
    { ...first, failed: first.failed + 1, failures, failedFiles: [...(first.failedFiles ?? []), ...paths] },
    ...rest,
  ];
}

/** By the last line `N passed, N failed` of a program that counts, and otherwise by the exit status. */
function outcomeOfProgram(
  name: string,
  { status, output }: PartEnd,
): Pick<Outcome, 'passed' | 'failed' | 'skipped' | 'failures'> {
  const [, passed, failed] = /^(\d+) passed, (\d+) failed$/m.exec(output.trimEnd().split('\n').at(-1) ?? '') ?? [];
  const isGood = status === 0 && (failed ?? '0') === '0';
  return {
    passed: passed === undefined ? (isGood ? 1 : 0) : Number(passed),
    failed: isGood ? 0 : Math.max(1, Number(failed ?? 0)),
    skipped: [],
    failures: isGood ? [] : [`${name} failed`],
  };
}

/** The outcomes of a bundle's files. Its processor time is divided by the time that each took; a file without a result has failed. */
function outcomesOfFiles(
  paths: readonly string[],
  files: readonly FileOutcome[],
  bundle: string,
  cpuSeconds: number | undefined,
): Outcome[] {
  const total = files.reduce((sum, { wallSeconds }) => sum + wallSeconds, 0);
  const group = 'specs' as const;
  const outcomes = paths.map((path): Outcome => {
    const file = files.find((one) => one.path === path);
    if (file === undefined) {
      const failures = [`${path}: not run`];
      return {
        name: path,
        group,
        passed: 0,
        failed: 1,
        skipped: [],
        failures,
        failedFiles: [path],
        wallSeconds: 0,
        cpuSeconds: undefined,
      };
    }
    const { path: _, wallSeconds, ...counts } = file;
    const share =
      cpuSeconds === undefined || total === 0 ? undefined : Math.round(((cpuSeconds * wallSeconds) / total) * 10) / 10;
    return { name: path, group, ...counts, wallSeconds: Math.round(wallSeconds * 10) / 10, cpuSeconds: share };
  });
  const other = files.filter(({ path }) => path === undefined);
  return [
    ...outcomes,
    ...other.map(({ path: _, ...counts }) => ({ name: bundle, group, ...counts, cpuSeconds: undefined })),
  ];
}
