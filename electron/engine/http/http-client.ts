import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { retryDelayMs, defaultBackOff, parseRetryAfter } from './retry-after.ts';
import type { BackOff } from '../time/back-off.ts';
import { systemClock, type Clock } from '../time/clock.ts';
import { deadline } from '../time/deadline.ts';
import { didNotArrive, isPassingStatus, isAmbiguous, isWayError, statusError, transportError } from './http-error.ts';
import { isIdempotent, type HttpAnswer, type HttpRequest } from './http-request.ts';
import { createTransport, type Transport, type TransportAnswer } from './transport.ts';

/** Gives the value of a request's authorization header. `renew` is true once, after the server answered 401. */
export type Authorize = (renew: boolean, signal: AbortSignal) => Promise<string>;

export interface HttpClientOptions {
  /** `https://…`, or `http://` on loopback. */
  readonly baseUrl: string;
  readonly authorize?: Authorize;
  /** The header that carries it, where it is not `authorization`. */
  readonly authorizationHeader?: string;
  readonly transport?: Transport;
  readonly clock?: Clock;
  readonly backOff?: BackOff;
  readonly random?: () => number;
  readonly timeoutMs?: number;
}

export interface HttpClient {
  /**
   * Sends a request and waits for its answer. Passing failures (429, 5xx, a broken connection) are tried again with
   * back-off when the request is idempotent or surely did not arrive. An answer outside of 2xx is an error.
   *
   * @throws `CausewayError` with a `cloud.*` code; `details.ambiguous` is true when the request may have been carried out.
   */
  request(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  readonly host: string;
}

export function createHttpClient(options: HttpClientOptions): HttpClient {
  const base = safeBaseUrl(options.baseUrl);
  const transport = options.transport ?? createTransport();
  const clock = options.clock ?? systemClock;
  const backOff = options.backOff ?? defaultBackOff;
  const random = options.random ?? Math.random;

  async function attempt(request: HttpRequest, renew: boolean, signal: AbortSignal): Promise<HttpAnswer> {
    const authorization = await options.authorize?.(renew, signal);
    const timeout = deadline(clock, request.timeoutMs ?? options.timeoutMs ?? 60_000);
    try {
      const answer = await transport.send(
        {
          url: urlOf(base, request),
          method: request.method,
          headers: headersOf(request, authorization, options.authorizationHeader),
          body: bodyOf(request),
          bytes: request.data,
        },
        AbortSignal.any([signal, timeout.signal]),
      );
      return { status: answer.status, headers: answer.headers, body: parsed(request, answer) };
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof CausewayError && !isWayError(thrown)) throw thrown;
      throw transportError(
        request,
        base.host,
        timeout.signal.aborted ? new Error('no response before the request timeout') : thrown,
      );
    } finally {
      timeout.callOff();
    }
  }

  return {
    host: base.host,
    async request(request, signal) {
      let renewed = false;
      for (let number = 1; ; number += 1) {
        signal.throwIfAborted();
        let failure: CausewayError;
        let retryAfterMs: number | undefined;
        let again: boolean;
        try {
          let answer = await attempt(request, false, signal);
          if (answer.status === 401 && options.authorize !== undefined && !renewed) {
            // The server rejected it unread, so any request can be sent again.
            renewed = true;
            answer = await attempt(request, true, signal);
          }
          if (answer.status >= 200 && answer.status < 300) return answer;
          failure = statusError(request, answer.status, answer.body, {
            ...requestIdOf(answer),
            ...skewOf(answer, clock.wallTime()),
          });
          retryAfterMs = parseRetryAfter(answer.headers.get('retry-after'), clock.wallTime());
          again = isIdempotent(request) && isPassingStatus(answer.status);
        } catch (thrown) {
          if (!(thrown instanceof CausewayError)) throw thrown;
          failure = thrown;
          again = didNotArrive(thrown) || (isIdempotent(request) && isAmbiguous(thrown));
        }
        if (!again || number >= backOff.attempts) throw failure;
        await clock.sleep(retryDelayMs(backOff, number, retryAfterMs, random), signal);
      }
    },
  };
}

/** Tokens travel to this address: TLS, or this very machine. */
export function safeBaseUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const loopback = url !== undefined && /^(localhost|127(\.\d+){3}|\[::1\])$/.test(url.hostname);
  if (
    url === undefined ||
    !(url.protocol === 'https:' || (url.protocol === 'http:' && loopback)) ||
    url.username !== ''
  ) {
    throw new CausewayError(
      'cloud.insecure-address',
      `${url === undefined ? 'not an address' : `${url.protocol}//${url.host}`}: expected https://…`,
    );
  }
  return url;
}

function urlOf(base: URL, request: HttpRequest): URL {
  const url = new URL(base.pathname.replace(/\/$/, '') + request.path, base);
  for (const [name, value] of Object.entries(request.query ?? {})) url.searchParams.set(name, value);
  return url;
}

function headersOf(
  request: HttpRequest,
  authorization: string | undefined,
  authorizationHeader = 'authorization',
): Record<string, string> {
  return {
    accept: 'application/json',
    'user-agent': 'causeway',
    ...(request.json === undefined ? {} : { 'content-type': 'application/json' }),
    ...(request.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
    ...request.headers,
    ...(authorization === undefined ? {} : { [authorizationHeader]: authorization }),
  };
}

function bodyOf(request: HttpRequest): string | undefined {
  if (request.json !== undefined) return JSON.stringify(request.json);
  return request.form === undefined ? undefined : new URLSearchParams(request.form).toString();
}

/** Less than this is the way of the answer and the rounding of its date. */
const smallestSkewMs = 30_000;

/** By how many milliseconds this computer's clock is ahead of the server's, where they differ: signed requests are refused then. */
function skewOf({ headers }: HttpAnswer, wallTime: number): { clockAheadMs?: number } {
  const aheadMs = wallTime - Date.parse(headers.get('date') ?? '');
  return Math.abs(aheadMs) >= smallestSkewMs ? { clockAheadMs: aheadMs } : {};
}

function requestIdOf(answer: HttpAnswer): { requestId?: string } {
  const requestId =
    answer.headers.get('x-request-id') ??
    answer.headers.get('x-openstack-request-id') ??
    answer.headers.get('opc-request-id');
  return requestId === null ? {} : { requestId };
}

/** JSON where there is some. A failure's text that is no JSON (a gateway's page) is evidence; a success's is an error. */
function parsed(request: HttpRequest, { status, headers, bytes }: TransportAnswer): unknown {
  if (request.bytes === true && status >= 200 && status < 300) return bytes;
  const text = bytes.toString('utf8');
  if (text.trim() === '') return undefined;
  try {
    return JSON.parse(text);
  } catch {
    if (status < 200 || status > 299) return text.startsWith('<') ? undefined : text;
    throw new CausewayError('cloud.unexpected-answer', `${request.operation}: HTTP ${status} without JSON`, {
      details: {
        operation: request.operation,
        status,
        contentType: headers.get('content-type') ?? '',
        ambiguous: true,
      },
    });
  }
}
