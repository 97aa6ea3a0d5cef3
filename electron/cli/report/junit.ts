import type { Finding } from '../../../shared/schema/finding.ts';
import type { FileResult } from '../../../shared/reports/file-result.ts';

interface JunitOptions {
  /** Warnings are failures too. */
  readonly strict: boolean;
}

/** JUnit XML: a suite for each file, a case for each finding; a file without a failure has one case that passed. */
export function formatJunit(results: readonly FileResult[], { strict }: JunitOptions): string {
  const suites = results.map((result) => suiteOf(result, strict));
  const tests = suites.reduce((sum, suite) => sum + suite.tests, 0);
  const failures = suites.reduce((sum, suite) => sum + suite.failures, 0);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites name="causeway validate" tests="${tests}" failures="${failures}" errors="0">`,
    ...suites.flatMap(({ lines }) => lines),
    '</testsuites>',
    '',
  ].join('\n');
}

interface Suite {
  readonly tests: number;
  readonly failures: number;
  readonly lines: readonly string[];
}

function suiteOf({ file, findings }: FileResult, strict: boolean): Suite {
  const isFailure = ({ severity }: Finding): boolean => severity === 'error' || (strict && severity === 'warning');
  const failures = findings.filter(isFailure).length;
  const cases = findings.map((finding) => caseOf(finding, file, isFailure(finding)));
  if (failures === 0) cases.unshift(`    <testcase classname=${quoted(file)} name="is valid"/>`);
  const head = `  <testsuite name=${quoted(file)} tests="${cases.length}" failures="${failures}" errors="0" skipped="0">`;
  return { tests: cases.length, failures, lines: [head, ...cases, '  </testsuite>'] };
}

function caseOf(finding: Finding, file: string, failed: boolean): string {
  const { severity, path, rule, message, suggestion, location } = finding;
  const place = location === undefined ? file : `${file}:${location.line}:${location.column}`;
  const body = escaped(`${place} ${severity}: ${message}${suggestion === undefined ? '' : ` ${suggestion}`}`);
  const inner = failed
    ? `<failure type=${quoted(rule)} message=${quoted(message)}>${body}</failure>`
    : `<system-out>${body}</system-out>`;
  return `    <testcase classname=${quoted(file)} name=${quoted(`${rule} ${path}`.trim())}>${inner}</testcase>`;
}

function quoted(text: string): string {
  return `"${escaped(text).replaceAll('"', '&quot;').replaceAll('\n', '&#10;').replaceAll('\t', '&#9;')}"`;
}

/** XML 1.0 cannot hold most control characters nor lone surrogates, not even escaped. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, '\ufffd')
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('\r', '&#13;');
}
