import { connect, createServer } from 'node:tls';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { describe, expect, it } from 'vitest';
import { createWindowsCertificate, createWindowsPassword, windowsWorkerUserData } from './windows-worker-user-data.ts';

describe('user data of a Windows worker', () => {
  it("has WinRM listen with the certificate made here, and fits into every cloud's limit", async () => {
    const certificate = await createWindowsCertificate();
    const text = windowsWorkerUserData(createWindowsPassword(), certificate);
    expect(Buffer.from(text).toString('base64').length).toBeLessThan(16_000);
    expect(text).not.toMatch(/New-SelfSignedCertificate/);
    expect(text).not.toContain(certificate.keyPem.split('\n')[1]);
    const pfx = Buffer.from(/FromBase64String\('([^']+)'\)/.exec(text)?.[1] ?? '', 'base64');
    const passphrase = /\$filePassword = ConvertTo-SecureString '([^']+)'/.exec(text)?.[1] ?? '';
    const server = createServer({ pfx, passphrase });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const socket = connect({
      port: (server.address() as AddressInfo).port,
      host: '127.0.0.1',
      rejectUnauthorized: false,
    });
    await once(socket, 'secureConnect');
    expect(socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase()).toBe(
      certificate.fingerprint,
    );
    socket.destroy();
    server.close();
  });
});
