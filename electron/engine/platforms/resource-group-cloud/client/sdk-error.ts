import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { textStart } from '../../../../../shared/model/cut-text.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { statusError } from '../../../http/http-error.ts';
import { anyOperation } from './sdk-http.ts';

/** The API's own codes for what an account may not have more of. */
const quotaCodes =
  /^(?:OperationNotAllowed|SnapshotCountExceeded|SubscriptionQuota[A-Za-z]*|[A-Za-z]*(?:LimitExceeded|LimitReached|QuotaExceeded))$/;

/**
 * What a library threw, in our codes. Nothing of the request goes along: its address may be a signed one, and its headers have the token.
 */
export function sdkError(operation: string, thrown: unknown, signal: AbortSignal): unknown {
  if (signal.aborted) return signal.reason;
  const own = ownError(thrown);
  if (own !== undefined) return renamed(operation, own);
  if (!(thrown instanceof Error)) return thrown;
  const signIn = signInError(operation, thrown);
  if (signIn !== undefined) return signIn;
  const status = numberOf(thrown, 'statusCode');
  if (status !== undefined) return answerError(operation, status, thrown);
  if (/^The long-running operation has failed|^Operation was canceled/.test(thrown.message))
    return failedOperation(operation, thrown.message);
  if (thrown.name === 'RestError' || thrown instanceof SyntaxError) {
    return new CausewayError('cloud.unexpected-answer', `${operation}: ${safeText(thrown.message)}`, {
      details: { operation, ambiguous: true },
    });
  }
  return thrown;
}

/** A failure of the transport, wherever a library has put it. */
function ownError(thrown: unknown, depth = 0): CausewayError | undefined {
  if (thrown instanceof CausewayError) return thrown;
  if (depth > 4 || !(thrown instanceof Error)) return undefined;
  return (
    ownError(thrown.cause, depth + 1) ?? ('innerError' in thrown ? ownError(thrown.innerError, depth + 1) : undefined)
  );
}

function renamed(operation: string, error: CausewayError): CausewayError {
  if (error.details['operation'] !== anyOperation) return error;
  return new CausewayError(error.code, error.message.replace(new RegExp(`^${anyOperation}: `), `${operation}: `), {
    details: { ...error.details, operation },
    retryable: error.retryable,
  });
}

/** Refusals that pass once something else has ended, with whatever status they come. */
const busyCodes =
  /^(?:NicInUse|NicReservedForAnotherVm|PublicIPAddressCannotBeDeleted|InUse[A-Za-z]+CannotBeDeleted|AnotherOperationInProgress|RetryableError|AttachDiskWhileBeingDetached|Conflict|ConflictingUserInput|OperationPreempted|ResourceBeingDeleted|DiskBlobIsBeingRead)$/;

function answerError(operation: string, status: number, thrown: Error): CausewayError {
  const { code, message, requestId } = evidenceOf(thrown);
  const more: JsonObject = {
    ...(code === undefined ? {} : { code }),
    ...(requestId === undefined ? {} : { requestId }),
  };
  const error = statusError(
    { operation, method: 'GET', path: '' },
    status,
    { code: code ?? String(status), message: safeText(message) },
    more,
  );
  const as = (ours: 'cloud.quota-exceeded' | 'cloud.conflict' | 'cloud.permission-denied'): CausewayError =>
    new CausewayError(ours, error.message, { details: error.details });
  // Nothing that ends by itself: somebody locked it, or the subscription is disabled.
  if (code === 'ScopeLocked' || code === 'ReadOnlyDisabledSubscription') return as('cloud.permission-denied');
  if (code === undefined || status >= 500 || status === 401 || status === 404) return error;
  if (quotaCodes.test(code) && (status !== 429 || /quota/i.test(code)) && /quota|limit|exceed/i.test(message))
    return as('cloud.quota-exceeded');
  if (busyCodes.test(code) || (code === 'OperationNotAllowed' && /attached|being|in use|active/i.test(message)))
    return as('cloud.conflict');
  return error;
}

interface Evidence {
  readonly code: string | undefined;
  readonly message: string;
  readonly requestId: string | undefined;
}

/** Management answers have `{error: {code, message}}`, storage answers an XML with `Code` and `Message`. */
function evidenceOf(thrown: Error): Evidence {
  const details = 'details' in thrown ? thrown.details : undefined;
  const inner = member(details, 'error') ?? details;
  const response = 'response' in thrown ? thrown.response : undefined;
  const text = member(response, 'bodyAsText');
  const body = typeof text === 'string' ? parsed(text) : undefined;
  const answered = member(body, 'error') ?? body;
  const code =
    textOf(member(answered, 'code')) ??
    textOf(member(inner, 'code')) ??
    textOf(member(inner, 'errorCode')) ??
    textOf('code' in thrown ? thrown.code : undefined);
  const message = textOf(member(answered, 'message')) ?? textOf(member(inner, 'message')) ?? thrown.message;
  const headers = member(response, 'headers');
  const requestId = isHeaders(headers) ? headers.get('x-ms-request-id') : undefined;
  return { code, message, requestId };
}

/** Token requests have their own error; the tenant's text says which secret is wrong or expired. */
function signInError(operation: string, thrown: Error): CausewayError | undefined {
  if (
    ![
      'AuthError',
      'InteractionRequiredAuthError',
      'AuthenticationError',
      'AggregateAuthenticationError',
      'CredentialUnavailableError',
      'AuthenticationRequiredError',
      'ClientAuthError',
      'ServerError',
    ].includes(thrown.name)
  )
    return undefined;
  const said =
    textOf(member('errorResponse' in thrown ? thrown.errorResponse : undefined, 'errorDescription')) ?? thrown.message;
  const status = numberOf(thrown, 'statusCode') ?? numberOf(thrown, 'status');
  // The first line has the code; what follows are identifiers of the request.
  const first = safeText(said.replace(/^.*Description: /s, '').split(/\r?\n|Trace ID:/)[0] ?? said).trim();
  const code = /AADSTS\d+/.exec(said)?.[0];
  return new CausewayError(
    status !== undefined && status >= 500 ? 'cloud.unavailable' : 'cloud.authentication-failed',
    `${operation}: sign-in: ${first}`,
    {
      details: { operation, ...(status === undefined ? {} : { status }), ...(code === undefined ? {} : { code }) },
    },
  );
}

function failedOperation(operation: string, message: string): CausewayError {
  const said = safeText(message.replace(/^The long-running operation has failed\.?\s*/, ''));
  const code = /^([A-Za-z]+)\./.exec(said)?.[1];
  const isQuota = code !== undefined && quotaCodes.test(code) && /quota|limit|exceed/i.test(said);
  return new CausewayError(
    isQuota ? 'cloud.quota-exceeded' : 'cloud.operation-failed',
    `${operation}: ${said === '' ? 'the operation failed' : said}`,
    {
      details: { operation, ...(code === undefined ? {} : { code }) },
    },
  );
}

/** Without signatures and what else looks like a key. */
export function safeText(text: string): string {
  return textStart(
    text.replaceAll(/([?&](?:sig|se|sp|sv|sr|skoid)=)[^&\s"']+/g, '$1…').replaceAll(/[A-Za-z0-9+/=_-]{80,}/g, '[…]'),
    500,
  );
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

const textOf = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);

function numberOf(value: object, name: string): number | undefined {
  const found = member(value, name);
  return typeof found === 'number' ? found : undefined;
}

function isHeaders(value: unknown): value is { get(name: string): string | undefined } {
  return typeof value === 'object' && value !== null && 'get' in value && typeof value.get === 'function';
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    const code = /<Code>([^<]+)<\/Code>/.exec(text)?.[1];
    const message = /<Message>([^<]+)<\/Message>/.exec(text)?.[1];
    return code === undefined ? undefined : { code, message };
  }
}
