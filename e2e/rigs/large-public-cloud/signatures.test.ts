import { describe, expect, it } from 'vitest';
import type { KitRequest } from '../cloud-kit/call.ts';
import { verifySignature } from './signatures.ts';

/** The worked example of the vendor's documentation of signature version 4: a GET of IAM, with all intermediate results. */
const key = {
  id: 'AKIDEXAMPLE',
  secret: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
  arn: 'arn:aws:iam::123456789012:user/example',
};
const keys = new Map([[key.id, key]]);
const at = Date.parse('2015-08-30T12:36:00Z');
const signature = '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7';

const request = (more: Partial<Record<string, string>> = {}): KitRequest => ({
  method: 'GET',
  url: new URL('https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08'),
  headers: {
    host: 'iam.amazonaws.com',
    'content-type': 'application/x-www-form-urlencoded; charset=utf-8',
    'x-amz-date': '20150830T123600Z',
    authorization: `AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20150830/us-east-1/iam/aws4_request, SignedHeaders=content-type;host;x-amz-date, Signature=${signature}`,
    ...more,
  },
  raw: Buffer.alloc(0),
});
const verify = (given: KitRequest, now = at) => verifySignature(given, 'iam' as never, 'us-east-1', keys, now);

describe('a signature of version 4', () => {
  it('is the one of the documented example', () => {
    expect(verify(request())).toBe(key);
  });

  it.each([
    ['another header', { 'content-type': 'text/plain' }],
    ['another host', { host: 'ec2.amazonaws.com' }],
    ['no signature', { authorization: 'none' }],
  ])('is refused with %s', (_, more) => {
    expect(() => verify(request(more))).toThrow();
  });

  it('is refused with another body, query or path, and at another time', () => {
    expect(() => verify({ ...request(), raw: Buffer.from('x') })).toThrow(/signature/);
    expect(() =>
      verify({ ...request(), url: new URL('https://iam.amazonaws.com/?Action=ListRoles&Version=2010-05-08') }),
    ).toThrow(/signature/);
    expect(() =>
      verify({ ...request(), url: new URL('https://iam.amazonaws.com/x?Action=ListUsers&Version=2010-05-08') }),
    ).toThrow(/signature/);
    expect(() => verify(request(), at + 20 * 60_000)).toThrow(/date/);
  });
});
