import { abortable } from '../../../concurrency/abortable.ts';
import type { SdkHttp } from './sdk-http.ts';

type SdkRequest = Parameters<SdkHttp['sendRequest']>[0];

/**
 * A token can be refused before its time: the principal's secret was changed, its sessions were ended, this computer's clock is wrong. The libraries
 * keep theirs until it expires, and with it every request would fail for an hour. A request that is refused is sent once more with a new
 * token, and those that come with the refused one later get the new one too. What is refused was not carried out, so that this is right for each request.
 *
 * @param renew signs in again and remembers nothing of before
 */
export function withFreshTokens(
  http: SdkHttp,
  renew: (options: { readonly abortSignal: AbortSignal }) => Promise<string>,
): SdkHttp {
  /** By the token that was refused. */
  const replaced = new Map<string, Promise<string>>();

  async function replacement(token: string): Promise<string> {
    let now = token;
    for (let next = replaced.get(now); next !== undefined; next = replaced.get(now)) now = await next;
    return now;
  }

  function renewed(refused: string): Promise<string> {
    const known = replaced.get(refused);
    if (known !== undefined) return known;
    // Shared by all requests that were refused: the one that gives up must not fail the others.
    const made = renew({ abortSignal: AbortSignal.timeout(signInMs) });
    replaced.set(refused, made);
    const forget = (): boolean => replaced.delete(refused);
    // Some ways of signing in give a token that they gave before: that replaces nothing.
    void made.then((token) => void ((token === refused || replaced.has(token)) && forget()), forget);
    return made;
  }

  return {
    async sendRequest(request) {
      const sent = bearerOf(request);
      if (sent === undefined) return http.sendRequest(request);
      const signal = request.abortSignal instanceof AbortSignal ? request.abortSignal : new AbortController().signal;
      const token = await abortable(replacement(sent), signal);
      const answer = await send(http, request, token, sent);
      if (answer.status !== 401) return answer;
      const next = await abortable(renewed(token), signal);
      return next === token ? answer : send(http, request, next, sent);
    },
  };
}

const signInMs = 60_000;

async function send(
  http: SdkHttp,
  request: SdkRequest,
  token: string,
  sent: string,
): ReturnType<SdkHttp['sendRequest']> {
  if (token === sent) return http.sendRequest(request);
  const headers = { toJSON: () => ({ ...withoutToken(request), authorization: `Bearer ${token}` }) };
  const again = Object.create(request, { headers: { value: headers } }) as SdkRequest;
  // The libraries know an answer by the request that they made.
  return { ...(await http.sendRequest(again)), request };
}

function withoutToken(request: SdkRequest): Record<string, string> {
  return Object.fromEntries(
    Object.entries(request.headers.toJSON()).filter(([name]) => name.toLowerCase() !== 'authorization'),
  );
}

function bearerOf(request: SdkRequest): string | undefined {
  const header = Object.entries(request.headers.toJSON()).find(([name]) => name.toLowerCase() === 'authorization')?.[1];
  return header?.startsWith('Bearer ') === true ? header.slice('Bearer '.length) : undefined;
}
