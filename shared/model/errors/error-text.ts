/** What the error catalogue says to people about one code. */
export interface ErrorText {
  /** One short line: what happened. */
  readonly title: string;
  /** Why this usually happens. */
  readonly cause: string;
  /** What the reader can do about it. */
  readonly remedy: string;
  /** Whether the same request may succeed when it is sent again unchanged. */
  readonly retryable: boolean;
}

export type ErrorTable = Readonly<Record<string, ErrorText>>;
