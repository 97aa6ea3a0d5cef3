import type { DocumentFormat } from '../../../shared/environment/read-document.ts';
import type { PageFinding } from '../../components/finding-lines.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import { translatedFinding } from '../../text/text.ts';

/** One document and what was found in it. */
export interface CheckedFile {
  readonly name: string;
  readonly findings: readonly PageFinding[];
  /** Its text, to mend it; without it when it could not be read. */
  readonly text?: string;
  readonly format?: DocumentFormat;
  /** The text as it was read or saved last. */
  readonly saved?: string;
  /** It was changed here and has to be saved. */
  readonly isChanged?: boolean;
}

export type SeverityFilter = 'all' | Finding['severity'];

export interface FindingRow extends PageFinding {
  readonly id: string;
  readonly file: string;
}

/** All findings as rows, errors first within each file, limited to one severity and to what holds a text. */
export function findingRows(files: readonly CheckedFile[], filter: SeverityFilter, search = ''): FindingRow[] {
  const wanted = search.trim().toLowerCase();
  return files.flatMap((file) =>
    file.findings
      .map((finding, index) => ({ ...finding, id: `${file.name}#${index}`, file: file.name }))
      .filter((finding) => filter === 'all' || finding.severity === filter)
      .filter(
        ({ path, rule, message }) =>
          wanted === '' ||
          `${file.name}\n${path}\n${rule}\n${translatedFinding(rule)?.title ?? ''}\n${message}`
            .toLowerCase()
            .includes(wanted),
      ),
  );
}

export function countFindings(files: readonly CheckedFile[]): { errors: number; warnings: number } {
  const all = files.flatMap((file) => file.findings);
  return {
    errors: all.filter(({ severity }) => severity === 'error').length,
    warnings: all.filter(({ severity }) => severity === 'warning').length,
  };
}
