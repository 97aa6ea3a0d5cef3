import type { Finding } from '../schema/finding.ts';

/** What became of one file. */
export interface FileResult {
  /** As it was named on the command line, or found below a folder named there. */
  readonly file: string;
  readonly findings: readonly Finding[];
  /** Why the file could not be read at all. */
  readonly failure?: string;
}

export interface Summary {
  readonly files: number;
  readonly valid: number;
  readonly errors: number;
  readonly warnings: number;
}

export function isValid({ findings }: FileResult): boolean {
  return !findings.some(({ severity }) => severity === 'error');
}

export function summarise(results: readonly FileResult[]): Summary {
  let valid = 0;
  let errors = 0;
  let warnings = 0;
  for (const result of results) {
    if (isValid(result)) valid++;
    for (const { severity } of result.findings) {
      if (severity === 'error') errors++;
      else if (severity === 'warning') warnings++;
    }
  }
  return { files: results.length, valid, errors, warnings };
}
