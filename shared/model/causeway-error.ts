import { errorCatalogue, errorText, type ErrorCode } from './errors/catalogue.ts';
import type { JsonObject } from './json.ts';
import { systemFailure } from './system-failure.ts';

/** An error as it travels over a port or into the store: plain data, no stack, no secret. */
export interface ErrorRecord {
  readonly code: ErrorCode;
  readonly message: string;
  readonly details: JsonObject;
  readonly retryable: boolean;
  readonly cause?: ErrorRecord;
}

/**
 * The one error class of Causeway. `message` is the evidence (what was seen, with names and numbers); cause and remedy
 * come from the catalogue by `code`. Never put a secret into `message` or `details`.
 */
export class CausewayError extends Error {
  readonly code: ErrorCode;
  readonly details: JsonObject;
  readonly retryable: boolean;

  constructor(
    code: ErrorCode,
    message: string,
    options: { details?: JsonObject; retryable?: boolean; cause?: unknown } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CausewayError';
    this.code = code;
    this.details = options.details ?? {};
    this.retryable = options.retryable ?? errorText(code).retryable;
  }

  toRecord(): ErrorRecord {
    const record = { code: this.code, message: this.message, details: this.details, retryable: this.retryable };
    return this.cause === undefined ? record : { ...record, cause: toErrorRecord(this.cause) };
  }
}

export function isErrorCode(value: unknown): value is ErrorCode {
  return typeof value === 'string' && Object.hasOwn(errorCatalogue, value);
}

/** Any thrown value as a record. A foreign error becomes `general.bug`, an abort `general.cancelled`, a full disk `store.disk-full`. */
export function toErrorRecord(thrown: unknown): ErrorRecord {
  if (thrown instanceof CausewayError) return thrown.toRecord();
  if (thrown instanceof Error) {
    const code: ErrorCode =
      systemFailure(thrown) ?? (thrown.name === 'AbortError' ? 'general.cancelled' : 'general.bug');
    return { code, message: thrown.message, details: {}, retryable: errorText(code).retryable };
  }
  return { code: 'general.bug', message: String(thrown), details: {}, retryable: false };
}

export function fromErrorRecord(record: ErrorRecord): CausewayError {
  return new CausewayError(record.code, record.message, {
    details: record.details,
    retryable: record.retryable,
    ...(record.cause === undefined ? {} : { cause: fromErrorRecord(record.cause) }),
  });
}
