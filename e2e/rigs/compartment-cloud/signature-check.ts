import { createHash, createPublicKey, verify, type KeyObject } from 'node:crypto';
import { ApiError } from '../cloud-kit/call.ts';
import type { KitRequest } from '../cloud-kit/call.ts';

const refuse = (why: string): ApiError =>
  new ApiError(401, `The required information to complete authentication was not provided or was incorrect. (${why})`, {
    code: 'NotAuthenticated',
  });
/** How far the date of a request may be off. */
const allowedSkewMs = 5 * 60_000;

/**
 * The service's half of HTTP signatures: takes the header apart, puts the signed text together from the request as it came in, and
 * holds the signature against the public key that is known by the key's id.
 */
export class SignatureCheck {
  readonly #keys = new Map<string, KeyObject>();
  readonly #now: () => number;
  /** Ids of the keys that signed what was accepted. */
  readonly seen: string[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  register(keyId: string, publicKeyPem: string): void {
    this.#keys.set(keyId, createPublicKey(publicKeyPem));
  }

  forget(keyId: string): void {
    this.#keys.delete(keyId);
  }

  /** @throws what the API answers to a request that is not signed, or not well */
  check(request: KitRequest): void {
    const { method, url, headers, raw } = request;
    const given = headers.authorization ?? '';
    if (!given.startsWith('Signature ')) throw refuse('no signature');
    const parts = Object.fromEntries(
      [...given.slice('Signature '.length).matchAll(/(\w+)="([^"]*)"/g)].map((match) => [
        match[1] ?? '',
        match[2] ?? '',
      ]),
    );
    const { version, keyId = '', algorithm, headers: names = '', signature = '' } = parts;
    if (version !== '1' || algorithm !== 'rsa-sha256') throw refuse('version or algorithm');
    const signed = names.split(' ');
    const hasBody = ['POST', 'PUT', 'PATCH'].includes(method);
    const needed = [
      'date',
      '(request-target)',
      'host',
      ...(hasBody ? ['content-length', 'content-type', 'x-content-sha256'] : []),
    ];
    const absent = needed.find((name) => !signed.includes(name));
    if (absent !== undefined) throw refuse(`${absent} is not signed`);
    const date = Date.parse(String(headers['date'] ?? ''));
    if (Number.isNaN(date) || Math.abs(date - this.#now()) > allowedSkewMs) throw refuse('the date is too far off');
    if (hasBody && headers['x-content-sha256'] !== createHash('sha256').update(raw).digest('base64'))
      throw refuse('the digest of the body differs');
    const text = signed
      .map(
        (name) =>
          `${name}: ${name === '(request-target)' ? `${method.toLowerCase()} ${url.pathname}${url.search}` : String(headers[name] ?? '')}`,
      )
      .join('\n');
    const key = this.#keys.get(keyId);
    if (key === undefined) throw refuse('the key is not known');
    if (!verify('sha256', Buffer.from(text), key, Buffer.from(signature, 'base64')))
      throw refuse('the signature is wrong');
    this.seen.push(keyId);
  }
}
