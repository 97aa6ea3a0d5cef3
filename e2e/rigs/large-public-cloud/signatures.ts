import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { ApiError, type KitRequest } from '../cloud-kit/call.ts';
import type { ServiceName } from './sdk-models.ts';

/** An access key that the cloud knows. */
export interface AccessKey {
  readonly id: string;
  readonly secret: string;
  /** Temporary keys only count together with their token. */
  readonly sessionToken?: string;
  /** Since 1970, milliseconds. */
  readonly endsAt?: number;
  readonly arn: string;
}

const longestSkewMs = 15 * 60_000;
const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
const hmac = (key: string | Buffer, data: string): Buffer => createHmac('sha256', key).update(data).digest();
const encoded = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`);

/**
 * Checks a request's signature of version 4 by its documented steps: canonical request, text to sign, signing key.
 *
 * @returns the key that it was signed with
 */
export function verifySignature(
  request: KitRequest,
  service: ServiceName,
  region: string,
  keys: ReadonlyMap<string, AccessKey>,
  now: number,
): AccessKey {
  const refuse = (code: string, message: string): ApiError =>
    new ApiError(service === 'ec2' ? 401 : 403, message, { code });
  const header = (name: string): string => {
    const value = request.headers[name];
    return Array.isArray(value) ? value.join(',') : (value ?? '');
  };
  const said =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/([^/]+)\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header('authorization'),
    );
  if (said === null)
    throw refuse(service === 'ec2' ? 'AuthFailure' : 'MissingAuthenticationToken', 'the request is not signed');
  const [, id = '', day = '', signedRegion, signedService, names = '', signature = ''] = said;
  const key = keys.get(id);
  if (key === undefined)
    throw refuse(
      service === 'ec2' ? 'AuthFailure' : service === 'sts' ? 'InvalidClientTokenId' : 'UnrecognizedClientException',
      'the access key is not known',
    );
  const expired = service === 'sts' ? 'ExpiredToken' : service === 'ec2' ? 'RequestExpired' : 'ExpiredTokenException';
  if (key.sessionToken !== undefined && header('x-amz-security-token') !== key.sessionToken)
    throw refuse(service === 'ec2' ? 'AuthFailure' : 'UnrecognizedClientException', 'the session token is not valid');
  if (key.endsAt !== undefined && key.endsAt <= now) throw refuse(expired, 'the session token has expired');
  if (signedRegion !== region || signedService !== service)
    throw refuse('SignatureDoesNotMatch', `the credential is for ${signedService} in ${signedRegion}`);
  const date = header('x-amz-date');
  const at = Date.parse(date.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'));
  if (Number.isNaN(at) || !date.startsWith(day) || Math.abs(at - now) > longestSkewMs)
    throw refuse('SignatureDoesNotMatch', 'the date of the signature is not now');

  const signed = names.split(';');
  for (const needed of ['host', 'x-amz-date', ...(key.sessionToken === undefined ? [] : ['x-amz-security-token'])]) {
    if (!signed.includes(needed)) throw refuse('SignatureDoesNotMatch', `the header ${needed} is not signed`);
  }
  const query = [...request.url.searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&');
  const canonical = [
    request.method,
    request.url.pathname.split('/').map(encoded).join('/'),
    query,
    ...signed.map((name) => `${name}:${header(name).trim().replace(/ +/g, ' ')}`),
    '',
    names,
    sha256(request.raw),
  ].join('\n');
  const scope = `${day}/${region}/${service}/aws4_request`;
  const signing = ['aws4_request'].reduce(
    (last, part) => hmac(last, part),
    hmac(hmac(hmac(`AWS4${key.secret}`, day), region), service),
  );
  const expected = hmac(signing, ['AWS4-HMAC-SHA256', date, scope, sha256(canonical)].join('\n'));
  if (!timingSafeEqual(expected, Buffer.from(signature, 'hex')))
    throw refuse('SignatureDoesNotMatch', 'the signature is not the one of this request');
  return key;
}
