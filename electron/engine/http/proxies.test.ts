import { createServer as createHttpServer, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, expect, it, test, vi } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { usualProxySettings, type ProxySettings } from '../../../shared/model/proxy-settings.ts';
import { makeCertificate } from '../transport/certificates.ts';
import { createHttpClient } from './http-client.ts';
import { inspectorOf, serverTrust } from './server-certificates.ts';
import { testConnection } from './connection-test.ts';
import { httpsAgent } from './https-agent.ts';
import { networkFacts } from './network-facts.ts';
import { isExempt } from './proxy-exceptions.ts';
import { checkProxySettings, proxies, Proxies, type ProxyParts } from './proxies.ts';
import { shownProxy } from './proxy-server.ts';
import { createTransport } from './transport.ts';

const signal = new AbortController().signal;
const noVariables = [
  'CAUSEWAY_PROXY',
  'CAUSEWAY_SSH_PROXY',
  'HTTPS_PROXY',
  'https_proxy',
  'ALL_PROXY',
  'all_proxy',
  'NO_PROXY',
  'no_proxy',
];
const open: (() => unknown)[] = [];
afterEach(() => {
  vi.unstubAllEnvs();
  proxies.use(usualProxySettings);
  for (const close of open.splice(0)) close();
});
const stub = (variables: Readonly<Record<string, string>>): void => {
  // On Windows, names in upper and lower case are one variable: what is given goes last.
  for (const name of noVariables) vi.stubEnv(name, undefined);
  for (const [name, value] of Object.entries(variables)) vi.stubEnv(name, value === '' ? undefined : value);
};

test('the authorities of the operating system are trusted as well', async () => {
  expect(
    (await networkFacts(new Proxies({ environment: () => ({}), readSystem: async () => ({}) }))).systemCertificates,
  ).toEqual(expect.any(Number));
  expect(httpsAgent({}).options.ca).toBeUndefined();
  expect(httpsAgent({ caCertificate: 'pem' }).options).toMatchObject({
    ca: 'pem',
    allowPartialTrustChain: true,
    minVersion: 'TLSv1.2',
  });
});

describe('which proxies lead where', () => {
  const settings = (part: Partial<ProxySettings>, password?: string) => ({ ...usualProxySettings, ...part, password });
  const choose = (parts: Partial<ProxyParts>, part?: Partial<ProxySettings>, password?: string): Proxies => {
    const made = new Proxies({
      environment: () => ({}),
      readSystem: async () => ({}),
      load: async (address) => `script of ${address}`,
      evaluate: async () => 'DIRECT',
      ...parts,
    });
    if (part !== undefined) made.use(settings(part, password));
    return made;
  };
  const ways = async (of: Proxies, host = 'cloud.example'): Promise<readonly string[]> =>
    (await of.waysTo(host, 443, signal)).map((way) =>
      way === 'direct'
        ? way
        : `${way.username === undefined ? '' : `${way.username}:${way.password} at `}${shownProxy(way)}`,
    );

  it('the variable of Causeway, then the settings, then the usual variables, then the system', async () => {
    const system = {
      readSystem: async () => ({
        server: { kind: 'http', host: 'system.example', port: 1 } as const,
        exceptions: '*.near.example,10.*',
      }),
    };
    const usual = { HTTPS_PROXY: 'http://usual.example:2', NO_PROXY: 'near.example' };
    expect(await ways(choose(system))).toEqual(['http://system.example:1']);
    expect(await ways(choose(system), 'a.near.example')).toEqual(['direct']);
    expect(await ways(choose(system), '10.1.2.3')).toEqual(['direct']);
    expect(await ways(choose({ ...system, environment: () => usual }))).toEqual(['http://usual.example:2']);
    expect(await ways(choose({ ...system, environment: () => usual }), 'near.example')).toEqual(['direct']);
    expect(
      await ways(
        choose(
          { ...system, environment: () => usual },
          { mode: 'manual', server: 'set.example:3', exceptions: 'far.example' },
        ),
      ),
    ).toEqual(['http://set.example:3']);
    expect(await ways(choose(system, { mode: 'none' }))).toEqual(['direct']);
    expect(
      await ways(
        choose(
          { ...system, environment: () => ({ CAUSEWAY_PROXY: 'socks5://me:word@own.example' }) },
          { mode: 'none' },
        ),
      ),
    ).toEqual(['me:word at socks5://own.example:1080']);
    expect(await ways(choose({ ...system, environment: () => ({ CAUSEWAY_PROXY: 'none' }) }))).toEqual(['direct']);
    expect(
      await ways(choose({ ...system, environment: () => ({ CAUSEWAY_PROXY: 'system' }) }, { mode: 'none' })),
    ).toEqual(['http://system.example:1']);
    expect(
      await ways(
        choose({
          environment: () => ({ CAUSEWAY_PROXY: 'pac+http://own.example/p.pac' }),
          evaluate: async (script) => `PROXY ${script.length}.example:1`,
        }),
      ),
    ).toEqual(['http://34.example:1']);
    expect(await ways(choose({ environment: () => usual }), '127.0.0.1')).toEqual(['direct']);
  });

  it('a script, asked once for each host, with the sign-in of the settings', async () => {
    const asked: string[] = [];
    let now = 0;
    const of = choose(
      {
        now: () => now,
        evaluate: async (_script, host) => (asked.push(host), 'PROXY a.example:8080; SOCKS b.example; DIRECT'),
      },
      { mode: 'script', script: 'http://x.example/p', username: 'me' },
      'word',
    );
    expect(await Promise.all([ways(of), ways(of)])).toEqual(
      [0, 1].map(() => ['me:word at http://a.example:8080', 'me:word at socks5://b.example:1080', 'direct']),
    );
    expect(await ways(of, 'other.example')).toHaveLength(3);
    expect(asked).toEqual(['cloud.example', 'other.example']);
    of.failed({ kind: 'http', host: 'a.example', port: 8080 });
    expect((await ways(of))[2]).toBe('me:word at http://a.example:8080');
    now = 6 * 60_000;
    expect((await ways(of))[0]).toBe('me:word at http://a.example:8080');
    expect(asked).toHaveLength(3);
  });

  it('a script that fails ends connections only where somebody has set it, and is not tried each time', async () => {
    let loads = 0;
    const load = async (): Promise<string> =>
      Promise.reject(new CausewayError('cloud.proxy-script-failed', `no script ${++loads}`));
    const set = choose({ load }, { mode: 'script', script: 'http://x.example/p' });
    await expect(ways(set)).rejects.toMatchObject({ code: 'cloud.proxy-script-failed' });
    await expect(ways(set, 'other.example')).rejects.toMatchObject({ message: 'no script 1' });
    const detected = choose({
      load,
      readSystem: async () => ({
        scripts: ['http://wpad.a.example/wpad.dat', 'http://wpad.b.example/wpad.dat'],
        server: { kind: 'http', host: 'system.example', port: 1 } as const,
      }),
    });
    expect([await ways(detected), await ways(detected, 'other.example'), loads]).toEqual([
      ['http://system.example:1'],
      ['http://system.example:1'],
      3,
    ]);
    expect(await networkFacts(detected, {})).toMatchObject({
      proxyFrom: 'system',
      scriptFailure: 'no script 2',
      scripts: ['http://wpad.a.example/wpad.dat', 'http://wpad.b.example/wpad.dat'],
    });
    const strange = choose({ evaluate: async () => 'SOCKS4 a:1' }, { mode: 'script', script: 'http://x.example/p' });
    await expect(ways(strange)).rejects.toMatchObject({ message: expect.stringContaining('SOCKS4 a:1') as string });
  });

  it('workers are reached directly unless told otherwise', async () => {
    const to = async (of: Proxies, host = '198.51.100.7') =>
      of.toWorker(host, 22, signal).then((proxy) => proxy && shownProxy(proxy));
    const manual = { mode: 'manual', server: 'http://set.example:3' } as const;
    expect(await to(choose({}, manual))).toBeUndefined();
    expect(await to(choose({}, { ...manual, forWorkers: true }))).toBe('http://set.example:3');
    const environment = {
      CAUSEWAY_SSH_PROXY: 'socks5://proxy.example',
      NO_PROXY: 'intern.example, .lab.example 192.0.2.7',
    };
    expect(await to(choose({ environment: () => environment }, { ...manual, forWorkers: true }))).toBe(
      'socks5://proxy.example:1080',
    );
    for (const host of [
      '127.0.0.1',
      '::1',
      'localhost',
      'intern.example',
      'a.intern.example',
      'A.LAB.example',
      '192.0.2.7',
    ])
      expect([host, await to(choose({ environment: () => environment }), host)]).toEqual([host, undefined]);
    expect(
      await to(choose({ environment: () => ({ CAUSEWAY_SSH_PROXY: 'none' }) }, { ...manual, forWorkers: true })),
    ).toBeUndefined();
  });

  it('is shown without passwords', async () => {
    const facts = await networkFacts(
      choose({ environment: () => ({ HTTPS_PROXY: 'http://me:secret-word@other.example:3128' }) }),
      { CAUSEWAY_SSH_PROXY: 'http://me:secret-word@worker.example:1' },
    );
    expect(facts).toMatchObject({
      proxy: 'http://other.example:3128',
      proxyFrom: 'environment',
      workerProxy: 'http://worker.example:1',
      isOverridden: false,
    });
    expect(JSON.stringify(facts)).not.toContain('secret-word');
  });
});

test.each([
  [{ mode: 'manual', server: '' }],
  [{ mode: 'manual', server: 'http://me:secret-word@a.example' }],
  [{ mode: 'manual', server: 'ftp://a.example' }],
  [{ mode: 'script', script: '' }],
  [{ mode: 'script', script: 'ftp://a.example/x' }],
] as const)('%j is refused', (part) => {
  expect(() => checkProxySettings({ ...usualProxySettings, ...part })).toThrow(
    expect.objectContaining({
      code: 'general.invalid-input',
      message: expect.not.stringContaining('secret-word') as string,
    }) as Error,
  );
});

test.each([
  ['intern.example', 'intern.example, b', true],
  ['a.intern.example', 'intern.example', true],
  ['notintern.example', 'intern.example', false],
  ['x', '*', true],
  ['a.intern.example', '*.intern.example', true],
  ['10.1.2.3', '10.*', true],
  ['110.1.2.3', '10.*', false],
  ['169.254.7.7', '169.254/16', true],
  ['192.0.2.9', '192.0.2.0/28', true],
  ['192.0.2.99', '192.0.2.0/28', false],
  ['server', '<local>', true],
  ['server.example', '<local>', false],
  ['web-1.example', 'web-*.example', true],
])('%s in %j: %s', (host, list, expected) => expect(isExempt(host, list)).toBe(expected));

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
        return socket.end(
          'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\nConnection: close\r\n\r\n',
        );
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
    const cloud = await listening(
      createServer({ cert: certPem, key: keyPem }, (_request, response) => response.end('{"ok":true}')),
    );
    const proxy = await proxyTo(cloud, `Basic ${Buffer.from('me:secret-word').toString('base64')}`);
    stub({ HTTPS_PROXY: `http://me:secret-word@127.0.0.1:${proxy.port}` });
    expect((await send('https://cloud.example', certPem)).body).toEqual({ ok: true });
    expect(await serverTrust('cloud.example', certPem, signal)).toMatchObject({ isVerified: true });
    expect(proxy.asked).toEqual(['cloud.example:443', 'cloud.example:443']);
    stub({ HTTPS_PROXY: `http://me:wrong-word@127.0.0.1:${proxy.port}` });
    const refused = await send('https://cloud.example', certPem).then(
      () => undefined,
      (error: Error) => error,
    );
    expect(refused).toMatchObject({
      code: 'cloud.proxy-refused',
      retryable: false,
      message: expect.stringContaining('407') as string,
    });
    expect(JSON.stringify([refused?.message, refused])).not.toContain('wrong-word');
  });

  it('names the product that replaced the certificate', async () => {
    const { certPem, keyPem } = await makeCertificate('Zscaler Root CA');
    const proxy = await proxyTo(await listening(createServer({ cert: certPem, key: keyPem })));
    stub({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect(send('https://cloud.example')).rejects.toMatchObject({
      code: 'cloud.tls-inspected',
      retryable: false,
      message: expect.stringContaining('Zscaler') as string,
      details: { host: 'cloud.example' },
    });
  });

  it('names the issuer of any other certificate that is not trusted', async () => {
    const { certPem, keyPem } = await makeCertificate('Private CA of Example');
    const proxy = await proxyTo(await listening(createServer({ cert: certPem, key: keyPem })));
    stub({ HTTPS_PROXY: `http://127.0.0.1:${proxy.port}` });
    await expect(send('https://cloud.example')).rejects.toMatchObject({
      code: 'cloud.certificate-not-trusted',
      message: expect.stringContaining('issued by') as string,
    });
  });

  /** A host that is named, so that it is not loopback, and is led to the port of a proxy. */
  const by = (mode: 'manual' | 'script', value: string, more: Partial<ProxySettings> = {}): void => {
    stub({});
    proxies.use({
      ...usualProxySettings,
      mode,
      ...(mode === 'manual' ? { server: value } : { script: value }),
      ...more,
      password: 'secret-word',
    });
  };
  const scriptOf = async (answer: string): Promise<string> =>
    `http://127.0.0.1:${await listening(createHttpServer((_request, response) => response.end(`function FindProxyForURL(url, host) { return ${JSON.stringify(answer)} }`)))}/p.pac`;

  it('goes on to the next of a script’s proxies when one does not respond, and remembers that', async () => {
    const { certPem, keyPem } = await makeCertificate('cloud.example');
    const cloud = await listening(
      createServer({ cert: certPem, key: keyPem }, (_request, response) => response.end('{"ok":true}')),
    );
    const proxy = await proxyTo(cloud);
    const closed = createHttpServer();
    const gone = await listening(closed);
    closed.close();
    by('script', await scriptOf(`PROXY 127.0.0.1:${gone}; PROXY 127.0.0.1:${proxy.port}`));
    expect((await send('https://cloud.example', certPem)).body).toEqual({ ok: true });
    expect((await proxies.waysTo('cloud.example', 443, signal))[0]).toMatchObject({ port: proxy.port });
    proxies.forget();
    expect(await testConnection('cloud.example', signal)).toMatchObject({
      address: 'cloud.example:443',
      ways: [`http://127.0.0.1:${gone}`, `http://127.0.0.1:${proxy.port}`],
      way: `http://127.0.0.1:${proxy.port}`,
      passed: [expect.stringContaining('ECONNREFUSED')],
      isVerified: false,
      reason: 'its certificate is self-signed',
      issuer: expect.stringContaining('cloud.example') as string,
    });
    by('script', await scriptOf(`PROXY 127.0.0.1:${gone}`));
    await expect(send('https://cloud.example', certPem)).rejects.toMatchObject({
      code: 'cloud.unreachable',
      details: { arrived: false },
      message: expect.stringContaining(`127.0.0.1:${gone}`) as string,
    });
    await expect(testConnection('https://cloud.example/x', signal)).rejects.toMatchObject({
      code: 'cloud.unreachable',
    });
    await expect(testConnection('http://cloud.example', signal)).rejects.toMatchObject({
      code: 'general.invalid-input',
    });
  });

  it('speaks TLS to a proxy whose certificate is trusted, and to no other', async () => {
    const { certPem, keyPem } = await makeCertificate('cloud.example');
    const cloud = await listening(
      createServer({ cert: certPem, key: keyPem }, (_request, response) => response.end('{"ok":true}')),
    );
    const own = await makeCertificate('proxy.example');
    const secure = createServer({ cert: own.certPem, key: own.keyPem });
    secure.on('connect', (_incoming, socket: Socket) => {
      const far = connect(cloud, '127.0.0.1', () => {
        socket.write('HTTP/1.1 200 OK\r\n\r\n');
        socket.pipe(far).pipe(socket);
      });
      for (const each of [far, socket]) each.on('error', () => undefined);
    });
    by('manual', `https://127.0.0.1:${await listening(secure)}`);
    await expect(send('https://cloud.example', certPem)).rejects.toMatchObject({
      code: 'transport.proxy-not-trusted',
      details: { host: 'cloud.example' },
    });
  });

  it('signs in to a proxy of the settings', async () => {
    const { certPem, keyPem } = await makeCertificate('cloud.example');
    const cloud = await listening(
      createServer({ cert: certPem, key: keyPem }, (_request, response) => response.end('{"ok":true}')),
    );
    const proxy = await proxyTo(cloud, `Basic ${Buffer.from('me:secret-word').toString('base64')}`);
    by('manual', `127.0.0.1:${proxy.port}`, { username: 'me' });
    expect((await send('https://cloud.example', certPem)).body).toEqual({ ok: true });
    by('manual', `127.0.0.1:${proxy.port}`);
    await expect(send('https://cloud.example', certPem)).rejects.toMatchObject({
      code: 'cloud.proxy-refused',
      message: expect.stringContaining('it accepts Basic') as string,
    });
  });
});
