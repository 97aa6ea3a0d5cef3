import { abortable } from '../../../concurrency/abortable.ts';
import type { Transport, TransportAnswer, TransportRequest } from '../../../http/transport.ts';

/**
 * Signs in with the first request, then goes on with the session that the manager's cookies name: each request with a password
 * would open another session there, and their number is limited. A session that has ended is replaced by a new one.
 */
export function sessionTransport(
  inner: Transport,
  { username, password }: { readonly username: string; readonly password: string },
  onDate: (date: string) => void = () => undefined,
): Transport {
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const cookies = new Map<string, string>();
  /** Resolves when the request is answered that signs in; others wait for it, so that they do not open sessions of their own. */
  let signingIn: Promise<void> | undefined;

  async function send(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer> {
    const proof: Record<string, string> =
      cookies.size > 0
        ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
        : { authorization: basic };
    const answer = await inner.send({ ...request, headers: { ...request.headers, ...proof } }, signal);
    const date = answer.headers.get('date');
    if (date !== null) onDate(date);
    if (answer.status < 400)
      for (const [name, value] of cookiesOf(answer.headers.get('set-cookie'))) cookies.set(name, value);
    return answer;
  }

  async function sendInSession(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer> {
    if (cookies.size === 0 && signingIn !== undefined) await abortable(signingIn, signal);
    if (cookies.size > 0 || signingIn !== undefined) return send(request, signal);
    const { promise, resolve } = Promise.withResolvers<void>();
    signingIn = promise;
    try {
      return await send(request, signal);
    } finally {
      signingIn = undefined;
      resolve();
    }
  }

  return {
    async send(request, signal) {
      const session = [...cookies.values()].join();
      const answer = await sendInSession(request, signal);
      if (answer.status !== 401 || session === '') return answer;
      // Rejected unread, so any request can be sent again. Another one may have opened a new session since.
      if ([...cookies.values()].join() === session) cookies.clear();
      return sendInSession(request, signal);
    },
    close: () => inner.close(),
  };
}

/** Several `Set-Cookie` headers come as one text; a date in one of them has a comma as well. */
export function cookiesOf(header: string | null): readonly (readonly [name: string, value: string])[] {
  return (header ?? '').split(/,\s*(?=[^;,=\s]+=)/).flatMap((cookie) => {
    const pair = cookie.split(';')[0] ?? '';
    const at = pair.indexOf('=');
    return at < 1 ? [] : [[pair.slice(0, at).trim(), pair.slice(at + 1).trim()] as const];
  });
}
