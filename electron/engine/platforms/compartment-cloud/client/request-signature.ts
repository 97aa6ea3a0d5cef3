import { createHash, sign, type KeyObject } from 'node:crypto';
import type { Transport, TransportAnswer, TransportRequest } from '../../../http/transport.ts';
import type { Clock } from '../../../time/clock.ts';

/** What requests are signed with, and how the service knows the key. */
export interface SigningKey {
  readonly keyId: string;
  readonly privateKey: KeyObject;
}

/** @param renew the service has refused the last key: a token behind it may have ended */
export type SigningKeySource = (renew: boolean, signal: AbortSignal) => Promise<SigningKey>;

const bodyMethods = ['POST', 'PUT', 'PATCH'];

/**
 * The headers that a request is signed by: HTTP signatures with RSA and SHA-256 over the request's first line, date and host, and
 * over its body where the method has one.
 */
export function signedHeaders(
  request: TransportRequest,
  { keyId, privateKey }: SigningKey,
  wallTime: number,
): Record<string, string> {
  const { url, method } = request;
  const own: Record<string, string> = { date: new Date(wallTime).toUTCString(), host: url.host };
  const signed: (readonly [string, string])[] = [
    ['date', own['date'] ?? ''],
    ['(request-target)', `${method.toLowerCase()} ${url.pathname}${url.search}`],
    ['host', url.host],
  ];
  if (bodyMethods.includes(method)) {
    const body = request.bytes ?? Buffer.from(request.body ?? '');
    own['content-type'] =
      Object.entries(request.headers).find(([name]) => name.toLowerCase() === 'content-type')?.[1] ??
      'application/json';
    own['x-content-sha256'] = createHash('sha256').update(body).digest('base64');
    signed.push(
      ['content-length', String(body.length)],
      ['content-type', own['content-type']],
      ['x-content-sha256', own['x-content-sha256']],
    );
  }
  const text = signed.map(([name, value]) => `${name}: ${value}`).join('\n');
  const signature = sign('RSA-SHA256', Buffer.from(text), privateKey).toString('base64');
  const names = signed.map(([name]) => name).join(' ');
  return {
    ...own,
    authorization: `Signature version="1",keyId="${keyId}",algorithm="rsa-sha256",headers="${names}",signature="${signature}"`,
  };
}

/** Signs each request as it is sent: a repetition has another date, and so another signature. After a refusal the key is renewed once. */
export function signingTransport(inner: Transport, keys: SigningKeySource, clock: Clock): Transport {
  async function send(request: TransportRequest, renew: boolean, signal: AbortSignal): Promise<TransportAnswer> {
    const key = await keys(renew, signal);
    // A request without a body, but of a method that has one, says that its length is 0.
    const whole =
      bodyMethods.includes(request.method) && request.body === undefined && request.bytes === undefined
        ? { ...request, bytes: new Uint8Array(0) }
        : request;
    return inner.send(
      { ...whole, headers: { ...request.headers, ...signedHeaders(whole, key, clock.wallTime()) } },
      signal,
    );
  }
  return {
    async send(request, signal) {
      const answer = await send(request, false, signal);
      return answer.status === 401 ? send(request, true, signal) : answer;
    },
    close: () => inner.close(),
  };
}
