import type { Finding } from '../../../shared/schema/finding.ts';
import { summarise, type FileResult } from '../../../shared/reports/file-result.ts';
import { printable } from '../output/printable.ts';

interface TextOptions {
  readonly colour: boolean;
}

const colours = { error: 31, warning: 33, info: 36, path: 2, suggestion: 32, valid: 32 } as const;

/** For people: `file:line:column severity message`, the pointer and the rule below, a summary at the end. */
export function formatText(results: readonly FileResult[], { colour }: TextOptions): string {
  const paint = (text: string, name: keyof typeof colours): string =>
    colour ? `\u001b[${colours[name]}m${text}\u001b[0m` : text;
  const lines: string[] = [];
  // What concerns every document alike is said once, not ten thousand times.
  const general = new Map<string, Finding>();
  for (const { file, findings } of results) {
    for (const finding of findings) {
      if (finding.severity === 'info' && finding.path === '') {
        general.set(finding.message, finding);
        continue;
      }
      const { severity, path, rule, message, suggestion, location } = finding;
      const place = location === undefined ? file : `${file}:${location.line}:${location.column}`;
      lines.push(`${printable(place)} ${paint(severity, severity)} ${printable(message)}`);
      lines.push(`    ${paint(`${path === '' ? '(whole document)' : printable(path)}  ${rule}`, 'path')}`);
      if (suggestion !== undefined) lines.push(`    ${paint(printable(suggestion), 'suggestion')}`);
    }
  }
  if (lines.length > 0) lines.push('');
  for (const { severity, message, suggestion } of general.values()) {
    lines.push(
      `${paint(severity, severity)} ${printable(message)}${suggestion === undefined ? '' : ` ${printable(suggestion)}`}`,
    );
  }
  const { files, valid, errors, warnings } = summarise(results);
  const verdict = `${count(files, 'file')} checked, ${valid} valid: ${count(errors, 'error')}, ${count(warnings, 'warning')}`;
  lines.push(paint(verdict, errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'valid'));
  return `${lines.join('\n')}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
