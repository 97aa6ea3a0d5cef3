import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { Channel } from '../../shared/contract/channel.ts';
import { startWebHost, type WebHost } from './web-host.ts';

let folder: string;
let host: WebHost;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'host-'));
  await writeFile(join(folder, 'index.html'), '<meta name="csp-nonce" content=""><p>workbench</p>');
  host = await startWebHost({ folder, connect: (channel) => channel.send({ hello: true }) });
});
afterEach(async () => {
  await host.close();
  await rm(folder, { recursive: true });
});

interface Answer {
  readonly status: number;
  readonly body: string;
  readonly cookie: string;
  readonly secret: string;
}

function get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const call = request({ host: '127.0.0.1', port: host.port, path, headers }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (part: string) => (body += part));
      response.on('end', () => {
        const cookie = response.headers['set-cookie']?.[0]?.split(';')[0] ?? '';
        const secret = response.headers.location?.split('#session=')[1] ?? '';
        resolve({ status: response.statusCode ?? 0, body, cookie, secret });
      });
    });
    call.on('error', reject).end();
  });
}

const tokenPath = () => new URL(host.url).pathname + new URL(host.url).search;
const signIn = async () => (await get(tokenPath())).cookie;

function connect(headers: Record<string, string>, secret?: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = new WebSocket(
      `ws://127.0.0.1:${host.port}/contract`,
      ['causeway.contract', ...(secret === undefined ? [] : [`session.${secret}`])],
      { headers },
    );
    socket.on('message', (data) => {
      resolve(String(data));
      socket.close();
    });
    socket.on('error', (error) => resolve(error.message));
  });
}

describe('the web host', () => {
  it('shows the page to whoever brings the token, once', async () => {
    const cookie = await signIn();
    expect(cookie).not.toBe('');
    expect((await get('/', { cookie })).body).toContain('workbench');
    expect((await get(tokenPath())).status).toBe(403);
  });

  it('shows nothing without a token or with a wrong one', async () => {
    expect((await get('/')).status).toBe(403);
    expect((await get('/?token=guess')).status).toBe(403);
    expect((await get('/', { cookie: 'causeway-session=guess' })).status).toBe(403);
  });

  it('gives a fresh link for a browser that was closed, without ending the session of the first one', async () => {
    const first = await signIn();
    const fresh = new URL(host.freshUrl());
    const newest = new URL(host.freshUrl());
    expect((await get(fresh.pathname + fresh.search)).status).toBe(403);
    const second = (await get(newest.pathname + newest.search)).cookie;
    expect((await get(newest.pathname + newest.search)).status).toBe(403);
    expect(second).not.toBe(first);
    for (const cookie of [first, second]) expect((await get('/', { cookie })).body).toContain('workbench');
  });

  it('refuses a foreign host name, so that a re-bound name reaches nothing', async () => {
    const cookie = await signIn();
    expect((await get('/', { cookie, host: `evil.invalid:${host.port}` })).status).toBe(421);
  });

  it('takes a message as long as the largest inventory', async () => {
    await host.close();
    host = await startWebHost({
      folder,
      connect: (channel) => channel.onMessage((message) => channel.send({ length: JSON.stringify(message).length })),
    });
    const { cookie, secret } = await get(tokenPath());
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}/contract`, ['causeway.contract', `session.${secret}`], {
      headers: { cookie, origin: `http://127.0.0.1:${host.port}` },
    });
    const machine = {
      vm: {
        id: 'x'.repeat(60),
        name: 'x'.repeat(60),
        disks: Array(3).fill({ id: 'x'.repeat(40), size_bytes: 2 ** 40, storage_backend: 'x'.repeat(30) }),
      },
    };
    const list = JSON.stringify(Array(100_000).fill(machine));
    const answer = new Promise<string>((resolve) => {
      socket.on('message', (data) => resolve(String(data)));
      socket.on('close', (code) => resolve(`closed with ${code}`));
    });
    socket.on('open', () => socket.send(list));
    expect(JSON.parse(await answer)).toEqual({ length: list.length });
    socket.terminate();
  });

  it('lets its own page connect', async () => {
    const { cookie, secret } = await get(tokenPath());
    expect(await connect({ cookie, origin: `http://127.0.0.1:${host.port}` }, secret)).toBe('{"hello":true}');
  });

  it('refuses a socket with the cookie alone, which a browser shows to every port, and with the secret of another session', async () => {
    const origin = `http://127.0.0.1:${host.port}`;
    const first = await get(tokenPath());
    const second = await get(new URL(host.freshUrl()).search.replace('?', '/?'));
    expect(await connect({ cookie: first.cookie, origin })).toContain('403');
    expect(await connect({ cookie: first.cookie, origin }, second.secret)).toContain('403');
    expect(await connect({ cookie: first.cookie, origin }, '')).toContain('403');
    expect(await connect({ origin }, first.secret)).toContain('403');
  });

  it('refuses a socket from a foreign page, without a session, or without an origin', async () => {
    const { cookie, secret } = await get(tokenPath());
    expect(await connect({ cookie, origin: 'https://evil.invalid' }, secret)).toContain('403');
    expect(await connect({ origin: `http://127.0.0.1:${host.port}` })).toContain('403');
    expect(await connect({ cookie }, secret)).toContain('403');
  });
});

describe('a channel over plain requests', () => {
  const talk = {
    channel: undefined as Channel | undefined,
    heard: [] as unknown[],
    closed: Promise.withResolvers<void>(),
  };
  const post = (
    path: string,
    body: string,
    headers: Record<string, string>,
  ): Promise<{ status: number; body: string }> =>
    new Promise((resolve, reject) => {
      const call = request(
        {
          host: '127.0.0.1',
          port: host.port,
          path,
          method: 'POST',
          headers: { origin: `http://127.0.0.1:${host.port}`, ...headers },
        },
        (response) => {
          let text = '';
          response.setEncoding('utf8').on('data', (part: string) => (text += part));
          response.on('end', () => resolve({ status: response.statusCode ?? 0, body: text }));
        },
      );
      call.on('error', reject).end(body);
    });
  let admitted: Record<string, string>;
  const open = async (): Promise<string> =>
    (JSON.parse((await post('/contract/open', '{}', admitted)).body) as { channel: string }).channel;
  beforeEach(async () => {
    await host.close();
    Object.assign(talk, { channel: undefined, heard: [], closed: Promise.withResolvers<void>() });
    host = await startWebHost({
      folder,
      connect(channel) {
        talk.channel = channel;
        channel.onMessage((message) => talk.heard.push(message));
        channel.onClose(() => talk.closed.resolve());
      },
    });
    const { cookie, secret } = await get(tokenPath());
    admitted = { cookie, 'x-causeway-session': secret };
  });

  it('carries messages both ways, in order, those that wait and those that come later', async () => {
    const channel = await open();
    await post('/contract/send', JSON.stringify({ channel, messages: [{ id: 1 }, { id: 2 }] }), admitted);
    expect(talk.heard).toEqual([{ id: 1 }, { id: 2 }]);
    talk.channel?.send({ event: 'a' });
    talk.channel?.send({ event: 'b' });
    const receive = () => post('/contract/receive', JSON.stringify({ channel }), admitted);
    expect(JSON.parse((await receive()).body)).toEqual({ messages: [{ event: 'a' }, { event: 'b' }] });
    const later = receive();
    // The host has the request when it has answered one that came after it.
    await post('/contract/send', JSON.stringify({ channel, messages: [] }), admitted);
    talk.channel?.send({ event: 'c' });
    expect(JSON.parse((await later).body)).toEqual({ messages: [{ event: 'c' }] });
  });

  it('ends when the page says so, when it breaks off a request, and when it asks twice', async () => {
    const told = await open();
    expect((await post('/contract/close', JSON.stringify({ channel: told }), admitted)).status).toBe(204);
    await talk.closed.promise;
    expect((await post('/contract/send', JSON.stringify({ channel: told, messages: [] }), admitted)).status).toBe(410);

    talk.closed = Promise.withResolvers();
    const broken = await open();
    const call = request({
      host: '127.0.0.1',
      port: host.port,
      path: '/contract/receive',
      method: 'POST',
      headers: { origin: `http://127.0.0.1:${host.port}`, ...admitted },
    });
    call.on('error', () => undefined).end(JSON.stringify({ channel: broken }));
    await post('/contract/send', JSON.stringify({ channel: broken, messages: [] }), admitted);
    call.destroy();
    await talk.closed.promise;

    talk.closed = Promise.withResolvers();
    const twice = await open();
    const both = [1, 2].map(() => post('/contract/receive', JSON.stringify({ channel: twice }), admitted));
    await talk.closed.promise;
    expect((await Promise.all(both)).map(({ status }) => status)).toContain(410);
  });

  it('is opened to its own page alone', async () => {
    const { cookie = '', 'x-causeway-session': secret = '' } = admitted;
    for (const headers of [
      { cookie },
      { 'x-causeway-session': secret },
      { ...admitted, origin: 'https://evil.invalid' },
      { ...admitted, 'x-causeway-session': 'guess' },
    ])
      expect((await post('/contract/open', '{}', headers as Record<string, string>)).status).toBe(403);
    expect((await post('/contract/open', '{}', { ...admitted, host: `evil.invalid:${host.port}` })).status).toBe(421);
    expect((await post('/contract/send', '{"channel":"guess","messages":[]}', admitted)).status).toBe(410);
    expect((await post('/contract/send', 'no JSON', admitted)).status).toBe(400);
    expect(talk.channel).toBeUndefined();
  });
});
