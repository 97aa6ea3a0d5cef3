import { Readable } from 'node:stream';
import type { ComputeManagementClientOptionalParams } from '@azure/arm-compute';
import type { StoragePipelineOptions } from '@azure/storage-blob';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { didNotArrive, isAmbiguous, isPassingStatus, transportError } from '../../../http/http-error.ts';
import { safeBaseUrl } from '../../../http/http-client.ts';
import { parseRetryAfter, retryDelayMs } from '../../../http/retry-after.ts';
import { deadline } from '../../../time/deadline.ts';
import type { Transport, TransportAnswer } from '../../../http/transport.ts';
import { createRequestPace } from './request-pace.ts';
import type { RetryContext } from '../../../cloud-resources/retry-context.ts';

/** What the vendor's libraries send their requests with. */
export type SdkHttp = NonNullable<ComputeManagementClientOptionalParams['httpClient']>;
type StorageHttp = NonNullable<StoragePipelineOptions['httpClient']>;
type SdkRequest = Parameters<SdkHttp['sendRequest']>[0];
type SdkAnswer = Awaited<ReturnType<SdkHttp['sendRequest']>>;
type SdkHeaders = SdkAnswer['headers'];

/** Where the bytes of a part of a blob go, without the library's streams in between, which copy them twice. */
export interface AnswerPlace {
  readonly into: Uint8Array;
  /** Set by the answer that was put there. */
  isFilled: boolean;
}

interface PlacedRequest extends SdkRequest {
  readonly place?: AnswerPlace | undefined;
}

/** Stands in errors of this file until the caller puts its own words there. */
export const anyOperation = 'request';

/** POSTs that do no more when they are carried out twice. */
const repeatablePosts =
  /\/(?:beginGetAccess|endGetAccess|deallocate|powerOff|start|retrieveBootDiagnosticsData|listKeys|oauth2\/v2\.0\/(?:token|devicecode))$/i;

/**
 * The requests of the vendor's libraries over the transport of all platforms: with its proxies and certificates, with pauses that
 * a test can hurry, and without a copy of an answer in any log. Passing failures are repeated here and nowhere else.
 */
export function createSdkHttp(transport: Transport, { timing, clock, random }: RetryContext): SdkHttp {
  const pace = createRequestPace(clock);
  async function attempt(request: PlacedRequest, signal: AbortSignal): Promise<TransportAnswer> {
    const url = new URL(request.url);
    // Tokens of managed identities come from an address of the machine itself, without TLS.
    if (request.allowInsecureConnection !== true) safeBaseUrl(url.origin);
    const timeout = deadline(
      clock,
      request.timeout > 0 ? Math.min(request.timeout, timing.requestMs) : timing.requestMs,
    );
    try {
      const headers = Object.fromEntries(
        Object.entries(request.headers.toJSON()).filter(([name]) => name.toLowerCase() !== 'content-length'),
      );
      const answer = await transport.send(
        { url, method: request.method, headers, ...bodyOf(request), into: request.place?.into },
        AbortSignal.any([signal, timeout.signal]),
      );
      if (request.place !== undefined) request.place.isFilled = answer.isInPlace === true;
      return answer;
    } catch (thrown) {
      signal.throwIfAborted();
      if (thrown instanceof CausewayError) throw thrown;
      throw transportError(
        { operation: anyOperation, method: 'GET', path: '' },
        url.host,
        timeout.signal.aborted ? new Error('no response before the request timeout') : thrown,
      );
    } finally {
      timeout.callOff();
    }
  }

  return {
    async sendRequest(request) {
      const signal = signalOf(request);
      const url = new URL(request.url);
      const isRepeatable = request.method !== 'POST' || repeatablePosts.test(url.pathname);
      for (let number = 1; ; number += 1) {
        signal.throwIfAborted();
        let failure: CausewayError | undefined;
        let answer: TransportAnswer | undefined;
        let again: boolean;
        await pace.before(request.method, url, signal);
        try {
          answer = await attempt(request, signal);
          pace.after(request.method, url, answer, parseRetryAfter(answer.headers.get('retry-after'), clock.wallTime()));
          again = isPassingStatus(answer.status) && (isRepeatable || answer.status === 429);
        } catch (thrown) {
          if (!(thrown instanceof CausewayError)) throw thrown;
          failure = thrown;
          again = didNotArrive(thrown) || (isRepeatable && isAmbiguous(thrown));
        }
        if (!again || number >= timing.backOff.attempts) {
          if (answer === undefined) throw failure ?? new Error('no answer');
          return asSdkAnswer(request, answer);
        }
        const retryAfterMs = parseRetryAfter(answer?.headers.get('retry-after') ?? null, clock.wallTime());
        await clock.sleep(retryDelayMs(timing.backOff, number, retryAfterMs, random), signal);
      }
    },
  };
}

/** The same for the storage library, which has headers of an older form. @param place where the part of a blob goes that is asked for */
export function asStorageHttp(http: SdkHttp, place?: AnswerPlace): StorageHttp {
  return {
    async sendRequest(request) {
      const { url, method, body, timeout, abortSignal, streamResponseStatusCodes } = request;
      const inner = {
        url,
        method,
        body: body as unknown,
        timeout,
        abortSignal,
        streamResponseStatusCodes,
        place,
        headers: { toJSON: () => request.headers.rawHeaders() },
      };
      const { status, bodyAsText, readableStreamBody, headers } = await http.sendRequest(
        inner as unknown as SdkRequest,
      );
      const answer = { request, status, bodyAsText, readableStreamBody, headers: { toJson: () => headers.toJSON() } };
      return answer as unknown as Awaited<ReturnType<StorageHttp['sendRequest']>>;
    },
  };
}

/** The library's signal may be of its own making; one of the platform is needed to combine it. */
function signalOf({ abortSignal }: SdkRequest): AbortSignal {
  if (abortSignal instanceof AbortSignal) return abortSignal;
  const controller = new AbortController();
  if (abortSignal?.aborted === true) controller.abort();
  abortSignal?.addEventListener('abort', () => controller.abort());
  return controller.signal;
}

function bodyOf({ body }: SdkRequest): { readonly body: string | undefined; readonly bytes?: Uint8Array } {
  if (body === undefined || body === null) return { body: undefined };
  if (typeof body === 'string') return { body };
  if (body instanceof ArrayBuffer) return { body: undefined, bytes: new Uint8Array(body) };
  if (ArrayBuffer.isView(body))
    return { body: undefined, bytes: new Uint8Array(body.buffer, body.byteOffset, body.byteLength) };
  throw new CausewayError('general.bug', 'a request body of a library is neither text nor bytes');
}

function asSdkAnswer(request: SdkRequest, { status, headers, bytes, isInPlace }: TransportAnswer): SdkAnswer {
  const streamed = request.streamResponseStatusCodes;
  const asStream = streamed !== undefined && (streamed.has(status) || streamed.has(Number.POSITIVE_INFINITY));
  return {
    request,
    status,
    headers: new AnswerHeaders(headers),
    // One without an end has nothing to say about bytes that are elsewhere; the caller destroys it.
    ...(asStream
      ? {
          readableStreamBody:
            isInPlace === true
              ? new Readable({ read: () => undefined })
              : Readable.from([bytes], { objectMode: false }),
        }
      : { bodyAsText: bytes.toString('utf8') }),
  };
}

/** Headers as the libraries read them; they add some of their own. */
class AnswerHeaders implements SdkHeaders {
  readonly #headers: Headers;

  constructor(headers: Headers) {
    this.#headers = new Headers(headers);
  }

  get(name: string): string | undefined {
    return this.#headers.get(name) ?? undefined;
  }

  has(name: string): boolean {
    return this.#headers.has(name);
  }

  set(name: string, value: string | number | boolean): void {
    this.#headers.set(name, String(value));
  }

  delete(name: string): void {
    this.#headers.delete(name);
  }

  toJSON(): Record<string, string> {
    return Object.fromEntries(this.#headers);
  }

  [Symbol.iterator](): Iterator<[string, string]> {
    return this.#headers.entries();
  }
}
