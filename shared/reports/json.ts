import { isValid, summarise, type FileResult } from './file-result.ts';

/** The documented interface for scripts: exactly these members, also when there is more to know (line and column). */
export function formatJson(results: readonly FileResult[]): string {
  const files = results.map((result) => ({
    file: result.file,
    valid: isValid(result),
    findings: result.findings.map(({ severity, path, rule, message, suggestion }) => ({
      severity,
      path,
      rule,
      message,
      ...(suggestion === undefined ? {} : { suggestion }),
    })),
  }));
  return `${JSON.stringify({ files, summary: summarise(results) }, undefined, 2)}\n`;
}
