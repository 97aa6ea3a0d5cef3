import { execFileSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { afterEach, beforeEach, describe, expect, inject, it } from 'vitest';
import { makeCertificate } from './certificates.ts';
import { pkcs12 } from './pkcs12.ts';

describe('a certificate with its key as one file', () => {
  let folder: string;
  beforeEach(async () => void (folder = await mkdtemp(join(tmpdir(), 'causeway-pfx-'))));
  afterEach(() => rm(folder, { recursive: true, force: true }));

  it.skipIf(inject('lacking').includes('openssl'))(
    'is read by OpenSSL, which finds the same certificate and key',
    async () => {
      const made = await makeCertificate('causeway-worker', 60_000, 'server');
      const path = join(folder, 'a.pfx');
      await writeFile(path, pkcs12(made, 'pass-Wörd'));
      const read = (...options: string[]): string =>
        execFileSync('openssl', ['pkcs12', '-in', path, '-passin', 'pass:pass-Wörd', '-nodes', ...options], {
          encoding: 'utf8',
        });
      const pem = read();
      expect(
        new X509Certificate(/-----BEGIN CERT[\s\S]*?END CERT\S+/.exec(pem)?.[0] ?? '').raw.equals(
          new X509Certificate(made.certPem).raw,
        ),
      ).toBe(true);
      expect(/-----BEGIN PRIVATE KEY[\s\S]*?END PRIVATE KEY-----/.exec(pem)?.[0]).toBe(made.keyPem.trim());
      expect(new X509Certificate(made.certPem).keyUsage).toEqual(['1.3.6.1.5.5.7.3.1']);
      expect(() =>
        execFileSync('openssl', ['pkcs12', '-in', path, '-passin', 'pass:other', '-noout'], { stdio: 'ignore' }),
      ).toThrow();
    },
  );

  it('is read by this runtime, and is small enough for user data', async () => {
    const pfx = pkcs12(await makeCertificate('causeway-worker'), 'secret');
    expect(() => createSecureContext({ pfx, passphrase: 'secret' })).not.toThrow();
    expect(() => createSecureContext({ pfx, passphrase: 'other' })).toThrow();
    expect(pfx.length).toBeLessThan(2_000);
  });
});
