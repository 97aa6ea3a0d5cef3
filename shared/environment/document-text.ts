import type { JsonValue } from '../model/json.ts';
import type { Finding, TextLocation } from '../schema/finding.ts';
import type { PathSegment } from '../schema/json-pointer.ts';

/** What became of a text: a value with the findings of reading it, or findings only. */
export interface DocumentText {
  /** Absent when the text cannot be read at all. */
  readonly value?: JsonValue;
  readonly findings: readonly Finding[];
  /** Where a member (its key, or the list element) begins; of a missing one, where its nearest container begins. */
  locate(path: readonly PathSegment[]): TextLocation | undefined;
}

/** Ends the reading of a text: the rest of it cannot be understood. */
export class UnreadableText extends Error {
  override readonly name = 'UnreadableText';
  readonly rule: string;
  readonly offset: number;

  /** `offset` counts UTF-16 code units from the beginning of the text. */
  constructor(rule: string, message: string, offset: number) {
    super(message);
    this.rule = rule;
    this.offset = offset;
  }
}

/** A finding about a text as a whole: no pointer, and the place in words too. */
export function unreadable(rule: string, message: string, location: TextLocation): DocumentText {
  const where = `line ${location.line}, column ${location.column}`;
  return {
    findings: [{ severity: 'error', path: '', rule, message: `${message} (${where})`, location }],
    locate: () => undefined,
  };
}

/** Finds line and column of offsets. LF, CRLF and a lone CR each end a line. The index is made on first use. */
export class LineIndex {
  readonly #text: string;
  #lineStarts: number[] | undefined;

  constructor(text: string) {
    this.#text = text;
  }

  /** `offset` counts UTF-16 code units. */
  locate(offset: number): TextLocation {
    this.#lineStarts ??= findLineStarts(this.#text);
    const end = Math.min(offset, this.#text.length);
    let low = 0;
    let high = this.#lineStarts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((this.#lineStarts[middle] ?? 0) <= end) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: end - (this.#lineStarts[low] ?? 0) + 1 };
  }
}

function findLineStarts(text: string): number[] {
  const starts = [0];
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code === 10 || (code === 13 && text.charCodeAt(index + 1) !== 10)) starts.push(index + 1);
  }
  return starts;
}
