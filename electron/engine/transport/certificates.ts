import { createHash, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';

/** A self-signed certificate with its key, both PEM. Lives in memory only. */
export interface Certificate {
  readonly certPem: string;
  readonly keyPem: string;
  /** SHA-256 of the certificate's DER bytes, hex: what is pinned. */
  readonly fingerprint: string;
}

const dayMs = 24 * 60 * 60 * 1000;
// A fresh worker's clock may be off by a time zone or a day; what secures the link is the pin, not the dates.
const clockSkewMs = 2 * dayMs;

/**
 * Makes a P-256 key and a certificate that it signs itself, good for one worker's life. Both sides trust exactly this
 * certificate, so no authority, name or revocation plays a part.
 */
export async function makeCertificate(commonName: string, lifetimeMs: number = 14 * dayMs): Promise<Certificate> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const body = tbsCertificate(commonName, publicKey, new Date(now - clockSkewMs), new Date(now + lifetimeMs));
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, ecdsaWithSha256, bitString(signature));
  const base64 = der.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    certPem: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}

// DER, as far as one certificate of one form needs it (RFC 5280; ITU-T X.690).
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));

function tbsCertificate(commonName: string, publicKey: KeyObject, notBefore: Date, notAfter: Date): Buffer {
  const name = sequence(node(0x31, sequence(objectId('550403'), node(0x0c, Buffer.from(commonName)))));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and no leading zero
  const isAuthority = sequence(objectId('551d13'), node(0x01, Buffer.from([0xff])), node(0x04, sequence(node(0x01, Buffer.from([0xff])))));
  return sequence(
    node(0xa0, node(0x02, Buffer.from([2]))),
    node(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    node(0xa3, sequence(isAuthority)),
  );
}

function node(tag: number, ...parts: readonly Buffer[]): Buffer {
  const content = Buffer.concat(parts);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...parts: readonly Buffer[]): Buffer {
  return node(0x30, ...parts);
}

function objectId(hex: string): Buffer {
  return node(0x06, Buffer.from(hex, 'hex'));
}

function bitString(bits: Buffer): Buffer {
  return node(0x03, Buffer.from([0]), bits);
}

function time(date: Date): Buffer {
  const digits = date.toISOString().replace(/[-:T]|\.\d+/g, '');
  return date.getUTCFullYear() < 2050 ? node(0x17, Buffer.from(digits.slice(2))) : node(0x18, Buffer.from(digits));
}
