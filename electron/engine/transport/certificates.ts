import { createHash, generateKeyPair, randomBytes, sign, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import { bitString, node, objectId, sequence, time } from './der.ts';

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
 *
 * @param use `server`: marked as a server's, which Windows demands of what it listens with
 */
export async function makeCertificate(
  commonName: string,
  lifetimeMs: number = 14 * dayMs,
  use: 'any' | 'server' = 'any',
): Promise<Certificate> {
  const { publicKey, privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const body = tbsCertificate(commonName, publicKey, new Date(now - clockSkewMs), new Date(now + lifetimeMs), use);
  const signature = sign('sha256', body, privateKey);
  const der = sequence(body, ecdsaWithSha256, bitString(signature));
  const base64 = der.toString('base64').replace(/.{64}(?=.)/g, '$&\n');
  return {
    certPem: `-----BEGIN CERTIFICATE-----\n${base64}\n-----END CERTIFICATE-----\n`,
    keyPem: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    fingerprint: createHash('sha256').update(der).digest('hex'),
  };
}

// One form of certificate (RFC 5280).
const ecdsaWithSha256 = sequence(objectId('2a8648ce3d040302'));

function tbsCertificate(
  commonName: string,
  publicKey: KeyObject,
  notBefore: Date,
  notAfter: Date,
  use: 'any' | 'server',
): Buffer {
  const name = sequence(node(0x31, sequence(objectId('550403'), node(0x0c, Buffer.from(commonName)))));
  const serial = randomBytes(16);
  serial[0] = ((serial[0] ?? 0) & 0x7f) | 0x40; // positive, and no leading zero
  const isAuthority = sequence(
    objectId('551d13'),
    node(0x01, Buffer.from([0xff])),
    node(0x04, sequence(node(0x01, Buffer.from([0xff])))),
  );
  const serverUse = sequence(objectId('551d25'), node(0x04, sequence(objectId('2b06010505070301'))));
  return sequence(
    node(0xa0, node(0x02, Buffer.from([2]))),
    node(0x02, serial),
    ecdsaWithSha256,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey.export({ type: 'spki', format: 'der' }),
    node(0xa3, sequence(use === 'server' ? serverUse : isAuthority)),
  );
}
