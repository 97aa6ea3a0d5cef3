import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import {
  createHttpClient,
  type Authorize,
  type HttpClient,
  type HttpClientOptions,
} from '../../../http/http-client.ts';
import type { Clock } from '../../../time/clock.ts';
import type { ClassicConnection } from './connection.ts';

export const mediaType = 'application/oracle-compute-v3+json';

/** The platform ends a session after half an hour, whether it is used or not. */
const sessionMs = 25 * 60_000;

/** A session by cookie, which is made anew before it ends, and when the platform no longer takes it. */
export interface CookieSession {
  readonly authorize: Authorize;
  forget(): void;
}

export function cookieSession(
  connection: ClassicConnection,
  options: Omit<HttpClientOptions, 'baseUrl' | 'authorize'>,
  clock: Clock,
): CookieSession {
  const client = createHttpClient({ ...options, baseUrl: connection.apiUrl });
  let current: { readonly cookie: string; readonly since: number } | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  async function fresh(refused: string | undefined, signal: AbortSignal): Promise<string> {
    if (current !== undefined && current.cookie !== refused && clock.monotonic() - current.since < sessionMs)
      return current.cookie;
    const since = clock.monotonic();
    current = { cookie: await signIn(client, connection, signal), since };
    return current.cookie;
  }
  return {
    authorize(renew, signal) {
      const refused = renew ? current?.cookie : undefined;
      // One after the other: those who wait get the session that the first one made.
      const mine = turn.then(() => fresh(refused, signal));
      turn = mine.catch(() => undefined);
      return mine;
    },
    forget() {
      current = undefined;
    },
  };
}

async function signIn(client: HttpClient, { user, password }: ClassicConnection, signal: AbortSignal): Promise<string> {
  const operation = 'sign in';
  const answer = await client.request(
    {
      // A second session beside the first one does no harm.
      operation,
      method: 'POST',
      path: '/authenticate/',
      json: { user, password },
      headers: { accept: mediaType, 'content-type': mediaType },
      idempotent: true,
    },
    signal,
  );
  // Several cookies are joined with commas, which a date has as well, but not before a name and "=".
  const cookies = [...(answer.headers.get('set-cookie') ?? '').matchAll(/(?:^|,\s*)([^=;,\s]+=[^;,]*)/g)].map(
    (match) => match[1] ?? '',
  );
  if (cookies.length > 0) return cookies.join('; ');
  throw new CausewayError('cloud.unexpected-answer', `${operation}: HTTP ${answer.status} without a cookie`, {
    details: { operation, status: answer.status },
  });
}
