/** A place in the text of a document. Both count from 1; columns are UTF-16 code units. */
export interface TextLocation {
  readonly line: number;
  readonly column: number;
}

/** One result of a check, as `validate --format json` prints it (without `location`). */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  /** RFC 6901 JSON Pointer into the document; '' is the whole document. */
  readonly path: string;
  /** Stable id of the rule, `<plugin or area>/<rule>`. */
  readonly rule: string;
  readonly message: string;
  readonly suggestion?: string;
  /** Where `path`, or what is nearest to it, stands in the text; only when the document was read from text. */
  readonly location?: TextLocation;
}
