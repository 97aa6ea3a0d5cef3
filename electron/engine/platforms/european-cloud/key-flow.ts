import { createSign, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { retryDelayMs } from '../../http/retry-after.ts';
import type { BackOff } from '../../time/back-off.ts';
import type { Clock } from '../../time/clock.ts';
import { isAmbiguous, isStatus } from '../../http/http-error.ts';
import type { Authorize, HttpClient } from '../../http/http-client.ts';
import type { ServiceAccountKey } from './service-account-key.ts';

const tokenSchema = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

/** A token this close to its end is renewed before it is used, so that no request dies of it on its way. */
const renewBeforeEndMs = 120_000;
const assertionLifeSeconds = 3600;
const fetchDeadlineMs = 120_000;

export interface KeyFlowOptions {
  /** @throws `cloud.key-unreadable` */
  readonly key: () => ServiceAccountKey;
  /** Its base URL is the token endpoint. */
  readonly client: HttpClient;
  readonly clock: Clock;
  readonly backOff: BackOff;
  readonly random: () => number;
}

/** The signed assertion (RFC 7523) that is exchanged for an access token. */
export function signAssertion(key: ServiceAccountKey, wallTimeMs: number): string {
  const issuedAt = Math.floor(wallTimeMs / 1000);
  const encode = (part: object): string => Buffer.from(JSON.stringify(part)).toString('base64url');
  const unsigned = [
    encode({ alg: 'RS512', typ: 'JWT', kid: key.kid }),
    encode({ iss: key.issuer, sub: key.subject, aud: key.audience, jti: randomUUID(), iat: issuedAt, exp: issuedAt + assertionLifeSeconds }),
  ].join('.');
  return `${unsigned}.${createSign('RSA-SHA512').update(unsigned).sign(key.privateKey, 'base64url')}`;
}

/**
 * Gives bearer tokens for requests: fetched by a signed assertion, kept, renewed before they end or when the server
 * says 401. Concurrent requests share one fetch.
 */
export function createKeyFlow(options: KeyFlowOptions): Authorize {
  const { clock } = options;
  let token: { readonly value: string; readonly endsAt: number; readonly fetchedAt: number } | undefined;
  let fetching: Promise<void> | undefined;

  async function fetchToken(): Promise<void> {
    const asked = clock.wallTime();
    const answer = await requestToken(options, options.key(), AbortSignal.timeout(fetchDeadlineMs));
    const lifeMs = (answer.expires_in ?? assertionLifeSeconds) * 1000;
    token = { value: answer.access_token, fetchedAt: asked, endsAt: asked + lifeMs - Math.min(renewBeforeEndMs, lifeMs / 4) };
  }

  return async (renew, signal) => {
    const stale = token === undefined || clock.wallTime() >= token.endsAt || renew;
    if (stale) {
      // The shared fetch has no caller's signal: one caller that gives up must not fail the others.
      fetching ??= fetchToken().finally(() => {
        fetching = undefined;
      });
      await abortable(fetching, signal);
    }
    if (token === undefined) throw new CausewayError('cloud.authentication-failed', 'access token: none was given');
    return `Bearer ${token.value}`;
  };
}

async function requestToken(options: KeyFlowOptions, key: ServiceAccountKey, signal: AbortSignal): Promise<z.infer<typeof tokenSchema>> {
  const operation = `access token for ${key.issuer}`;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await exchange(options, key, operation, signal);
    } catch (error) {
      if (!isAmbiguous(error) || attempt >= options.backOff.attempts) throw error;
      await options.clock.sleep(retryDelayMs(options.backOff, attempt, undefined, options.random), signal);
    }
  }
}

/** One exchange. An assertion is good for one use, so that each attempt signs its own; a token too many does no harm. */
async function exchange(options: KeyFlowOptions, key: ServiceAccountKey, operation: string, signal: AbortSignal): Promise<z.infer<typeof tokenSchema>> {
  const form = { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion: signAssertion(key, options.clock.wallTime()) };
  let body: unknown;
  try {
    ({ body } = await options.client.request({ operation, method: 'POST', path: '', form }, signal));
  } catch (error) {
    if (error instanceof CausewayError && isStatus(error, 400, 401, 403, 404)) {
      throw new CausewayError('cloud.authentication-failed', error.message, { details: error.details, cause: error });
    }
    throw error;
  }
  const parsed = tokenSchema.safeParse(body);
  if (!parsed.success) throw new CausewayError('cloud.unexpected-answer', `${operation}: the answer holds no token`, { details: { operation } });
  return parsed.data;
}

async function abortable<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
