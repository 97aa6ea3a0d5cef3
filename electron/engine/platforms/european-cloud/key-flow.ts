import { createSign, randomUUID } from 'node:crypto';
import { z } from 'zod';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { retryDelayMs } from '../../http/retry-after.ts';
import type { BackOff } from '../../time/back-off.ts';
import type { Clock } from '../../time/clock.ts';
import { isAmbiguous, isStatus } from '../../http/http-error.ts';
import type { Authorize, HttpClient } from '../../http/http-client.ts';
import { createTokenKeeper } from '../../http/token-keeper.ts';
import type { ServiceAccountKey } from './service-account-key.ts';

const tokenSchema = z.looseObject({ access_token: z.string().min(1), expires_in: z.number().positive().optional() });

const assertionLifeSeconds = 3600;

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
    encode({
      iss: key.issuer,
      sub: key.subject,
      aud: key.audience,
      jti: randomUUID(),
      iat: issuedAt,
      exp: issuedAt + assertionLifeSeconds,
    }),
  ].join('.');
  return `${unsigned}.${createSign('sha512').update(unsigned).sign(key.privateKey, 'base64url')}`;
}

/**
 * Gives bearer tokens for requests: fetched by a signed assertion, kept, renewed before they end or when the server
 * says 401. Concurrent requests share one fetch.
 */
export function createKeyFlow(options: KeyFlowOptions): Authorize {
  const keeper = createTokenKeeper({
    clock: options.clock,
    async fetch(signal) {
      const answer = await requestToken(options, options.key(), signal);
      return { token: answer.access_token, lifeMs: (answer.expires_in ?? assertionLifeSeconds) * 1000 };
    },
  });
  return async (renew, signal) => `Bearer ${await keeper(renew, signal)}`;
}

async function requestToken(
  options: KeyFlowOptions,
  key: ServiceAccountKey,
  signal: AbortSignal,
): Promise<z.infer<typeof tokenSchema>> {
  const operation = `access token for ${key.issuer}`;
  let aheadMs = 0;
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await exchange(options, key, aheadMs, operation, signal);
    } catch (error) {
      // An assertion has to be valid by the server's clock; that of a laptop may be wrong by hours.
      const skew =
        error instanceof CausewayError && error.code === 'cloud.authentication-failed'
          ? error.details['clockAheadMs']
          : undefined;
      if (aheadMs === 0 && typeof skew === 'number') {
        aheadMs = skew;
        continue;
      }
      if (!isAmbiguous(error) || attempt >= options.backOff.attempts) throw error;
      await options.clock.sleep(retryDelayMs(options.backOff, attempt, undefined, options.random), signal);
    }
  }
}

/** One exchange; `aheadMs`: how much this computer's clock is ahead of the server's. An assertion is good for one use, so that each attempt signs its own; a token too many does no harm. */
async function exchange(
  options: KeyFlowOptions,
  key: ServiceAccountKey,
  aheadMs: number,
  operation: string,
  signal: AbortSignal,
): Promise<z.infer<typeof tokenSchema>> {
  const form = {
    grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
    assertion: signAssertion(key, options.clock.wallTime() - aheadMs),
  };
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
  if (!parsed.success)
    throw new CausewayError('cloud.unexpected-answer', `${operation}: the response contains no token`, {
      details: { operation },
    });
  return parsed.data;
}
