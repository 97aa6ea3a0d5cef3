/** A request as it is held against a description. */
export interface DescribedRequest {
  readonly operation: string;
  readonly pathTemplate: string;
  readonly method: string;
  readonly query: URLSearchParams;
  readonly headers?: Readonly<Record<string, unknown>>;
  /** As the protocol decoded it; undefined when there is none. */
  readonly body: unknown;
}

/** The answer to it. */
export interface DescribedAnswer extends Omit<DescribedRequest, 'body' | 'query'> {
  readonly status: number;
  /** As the operation gave it, before the protocol encoded it. */
  readonly body: unknown;
}

/** What is wrong, and how many bodies were held against a shape for that. */
export interface Findings {
  readonly problems: readonly string[];
  readonly checked: number;
}

/** A vendor's own description of its API, in whatever form the vendor publishes it. */
export interface ApiDescription {
  checkRequest(request: DescribedRequest): Findings;
  checkAnswer(answer: DescribedAnswer): Findings;
}

/** Holds every request and answer against a description and keeps what does not conform; without a description it checks nothing. */
export class DescriptionCheck {
  readonly violations: string[] = [];
  /** How many bodies were held against the description. */
  checked = 0;
  readonly #description: ApiDescription | undefined;
  readonly #undescribed: ReadonlySet<string>;

  /** @param undescribed operations that are not part of the description, such as a token endpoint's */
  constructor(description: ApiDescription | undefined, undescribed: readonly string[] = []) {
    this.#description = description;
    this.#undescribed = new Set(undescribed);
  }

  get active(): boolean {
    return this.#description !== undefined;
  }

  request(request: DescribedRequest): void {
    if (!this.#undescribed.has(request.operation))
      this.#take(request.operation, this.#description?.checkRequest(request));
  }

  answer(answer: DescribedAnswer): void {
    if (!this.#undescribed.has(answer.operation)) this.#take(answer.operation, this.#description?.checkAnswer(answer));
  }

  #take(operation: string, findings: Findings | undefined): void {
    if (findings === undefined) return;
    this.checked += findings.checked;
    this.violations.push(...findings.problems.map((problem) => `${operation}: ${problem}`));
  }
}
