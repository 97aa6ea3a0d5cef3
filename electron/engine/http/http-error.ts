import { textStart } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import { isJsonObject } from '../../../shared/model/json.ts';
import type { HttpRequest } from './http-request.ts';
import { inspectorOf } from './server-certificates.ts';

const longestMessage = 500;

/**
 * The status, API code and message of a failed answer. APIs differ: `{code, msg}`, `{error: {…}}`, `{message}`, an
 * object under the one key that names the failure (`{itemNotFound: {…}}`), plain text.
 */
export function answerEvidence(body: unknown): { code?: string; msg?: string } {
  if (typeof body === 'string') return body.trim() === '' ? {} : { msg: cut(body.trim()) };
  if (!isJsonObject(body)) return {};
  if (isJsonObject(body.error)) return answerEvidence(body.error);
  const [only, ...others] = Object.values(body);
  if (isJsonObject(only) && others.length === 0) return answerEvidence(only);
  const code = body.code ?? body.error ?? body.type;
  const msg = body.msg ?? body.message ?? body.error_description ?? body.detail;
  return {
    ...(typeof code === 'string' || typeof code === 'number' ? { code: cut(String(code)) } : {}),
    ...(typeof msg === 'string' ? { msg: cut(msg) } : {}),
  };
}

/** An answer with a failure status as an error. `ambiguous` in its details: it may have been carried out all the same. */
export function statusError(request: HttpRequest, status: number, body: unknown, more: JsonObject = {}): CausewayError {
  const evidence = answerEvidence(body);
  const said = evidence.msg === undefined ? '' : `: ${evidence.msg}`;
  return new CausewayError(codeOfStatus(status, evidence.msg ?? ''), `${request.operation}: HTTP ${status}${said}`, {
    details: {
      operation: request.operation,
      status,
      ...evidence,
      ...more,
      ...(isAmbiguousStatus(status) ? { ambiguous: true } : {}),
    },
  });
}

/** Statuses that leave open whether the request was carried out. 429 is among them: gateways count late. */
export function isAmbiguousStatus(status: number): boolean {
  return status === 408 || status === 429 || status >= 500;
}

/** Statuses after which an idempotent request is worth sending again. */
export function isPassingStatus(status: number): boolean {
  return status === 408 || status === 429 || status === 500 || status === 502 || status === 503 || status === 504;
}

/** Whether a failed request may have been carried out although it looks failed. */
export function isAmbiguous(error: unknown): boolean {
  return error instanceof CausewayError && error.details.ambiguous === true;
}

export function isStatus(error: unknown, ...statuses: readonly number[]): boolean {
  return (
    error instanceof CausewayError &&
    typeof error.details.status === 'number' &&
    statuses.includes(error.details.status)
  );
}

function codeOfStatus(status: number, msg: string): ErrorCode {
  if (status === 401) return 'cloud.authentication-failed';
  if (/quota|limit exceeded/i.test(msg) && status !== 429 && status < 500) return 'cloud.quota-exceeded';
  if (status === 403) return 'cloud.permission-denied';
  if (status === 404 || status === 410) return 'cloud.not-found';
  if (status === 409) return 'cloud.conflict';
  if (status === 413) return 'cloud.quota-exceeded';
  if (status === 429) return 'cloud.rate-limited';
  if (status === 408) return 'cloud.no-answer';
  if (status >= 500) return 'cloud.unavailable';
  return status >= 400 ? 'cloud.request-refused' : 'cloud.unexpected-answer';
}

const refusedBeforeSending = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
]);

/** A request that got no answer as an error. `arrived: false` in its details: it surely did not reach the server. */
export function transportError(request: HttpRequest, host: string, cause: unknown): CausewayError {
  if (isWayError(cause)) return wayError(request, host, cause);
  const code = networkCode(cause);
  const untrusted = code !== undefined && isCertificateCode(code);
  const unreachable = code !== undefined && (refusedBeforeSending.has(code) || untrusted);
  const issuers = issuersIn(cause);
  const inspector = untrusted ? inspectorOf(issuers) : undefined;
  if (inspector !== undefined) {
    return new CausewayError(
      'cloud.tls-inspected',
      `${request.operation}: ${host}: the certificate was issued by ${inspector} (${issuers.join('; ')})`,
      {
        details: { operation: request.operation, host, network: code ?? '', issuers: [...issuers], arrived: false },
      },
    );
  }
  return new CausewayError(
    untrusted ? 'cloud.certificate-not-trusted' : unreachable ? 'cloud.unreachable' : 'cloud.no-answer',
    `${request.operation}: ${host}: ${code ?? (cause instanceof Error ? cause.message : 'no answer')}${untrusted && issuers[0] !== undefined ? `; issued by ${issuers[0]}` : ''}`,
    {
      details: {
        operation: request.operation,
        host,
        ...(code === undefined ? {} : { network: code }),
        ...(unreachable ? { arrived: false } : { ambiguous: true }),
      },
      ...(code !== undefined && isCertificateCode(code) ? { retryable: false } : {}),
    },
  );
}

export function didNotArrive(error: unknown): boolean {
  return error instanceof CausewayError && error.details.arrived === false && error.retryable;
}

export function isCertificateCode(code: string): boolean {
  return code.includes('CERT') || code.includes('_SIGNATURE') || code.startsWith('ERR_TLS');
}

/** Whether no way led to the server: a proxy, or the script that chooses it, said no or nothing. */
export function isWayError(thrown: unknown): thrown is CausewayError {
  return (
    thrown instanceof CausewayError &&
    (thrown.code.startsWith('transport.') || thrown.code === 'cloud.proxy-script-failed')
  );
}

function wayError(request: HttpRequest, host: string, cause: CausewayError): CausewayError {
  const codes: Partial<Record<ErrorCode, ErrorCode>> = {
    'transport.proxy-refused': 'cloud.proxy-refused',
    'transport.unreachable': 'cloud.unreachable',
  };
  return new CausewayError(codes[cause.code] ?? cause.code, `${request.operation}: ${host}: ${cause.message}`, {
    details: { operation: request.operation, host, arrived: false },
    cause,
  });
}

function issuersIn(thrown: unknown): readonly string[] {
  const { issuers } = (thrown instanceof Error ? thrown : {}) as { readonly issuers?: readonly string[] };
  return issuers ?? [];
}

/** The system's error code may be hidden in nested causes and aggregates. */
function networkCode(thrown: unknown, depth = 0): string | undefined {
  if (depth > 5 || !(thrown instanceof Error)) return undefined;
  const nested =
    thrown instanceof AggregateError
      ? thrown.errors.map((each) => networkCode(each, depth + 1)).find((each) => each)
      : undefined;
  const own = 'code' in thrown && typeof thrown.code === 'string' ? thrown.code : undefined;
  return nested ?? networkCode(thrown.cause, depth + 1) ?? own;
}

/** Some servers quote the request in their message; what looks like a key, a token or encoded data is removed. */
function cut(quoted: string): string {
  const text = quoted.replaceAll(/[A-Za-z0-9+/=_.-]{80,}/g, '[…]');
  return textStart(text, longestMessage);
}
