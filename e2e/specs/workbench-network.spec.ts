import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, request as forward, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../electron/engine/transport/certificates.ts';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';

let workbench: Workbench;
let script: string;
let proxy: number;
const settings = mkdtempSync(join(tmpdir(), 'causeway-settings-'));
const servers: (Server | HttpServer)[] = [];
const sockets = new Set<Socket>();

const listening = async (server: Server | HttpServer): Promise<number> => {
  servers.push(server);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
};

beforeAll(async () => {
  const { certPem, keyPem } = await makeCertificate('cloud.example');
  const cloud = await listening(createServer({ cert: certPem, key: keyPem }));
  const forwarding = createHttpServer();
  forwarding.on('connect', (asked, socket: Socket) => {
    if (asked.headers['proxy-authorization'] !== `Basic ${Buffer.from('me:secret-word').toString('base64')}`)
      return void socket.end(
        'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\n\r\n',
      );
    const far = connect(cloud, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(far).pipe(socket);
    });
    for (const each of [socket, far]) each.on('error', () => undefined);
  });
  proxy = await listening(forwarding);
  const pac = `function FindProxyForURL(url, host) { return shExpMatch(host, '*.example') ? 'PROXY 127.0.0.1:${proxy}' : 'DIRECT' }`;
  script = `http://127.0.0.1:${await listening(createHttpServer((_request, response) => response.end(pac)))}/proxy.pac`;
  workbench = await openWorkbenchInBrowser(['--settings', settings]);
});
afterAll(async () => {
  await workbench?.close();
  for (const socket of sockets) socket.destroy();
  for (const server of servers) server.close();
  rmSync(settings, { recursive: true, force: true });
});

describe('the network settings of the workbench', () => {
  it('take a script, test a connection by it, and say what the proxy answered', async () => {
    const { page } = workbench;
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('combobox', { name: 'Proxy' }).click();
    await page.getByRole('option', { name: 'Script (PAC)' }).click();
    await page.getByLabel('Address of the script').fill('not an address');
    await page.getByRole('button', { name: 'Save network settings' }).click();
    await page.getByText('must begin with http://, https:// or file://').waitFor();
    await page.getByLabel('Address of the script').fill(script);
    await page.getByLabel('User name for the proxy').fill('me');
    await page.getByRole('button', { name: 'Save network settings' }).click();
    await page.getByText(`As the script says: ${script}`).waitFor();
    await page.getByLabel('Address to test').fill('https://cloud.example');
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText('The proxy did not open the connection to the cloud').waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'did not open' }).innerText()).toContain('it accepts Basic');
  });

  it('keep a password for the session, and show by which proxy a server was reached', async () => {
    const { page } = workbench;
    await page.getByLabel('Password for the proxy').fill('secret-word');
    await page.getByRole('button', { name: 'Save password' }).click();
    await page.getByText('A password is set until the workbench closes').waitFor();
    await page.getByLabel('Address to test').fill('cloud.example:443');
    await page.getByRole('button', { name: 'Test connection' }).click();
    await page.getByText(`cloud.example:443 was reached through http://127.0.0.1:${proxy}.`).waitFor();
    expect(await page.getByRole('alert').filter({ hasText: 'was reached' }).innerText()).toContain(
      'its certificate is self-signed',
    );
    expect(await page.content()).not.toContain('secret-word');
  });

  it('are the same after another start of the page, and in German', async () => {
    const { page } = workbench;
    await page.getByRole('combobox', { name: 'Language' }).click();
    await page.getByRole('option', { name: 'Deutsch' }).click();
    await page.getByRole('heading', { level: 2, name: 'Netzwerk' }).waitFor();
    await page.getByText(`Wie das Skript sagt: ${script}`).waitFor();
    expect(await page.getByLabel('Adresse des Skripts').inputValue()).toBe(script);
    expect(workbench.complaints).toEqual([]);
  });
});

/** As proxies of companies do it: requests are passed on, tunnels only to port 443, so that no WebSocket is opened. */
async function startStrictProxy(): Promise<{
  readonly url: string;
  readonly refused: string[];
  readonly passed: string[];
}> {
  const refused: string[] = [];
  const passed: string[] = [];
  const server = createHttpServer((asked, answer) => {
    passed.push(`${asked.method} ${new URL(asked.url ?? '').pathname}`);
    const onward = forward(asked.url ?? '', { method: asked.method, headers: asked.headers }, (answered) => {
      answer.writeHead(answered.statusCode ?? 502, answered.headers);
      answered.pipe(answer);
    });
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    asked.pipe(onward);
  });
  server.on('connect', (asked, socket: Socket) => {
    refused.push(asked.url ?? '');
    socket.on('error', () => undefined).end('HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n');
  });
  return { url: `http://127.0.0.1:${await listening(server)}`, refused, passed };
}

describe('a browser with a proxy that opens no WebSockets', () => {
  it('shows the workbench, calls it, hears what happens, and notices when it is gone', async () => {
    const strict = await startStrictProxy();
    const behind = await openWorkbenchInBrowser(
      ['--settings', mkdtempSync(join(settings, 'behind-'))],
      process.env,
      strict.url,
    );
    try {
      const { page } = behind;
      await page.getByRole('link', { name: 'Settings', exact: true }).click();
      await page.getByRole('combobox', { name: 'Proxy' }).click();
      await page.getByRole('option', { name: 'Script (PAC)' }).click();
      await page.getByLabel('Address of the script').fill(script);
      await page.getByRole('button', { name: 'Save network settings' }).click();
      await page.getByText(`As the script says: ${script}`).waitFor();
      expect(strict.refused).toContain(new URL(behind.url).host);
      expect(new Set(strict.passed.filter((line) => line.startsWith('POST')))).toEqual(
        new Set(['POST /contract/open', 'POST /contract/send', 'POST /contract/receive']),
      );
      await page.reload();
      await page.getByRole('link', { name: 'Settings', exact: true }).waitFor();
      process.kill(behind.hostPid, 'SIGKILL');
      await page.getByRole('button', { name: 'Reconnect' }).waitFor();
    } finally {
      await behind.close();
    }
  });
});
