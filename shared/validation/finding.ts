/** One result of a check, as `validate --format json` prints it. */
export interface Finding {
  readonly severity: 'error' | 'warning' | 'info';
  /** RFC 6901 JSON Pointer into the document; '' is the whole document. */
  readonly path: string;
  /** Stable id of the rule, `<plugin or area>/<rule>`. */
  readonly rule: string;
  readonly message: string;
  readonly suggestion?: string;
}
