import type { Transport, TransportAnswer, TransportRequest } from '../../../http/transport.ts';

/**
 * Signs in with the first request, then goes on with the session that the manager's cookies name: each request with a password
 * would open another session there, and their number is limited. A session that has ended is replaced by a new one.
 */
export function sessionTransport(inner: Transport, { username, password }: { readonly username: string; readonly password: string }): Transport {
  const basic = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;
  const cookies = new Map<string, string>();

  async function send(request: TransportRequest, signal: AbortSignal): Promise<TransportAnswer> {
    const proof: Record<string, string> = cookies.size > 0
      ? { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }
      : { authorization: basic };
    const answer = await inner.send({ ...request, headers: { ...request.headers, ...proof } }, signal);
    if (answer.status < 400) for (const [name, value] of cookiesOf(answer.headers.get('set-cookie'))) cookies.set(name, value);
    return answer;
  }

  return {
    async send(request, signal) {
      const hadSession = cookies.size > 0;
      const answer = await send(request, signal);
      if (answer.status !== 401 || !hadSession) return answer;
      // Rejected unread, so any request can be sent again.
      cookies.clear();
      return send(request, signal);
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
