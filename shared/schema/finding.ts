import type { JsonValue } from '../model/json.ts';

/** A place in the text of a document. Both count from 1; columns are UTF-16 code units. */
export interface TextLocation {
  readonly line: number;
  readonly column: number;
}

/** A change of a document at a finding's path. */
export type Fix =
  | { readonly kind: 'rename-key'; readonly to: string }
  | { readonly kind: 'set-value'; readonly value: JsonValue }
  | { readonly kind: 'remove-key' };

/** One result of a check, as `validate --format json` prints it (without `location` and `fix`). */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  /** RFC 6901 JSON Pointer into the document; '' is the whole document. */
  readonly path: string;
  /** Stable id of the rule, `<plugin or area>/<rule>`. */
  readonly rule: string;
  readonly message: string;
  readonly suggestion?: string;
  /** What carries the suggestion out at `path`, where that is certain enough for one click. */
  readonly fix?: Fix;
  /** Where `path`, or what is nearest to it, stands in the text; only when the document was read from text. */
  readonly location?: TextLocation;
}

/** More than anybody reads at once; the file that has so many has one cause. */
const mostShown = 50;

/** All findings as one message, one per line with its place. */
export function findingsText(findings: readonly Pick<Finding, 'path' | 'message'>[]): string {
  const lines = findings.slice(0, mostShown).map(({ path, message }) => `${path || '/'}: ${message}`);
  const left = findings.length - lines.length;
  return [...lines, ...(left > 0 ? [`${left} more errors are not shown: correct these first.`] : [])].join('\n');
}

/** A message with a full stop, so that messages of all rules can stand one after another. */
export function asSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
