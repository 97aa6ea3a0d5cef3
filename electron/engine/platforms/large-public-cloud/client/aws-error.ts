import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { textStart } from '../../../../../shared/model/cut-text.ts';
import type { ErrorCode } from '../../../../../shared/model/errors/catalogue.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { isWayError, transportError } from '../../../http/http-error.ts';

/** What was asked for, for errors. */
export interface Asked {
  /** In a few words with names, e.g. `list VMs`. */
  readonly operation: string;
  /** What a policy has to allow for it, e.g. `ec2:DescribeInstances`. */
  readonly action: string;
  readonly host: string;
}

/** The service's error codes, and what they mean here. The first pattern that fits counts. */
const meanings: readonly (readonly [RegExp, ErrorCode])[] = [
  [
    /^(?:AuthFailure|InvalidClientTokenId|InvalidAccessKeyId|MissingAuthenticationToken|SignatureDoesNotMatch|IncompleteSignature|UnrecognizedClientException|InvalidSignatureException|ExpiredToken|ExpiredTokenException|RequestExpired)$/,
    'cloud.authentication-failed',
  ],
  [/^(?:CredentialsProviderError|TokenProviderError|ProviderError)$/, 'cloud.authentication-failed'],
  [
    /^(?:UnauthorizedOperation|AccessDenied|AccessDeniedException|OptInRequired|Blocked|PendingVerification)$/,
    'cloud.permission-denied',
  ],
  [
    /^(?:RequestLimitExceeded|Throttling|ThrottlingException|RequestThrottled|RequestThrottledException|TooManyRequestsException|EC2ThrottledException|SnapshotCreationPerVolumeRateExceeded|ConcurrentSnapshotLimitExceeded|ConcurrentLimitExceededException|BandwidthLimitExceeded)$/,
    'cloud.rate-limited',
  ],
  [/(?:\.NotFound|\.Malformed|\.Unavailable)$|^ResourceNotFoundException$/, 'cloud.not-found'],
  [
    /^(?:IncorrectState|IncorrectInstanceState|VolumeInUse|DependencyViolation|ConflictException|ResourceInUse|IdempotentInstanceTerminated)$|\.InUse$/,
    'cloud.conflict',
  ],
  [
    /LimitExceeded(?:Exception)?$|^(?:ServiceQuotaExceededException|InsufficientFreeAddressesInSubnet|InsufficientAddressCapacity)$/,
    'cloud.quota-exceeded',
  ],
  [/^Insufficient/, 'cloud.operation-failed'],
  [
    /^(?:InternalError|InternalFailure|InternalServerException|ServerInternal|ServiceUnavailable|Unavailable|RequestTimeout|RequestTimeoutException)$/,
    'cloud.unavailable',
  ],
];

/** Nothing was decided: the same request may have been carried out, or works later. */
const ambiguous: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'cloud.rate-limited',
  'cloud.unavailable',
  'cloud.no-answer',
  'cloud.unexpected-answer',
]);

interface SdkError extends Error {
  readonly Code?: string;
  readonly Reason?: string;
  readonly $metadata?: { readonly httpStatusCode?: number; readonly requestId?: string };
  readonly $response?: { readonly statusCode?: number };
}

/** An error of the SDK as one of the engine's. It never carries what a request was signed with. */
export function asAwsError(thrown: unknown, asked: Asked, signal: AbortSignal): unknown {
  if (signal.aborted)
    return signal.reason instanceof CausewayError
      ? signal.reason
      : new CausewayError('general.cancelled', `${asked.operation}: cancelled`, { cause: signal.reason });
  if (isWayError(thrown))
    return transportError({ operation: asked.operation, method: 'POST', path: '/' }, asked.host, thrown);
  if (!(thrown instanceof Error) || thrown instanceof CausewayError) return thrown;
  const error = thrown as SdkError;
  const status = error.$metadata?.httpStatusCode ?? error.$response?.statusCode;
  const known = meanings.find(([pattern]) => pattern.test(error.name))?.[1];
  if (known === undefined && status === undefined) return withoutAnswer(error, asked);
  // Errors of the protocol's own form name a code; what a gateway says in between does not.
  const code =
    known ??
    (status !== undefined && status >= 500
      ? 'cloud.unavailable'
      : status === 429
        ? 'cloud.rate-limited'
        : isRefusal(error, status)
          ? 'cloud.request-refused'
          : 'cloud.unexpected-answer');
  const details: JsonObject = {
    operation: asked.operation,
    code: error.name,
    ...(status === undefined ? {} : { status }),
    ...(error.Reason === undefined ? {} : { reason: error.Reason }),
    ...(error.$metadata?.requestId === undefined ? {} : { requestId: error.$metadata.requestId }),
    ...(code === 'cloud.permission-denied' ? { action: asked.action } : {}),
    ...(ambiguous.has(code) ? { ambiguous: true } : {}),
  };
  const needed = code === 'cloud.permission-denied' ? ` (${asked.action})` : '';
  return new CausewayError(code, `${asked.operation}${needed}: ${error.name}: ${evidence(error.message)}`, { details });
}

const isRefusal = (error: SdkError, status: number | undefined): boolean =>
  status !== undefined && status >= 400 && error.name !== 'Error' && error.name !== 'SyntaxError';

function withoutAnswer(error: SdkError, { operation, host }: Asked): CausewayError {
  const failed = transportError({ operation, method: 'POST', path: '/' }, host, error);
  // A cut answer is read as an error of the parser.
  return failed.details['network'] === undefined && error.name === 'SyntaxError'
    ? new CausewayError('cloud.unexpected-answer', `${operation}: ${host}: ${evidence(error.message)}`, {
        details: { operation, host, ambiguous: true },
      })
    : failed;
}

/** Messages quote tokens and encoded authorization details. */
const evidence = (message: string): string => textStart(message.replaceAll(/[A-Za-z0-9+/=_-]{80,}/g, '[…]'), 500);

/** Whether the error is the service's own of this code. */
export function isAwsCode(error: unknown, ...codes: readonly string[]): boolean {
  return (
    error instanceof CausewayError && typeof error.details['code'] === 'string' && codes.includes(error.details['code'])
  );
}

/** Whether an EBS direct request was refused for this reason. */
export function isReason(error: unknown, ...reasons: readonly string[]): boolean {
  return (
    error instanceof CausewayError &&
    typeof error.details['reason'] === 'string' &&
    reasons.includes(error.details['reason'])
  );
}

/** Resolves with whether there was what a request is for. */
export async function wasThere(asked: Promise<unknown>): Promise<boolean> {
  try {
    await asked;
    return true;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cloud.not-found') return false;
    throw error;
  }
}
