import type { Finding } from '../../../shared/validation/finding.ts';

/** One document and what was found in it. */
export interface CheckedFile {
  readonly name: string;
  readonly findings: readonly Finding[];
}

export type SeverityFilter = 'all' | Finding['severity'];

export interface FindingRow extends Finding {
  readonly id: string;
  readonly file: string;
}

/** All findings as rows, errors first within each file, limited to one severity when asked. */
export function findingRows(files: readonly CheckedFile[], filter: SeverityFilter): FindingRow[] {
  return files.flatMap((file) =>
    file.findings
      .map((finding, index) => ({ ...finding, id: `${file.name}#${index}`, file: file.name }))
      .filter((finding) => filter === 'all' || finding.severity === filter),
  );
}

export function countFindings(files: readonly CheckedFile[]): { errors: number; warnings: number } {
  const all = files.flatMap((file) => file.findings);
  return {
    errors: all.filter(({ severity }) => severity === 'error').length,
    warnings: all.filter(({ severity }) => severity === 'warning').length,
  };
}
