import Papa from 'papaparse';
import type { FileResult } from './file-result.ts';

/** A row for each finding, for spreadsheets; a file without any has no row. */
export function formatCsv(results: readonly FileResult[]): string {
  const rows = results.flatMap(({ file, findings }) =>
    findings.map(({ severity, path, rule, message, suggestion = '', location }) => ({
      file,
      line: location?.line ?? '',
      column: location?.column ?? '',
      severity,
      path,
      rule,
      message,
      suggestion,
    })),
  );
  const columns = ['file', 'line', 'column', 'severity', 'path', 'rule', 'message', 'suggestion'];
  // A text that begins like a formula stays a text.
  return `${Papa.unparse({ fields: columns, data: rows }, { escapeFormulae: true, newline: '\r\n' })}\r\n`;
}
