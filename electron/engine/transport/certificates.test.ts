import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { makeCertificate } from './certificates.ts';

describe('a certificate made for a worker', () => {
  it('is well formed, signed by itself, and has the fingerprint that is pinned', async () => {
    const made = await makeCertificate('causeway worker', 60_000);
    const parsed = new X509Certificate(made.certPem);
    expect(parsed.subject).toBe('CN=causeway worker');
    expect(parsed.verify(parsed.publicKey)).toBe(true);
    expect(parsed.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(made.fingerprint);
    expect(parsed.checkPrivateKey((await import('node:crypto')).createPrivateKey(made.keyPem))).toBe(true);
    expect(parsed.validToDate.getTime()).toBeLessThanOrEqual(Date.now() + 60_000);
    expect(parsed.validFromDate.getTime()).toBeLessThan(Date.now());
  });

  it('is another one each time', async () => {
    const [one, other] = await Promise.all([makeCertificate('a'), makeCertificate('a')]);
    expect(one.fingerprint).not.toBe(other.fingerprint);
  });
});
