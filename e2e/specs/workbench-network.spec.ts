import { mkdtempSync, rmSync } from 'node:fs';
import { createServer as createHttpServer, request as forward, type Server as HttpServer } from 'node:http';
import { createServer, type Server } from 'node:https';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeCertificate } from '../../electron/engine/transport/certificates.ts';
import { openWorkbenchInBrowser, type Workbench } from '../hosts/workbench-in-browser.ts';
import { closedAfterAll } from '../rigs/opened.ts';
import { soon } from '../hosts/screen-steps.ts';

let workbench: Workbench;
let script: string;
let proxy: number;
const settings = mkdtempSync(join(tmpdir(), 'causeway-settings-'));
const sockets = new Set<Socket>();
const opened = closedAfterAll();
opened.defer(() => rmSync(settings, { recursive: true, force: true }));

const listening = async (server: Server | HttpServer): Promise<number> => {
  opened.defer(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
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
  workbench = opened.use(await openWorkbenchInBrowser(['--settings', settings]));
});

describe('the network settings of the workbench', () => {
  it('take a script, test a connection by it, and say what the proxy answered', async () => {
    const { page } = workbench;
    await page.getByRole('link', { name: 'Settings', exact: true }).click();
    await page.getByRole('combobox', { name: 'Proxy', exact: true }).click();
    await page.getByRole('option', { name: 'Script (PAC)', exact: true }).click();
    await page.getByLabel('Address of the script', { exact: true }).fill('not an address');
    await page.getByRole('button', { name: 'Save network settings', exact: true }).click();
    await page
      .getByText('Details: the address of the proxy script must begin with http://, https:// or file://', {
        exact: true,
      })
      .waitFor();
    await page.getByLabel('Address of the script', { exact: true }).fill(script);
    await page.getByLabel('User name for the proxy', { exact: true }).fill('me');
    await page.getByRole('button', { name: 'Save network settings', exact: true }).click();
    await page.getByText(`As the script says: ${script}`, { exact: true }).waitFor();
    await page.getByLabel('Address to test', { exact: true }).fill('https://cloud.example');
    await page.getByRole('button', { name: 'Test connection', exact: true }).click();
    await page.getByText('The proxy did not open the connection to the cloud', { exact: true }).waitFor();
    await soon(() => page.getByRole('alert').filter({ hasText: 'did not open' }).innerText()).toContain(
      'it accepts Basic',
    );
  });

  it('keep a password for the session, and show by which proxy a server was reached', async () => {
    const { page } = workbench;
    await page.getByLabel('Password for the proxy', { exact: true }).fill('secret-word');
    await page.getByRole('button', { name: 'Save password', exact: true }).click();
    await page.getByText(/^A password is set until the workbench closes: /).waitFor();
    await page.getByLabel('Address to test', { exact: true }).fill('cloud.example:443');
    await page.getByRole('button', { name: 'Test connection', exact: true }).click();
    await soon(() => page.getByRole('alert').filter({ hasText: 'was reached' }).innerText()).toMatch(
      new RegExp(
        `^cloud\\.example:443 was reached through http://127\\.0\\.0\\.1:${proxy}\\. .*its certificate is self-signed`,
      ),
    );
    expect(await page.content()).not.toContain('secret-word');
  });

  it('are the same after another start of the page, and in German', async () => {
    const { page } = workbench;
    await page.getByRole('combobox', { name: 'Language', exact: true }).click();
    await page.getByRole('option', { name: 'Deutsch', exact: true }).click();
    await page.getByRole('heading', { level: 2, name: 'Netzwerk', exact: true }).waitFor();
    await page.getByText(`Wie das Skript sagt: ${script}`, { exact: true }).waitFor();
    await soon(() => page.getByLabel('Adresse des Skripts', { exact: true }).inputValue()).toBe(script);
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
      await page.getByRole('combobox', { name: 'Proxy', exact: true }).click();
      await page.getByRole('option', { name: 'Script (PAC)', exact: true }).click();
      await page.getByLabel('Address of the script', { exact: true }).fill(script);
      await page.getByRole('button', { name: 'Save network settings', exact: true }).click();
      await page.getByText(`As the script says: ${script}`, { exact: true }).waitFor();
      expect(strict.refused).toContain(new URL(behind.url).host);
      expect(new Set(strict.passed.filter((line) => line.startsWith('POST')))).toEqual(
        new Set(['POST /contract/open', 'POST /contract/send', 'POST /contract/receive']),
      );
      await page.reload();
      await page.getByRole('link', { name: 'Settings', exact: true }).waitFor();
      process.kill(behind.hostPid, 'SIGKILL');
      await page.getByRole('button', { name: 'Reconnect now', exact: true }).waitFor();
    } finally {
      await behind.close();
    }
  });
});
