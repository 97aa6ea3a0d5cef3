import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { notificationKinds, notificationSecrets } from '../../../../shared/model/notifications.ts';
import { createCore, type Core } from '../core.ts';
import { destinationEnvironment } from '../testing/deployment-project.ts';
import { MemoryLab } from '../testing/memory-lab.ts';

const token = 'hook-token-4711';
let folder: string;
let lab: MemoryLab;
let core: Core;
let received: string[];
let isDown: boolean;
let server: ReturnType<typeof createServer>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'causeway-notifications-'));
  received = [];
  isDown = false;
  server = createServer((request, response) => {
    let body = '';
    request
      .setEncoding('utf8')
      .on('data', (piece: string) => (body += piece))
      .on('end', () => {
        if (isDown) return void response.writeHead(503).end();
        received.push(body);
        response.writeHead(request.url?.includes(token) === true ? 200 : 404).end(request.url);
      });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  lab = new MemoryLab();
  lab.disks.set('disk-0', Buffer.alloc(1024 * 1024, 'a'));
  core = open();
  await core.call('endpoint.add', { name: 'from', plugin: 'disk-images', connection: { path: '/images' } });
  await core.call('endpoint.add', {
    name: 'to',
    plugin: 'european-cloud',
    connection: {
      project_id: 'f5c6bd4b-1f0a-4d0e-9f5e-0c2f2f6f0a11',
      region_name: 'eu01',
      service_account_key: { $secret: 'key' },
    },
  });
  await core.call('replica.create', {
    name: 'web',
    source: 'from',
    destination: 'to',
    vm: 'web',
    destinationEnvironment,
  });
});
afterEach(async () => {
  await core.close().catch(() => undefined);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
  rmSync(folder, { recursive: true, force: true });
});

const open = (): Core =>
  createCore({ projectFolder: folder, vault: lab.vault(), platforms: lab.platforms, connectWorker: lab.connectWorker });

const address = (path: string): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}/${path}`;

async function setUp(path: string): Promise<void> {
  await core.call('vault.set', { name: notificationSecrets.address, value: address(path) });
  await core.call('notification.save', { kinds: [...notificationKinds], webhook: {} });
}

async function failOnce(): Promise<void> {
  lab.fail('volumes', new CausewayError('source.disk-not-found', 'no route'));
  await core.call('replica.execute', { replica: 'web', options: {} });
  await core.drain();
}

test('a failure is told by the webhook, and nothing before one is set up', async () => {
  await failOnce();
  await setUp(token);
  await failOnce();
  await core.close();
  expect(
    received.map((body) =>
      (JSON.parse(body) as { messages: { kind: string; replica: string }[] }).messages.map(({ kind, replica }) => [
        kind,
        replica,
      ]),
    ),
  ).toEqual([[['failed', 'web']]]);
});

test('what could not be sent before the engine stopped is sent by the next one, once', async () => {
  await setUp(token);
  isDown = true;
  await failOnce();
  await core.close();
  isDown = false;
  core = open();
  await core.call('vault.set', { name: notificationSecrets.address, value: address(token) });
  await core.close();
  core = open();
  await core.close();
  expect(
    received.map((body) =>
      (JSON.parse(body) as { messages: { replica: string }[] }).messages.map(({ replica }) => replica),
    ),
  ).toEqual([['web']]);
});

test('a test says what the other side answered, and what is missing', async () => {
  await expect(core.call('notification.test', { way: 'webhook' })).rejects.toMatchObject({
    code: 'notification.not-set-up',
  });
  await setUp(token);
  expect(await core.call('notification.test', { way: 'webhook' })).toEqual({ said: 'HTTP 200' });
  expect(await core.call('notification.settings', {})).toMatchObject({
    has: { address: true, key: false, password: false },
  });
});

test('no address, key or password is in an error, an event or a file', async () => {
  const wrong = 'other-path-0815';
  await setUp(wrong);
  await core.call('vault.set', { name: notificationSecrets.key, value: 'signing-key-99' });
  const error: unknown = await core.call('notification.test', { way: 'webhook' }).catch((thrown: unknown) => thrown);
  await failOnce();
  const events = await core.call('execution.events', {});
  const said =
    JSON.stringify([error, String(error), events]) +
    readFileSync(join(folder, '.causeway', 'notifications.json'), 'utf8');
  expect(said).not.toContain(wrong);
  expect(said).not.toContain('signing-key-99');
});

test('a password is forgotten with the mail server that it was entered for', async () => {
  const mail = {
    host: 'mail.example',
    port: 587,
    security: 'starttls' as const,
    username: 'causeway',
    from: 'a@example.com',
    to: ['b@example.com'],
  };
  await core.call('notification.save', { kinds: ['failed'], mail });
  await core.call('vault.set', { name: notificationSecrets.password, value: 'password' });
  expect(
    (await core.call('notification.save', { kinds: ['failed'], mail: { ...mail, from: 'c@example.com' } })).has
      .password,
  ).toBe(true);
  expect(
    (await core.call('notification.save', { kinds: ['failed'], mail: { ...mail, host: 'evil.example' } })).has.password,
  ).toBe(false);
});
