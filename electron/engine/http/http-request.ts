/** One request as an adapter describes it. */
export interface HttpRequest {
  /** What is done, in a few words with names: it is part of every error, e.g. `create volume causeway-1a2b`. */
  readonly operation: string;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Appended to the client's base URL; its parts already encoded. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly json?: unknown;
  readonly form?: Readonly<Record<string, string>>;
  /** A body that is neither; its type is among `headers`. */
  readonly data?: Uint8Array;
  /** Besides those that the client sets, e.g. an API version or a range. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer's body is wanted as bytes (a `Uint8Array`), whatever its type. A failure's is parsed all the same. */
  readonly bytes?: boolean;
  /**
   * Whether sending it twice does no more than sending it once. Default: true for all but POST. A request that is not
   * idempotent is never repeated by the client unless it surely did not arrive.
   */
  readonly idempotent?: boolean;
  /** Milliseconds for one attempt, from sending to the end of the answer. */
  readonly timeoutMs?: number;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON body, undefined when the answer has none; the bytes where the request asked for them. */
  readonly body: unknown;
}

export function isIdempotent(request: HttpRequest): boolean {
  return request.idempotent ?? request.method !== 'POST';
}
