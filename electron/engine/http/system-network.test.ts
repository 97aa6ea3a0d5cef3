import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { Agent } from 'node:https';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { makeCertificate } from '../transport/certificates.ts';
import { createHttpClient } from './http-client.ts';
import { inspectorOf, serverTrust } from './server-certificates.ts';
import { agentOptions, httpsProxy, macProxy, networkFacts, useSystemProxy, windowsProxy } from './system-network.ts';
import { createTransport } from './transport.ts';

const signal = new AbortController().signal;
const noVariables = { HTTPS_PROXY: '', https_proxy: '', HTTP_PROXY: '', http_proxy: '', NO_PROXY: '', no_proxy: '' };
const open: (() => unknown)[] = [];
afterEach(async () => {
  vi.unstubAllEnvs();
  await useSystemProxy('win32', async () => '');
  for (const close of open.splice(0)) close();
});
const stub = (variables: Readonly<Record<string, string>>): void => {
  for (const [name, value] of Object.entries({ ...noVariables, ...variables })) vi.stubEnv(name, value === '' ? undefined : value);
};

const windows = (lines: string): string => `\r\nHKEY_CURRENT_USER\\Software\\Microsoft\\Windows\\CurrentVersion\\Internet Settings\r\n    User Agent    REG_SZ    Mozilla/4.0\r\n${lines.replaceAll('\n', '\r\n')}\r\n\r\n`;

test.each([
  ['on', '    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    proxy.example:8080\n    ProxyOverride    REG_SZ    *.intern.example;10.*;<local>', { HTTPS_PROXY: 'http://proxy.example:8080', NO_PROXY: 'localhost,127.0.0.1,::1,*.intern.example' }],
  ['off', '    ProxyEnable    REG_DWORD    0x0\n    ProxyServer    REG_SZ    proxy.example:8080', {}],
  ['by protocol', '    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    http=a.example:80;https=b.example:443', { HTTPS_PROXY: 'http://b.example:443', NO_PROXY: 'localhost,127.0.0.1,::1' }],
  ['by script', '    ProxyEnable    REG_DWORD    0x0\n    AutoConfigURL    REG_SZ    http://wpad.example/proxy.pac', { script: 'http://wpad.example/proxy.pac' }],
])('the proxy of Windows’ settings: %s', (_what, lines, proxy) => expect(windowsProxy(windows(lines))).toEqual(proxy));

test('the proxy of macOS’ settings', () => {
  const printed = `<dictionary> {
  ExceptionsList : <array> {
    0 : *.local
    1 : 169.254/16
    2 : intern.example
  }
  HTTPEnable : 1
  HTTPPort : 80
  HTTPProxy : other.example
  HTTPSEnable : 1
  HTTPSPort : 8080
  HTTPSProxy : proxy.example
  ProxyAutoConfigEnable : 1
  ProxyAutoConfigURLString : https://wpad.example/proxy.pac
}
`;
  expect(macProxy(printed)).toEqual({ HTTPS_PROXY: 'http://proxy.example:8080', NO_PROXY: 'localhost,127.0.0.1,::1,*.local,intern.example', script: 'https://wpad.example/proxy.pac' });
  expect(macProxy(printed.replaceAll('Enable : 1', 'Enable : 0'))).toEqual({});
});

test('the environment comes before the system, and what is shown has no password', async () => {
  stub({});
  await useSystemProxy('win32', async () => windows('    ProxyEnable    REG_DWORD    0x1\n    ProxyServer    REG_SZ    proxy.example:8080\n    ProxyOverride    REG_SZ    near.example'));
  expect(networkFacts()).toMatchObject({ proxy: 'http://proxy.example:8080', proxyFrom: 'system', noProxy: expect.stringContaining('near.example') as string });
  expect(httpsProxy('cloud.example')).toEqual({ host: 'proxy.example', port: 8080 });
  expect([httpsProxy('near.example'), httpsProxy('127.0.0.1'), httpsProxy('a.near.example')]).toEqual([undefined, undefined, undefined]);
  stub({ HTTPS_PROXY: 'http://me:secret-word@other.example:3128' });
  expect(networkFacts()).toMatchObject({ proxy: 'http://other.example:3128', proxyFrom: 'environment' });
  expect(httpsProxy('near.example')).toEqual({ host: 'other.example', port: 3128, username: 'me', password: 'secret-word' });
  stub({});
  expect(await useSystemProxy('darwin', async () => Promise.reject(new Error('no scutil')))).toEqual({});
  expect(networkFacts()).toMatchObject({ proxy: undefined, proxyFrom: 'none' });
});

test('the authorities of the operating system are trusted as well', () => {
  expect(networkFacts().systemCertificates).toEqual(expect.any(Number));
  expect(agentOptions({}).ca).toBeUndefined();
  expect(agentOptions({ caCertificate: 'pem' })).toMatchObject({ ca: 'pem', allowPartialTrustChain: true });
});

test.each([
  [['CN=www.example.com', 'O=Zscaler Inc., CN=Zscaler Intermediate Root CA (zscaler.net)'], 'Zscaler'],
  [['C=US, O=Netskope Inc, CN=ca.example.goskope.com'], 'Netskope'],
  [['C=US, O=DigiCert Inc, CN=DigiCert Global G2 TLS RSA SHA256 2020 CA1'], undefined],
  [['O=Esetra, CN=Presets CA'], undefined],
  [[], undefined],
])('%j is issued by an inspecting proxy: %s', (issuers, name) => expect(inspectorOf(issuers)).toBe(name));

describe('through a proxy', () => {
  const listening = async (server: Server | HttpServer): Promise<number> => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    open.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  };
  const request = { operation: 'read thing', method: 'GET', path: '/' } as const;
  const once = { attempts: 1, firstMs: 1, capMs: 1 };
  /** A proxy that leads every name to one port, and refuses without the right sign-in. */
  const proxyTo = async (port: number, authorization?: string) => {
    const asked: string[] = [];
    const proxy = createHttpServer();
    const sockets = new Set<Socket>();
    proxy.on('connect', (incoming, socket: Socket) => {
      asked.push(incoming.url ?? '');
      sockets.add(socket);
      socket.on('error', () => undefined);
      if (authorization !== undefined && incoming.headers['proxy-authorization'] !== authorization) {
        return socket.end('HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\nConnection: close\r\n\r\n');
      }
      const far = connect(port, '127.0.0.1');
      far.on('error', () => socket.destroy());
      far.once('connect', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(far).pipe(socket);
      });
    });
    open.push(() => sockets.forEach((socket) => socket.destroy()));
    return { asked, port: await listening(proxy) };
  };
  const send = (url: string, caCertificate?: string) => {
    const transport = createTransport(caCertificate === undefined ? {} : { caCertificate });
    open.unshift(() => transport.close());
    return createHttpClient({ baseUrl: url, transport, backOff: once }).request(request, signal);
  };

  it('reaches the cloud with the sign-in of the variable, and says when it is refused', async () => {
    const { certPem, keyPem } = await makeCertificate('cloud.example');
    const cloud = await listening(createServer({ cert: certPem, key: keyPem }, (_request, response) => response.end('{"ok":true}')));
    const proxy = await proxyTo(cloud, `Basic ${Buffer.from('me:secret-word').toString('base64')}`);
    stub({ HTTPS_PROXY: `http://me:secret-word@127.0.0.1:${proxy.port}` });
    expect((await send('https://cloud.example', certPem)).body).toEqual({ ok: true });
    expect(await serverTrust('cloud.example', certPem, signal)).toMatchObject({ isVerified: true });
    expect(proxy.asked).toEqual(['cloud.example:443', 'cloud.example:443']);
    stub({ HTTPS_PROXY: `http://me:wrong-word@127.0.0.1:${proxy.port}` });
    const refused = await send('https://cloud.example', certPem).then(() => undefined, (error: Error) => error);
    expect(refused).toMatchObject({ code: 'cloud.proxy-refused', retryable: false, message: expect.stringContaining('407') as string });
    expect(JSON.stringify([refused?.message, refused])).not.toContain('wrong-word');
  });

  it('names the product that replaced the certificate', async () => {
    const { certPem, keyPem } = await makeCertificate('Zscaler Root CA');
    const proxy = await proxyTo(await listening(createServer({ cert: certPem, key: keyPem })));
    stub({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect(send('https://cloud.example')).rejects.toMatchObject({ code: 'cloud.tls-inspected', retryable: false, message: expect.stringContaining('Zscaler') as string, details: { host: 'cloud.example' } });
  });

  it('names the issuer of any other certificate that is not trusted', async () => {
    const { certPem, keyPem } = await makeCertificate('Private CA of Example');
    const proxy = await proxyTo(await listening(createServer({ cert: certPem, key: keyPem })));
    stub({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect(send('https://cloud.example')).rejects.toMatchObject({ code: 'cloud.certificate-not-trusted', message: expect.stringContaining('issued by') as string });
  });
});

test('agents take the options as they are', () => {
  expect(() => new Agent(agentOptions({}))).not.toThrow();
});
