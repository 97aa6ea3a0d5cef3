import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { afterEach, beforeEach, describe, expect, it, test, vi } from 'vitest';
import { channelClient } from '../../../shared/contract/channel-client.ts';
import { messageText, type Channel } from '../../../shared/contract/channel.ts';
import { calls, events } from '../../../shared/contract/contract.ts';
import { serveChannel } from '../../../shared/contract/serve-channel.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ExecutionProgress } from '../../../shared/model/progress.ts';
import type { Core } from './core.ts';
import { eventHub } from './event-hub.ts';
import { connectLocally, localPlace, readLines, serveLocally, type LocalServer } from './ipc.ts';

const MiB = 1024 * 1024;
let folder: string;
let address: string;
let server: LocalServer;
const hub = eventHub();
let aborted: Promise<void>;
const progress: ExecutionProgress = {
  executionId: 'e1',
  total: { phase: 'copying', bytesTotal: 2, bytesDone: 1, bytesSent: 1, rateBytesPerSecond: 1, stalledForSeconds: 0 },
  disks: [],
};

/** A core that answers four calls, enough to see what the channel does with values, errors and aborts. */
const core = {
  subscribe: hub.subscribe,
  async dispatch(name: string, input: unknown, signal: AbortSignal) {
    if (name === 'vault.has') return { ok: true, value: true };
    if (name === 'vault.list') return { ok: true, value: [(input as { text: string }).text.repeat(2)] };
    if (name === 'vm.list') {
      const ended = Promise.withResolvers<void>();
      aborted = ended.promise;
      signal.addEventListener('abort', () => ended.resolve());
      hub.emit('execution.progress', progress);
      return new Promise(() => undefined);
    }
    return { ok: false, error: new CausewayError('engine.unknown-call', name).toRecord() };
  },
} as unknown as Core;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'channel-'));
  address = process.platform === 'win32' ? String.raw`\\.\pipe\causeway-test` : join(folder, 's');
  server = await serveLocally(core, { address });
});
afterEach(async () => {
  await rm(folder, { recursive: true });
});

describe('the core through a local socket', () => {
  test.skipIf(process.platform === 'win32')(
    'turns away who was connected by the system alone, so that they can try again',
    async () => {
      const listening = createServer((socket) => socket.destroy());
      await new Promise<void>((resolve) => listening.listen(join(folder, 'ends'), resolve));
      await expect(connectLocally({ address: join(folder, 'ends') })).rejects.toThrow(
        /EPIPE|ECONNRESET|ended before it served/u,
      );
      listening.close();
      await server.close();
    },
  );

  test.skipIf(process.platform === 'win32')('stops waiting for an engine that does not serve', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(join(folder, 'silent'), resolve));
    const stop = new AbortController();
    const waiting = connectLocally({ address: join(folder, 'silent') }, stop.signal);
    stop.abort();
    await expect(waiting).rejects.toMatchObject({ code: 'general.cancelled' });
    for (const socket of sockets) socket.destroy();
    silent.close();
    await server.close();
  });

  it('carries answers and errors with their codes', async () => {
    const client = await connectLocally({ address });
    expect(await client.call('vault.has', { name: 'x' })).toBe(true);
    await expect(client.call('plugins.describe', {})).rejects.toMatchObject({ code: 'engine.unknown-call' });
    await client.close();
    await server.close();
  });

  it('hands events on, and aborts what a client leaves behind', async () => {
    const client = await connectLocally({ address });
    const seen = new Promise((resolve) => client.subscribe('execution.progress', resolve));
    const call = client.call('vm.list', { endpoint: 'e' });
    const outcome = expect(call).rejects.toMatchObject({ code: 'engine.connection-lost' });
    expect(await seen).toEqual(progress);
    await client.close();
    await outcome;
    await aborted;
    await expect(client.call('vault.has', { name: 'x' })).rejects.toMatchObject({ code: 'engine.connection-lost' });
    await server.close();
  });

  it.each(['no json\n', '{"call":"vault.has"}\n', '{"id":1,"call":"vault.has","input":{},"extra":1}\n'])(
    'cuts off who sends %j',
    async (line) => {
      const socket = connect(address);
      const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
      socket.resume().write(line);
      await closed;
      await server.close();
    },
  );
});

/** What a socket hears after it was let in. */
function firstAnswer(socket: Socket): Promise<unknown> {
  return new Promise((resolve, reject) => {
    readLines(socket, (message) => void ('id' in (message as object) && resolve(message)), reject);
    socket.once('close', () => reject(new Error('hung up')));
  });
}

describe('a place that other users can reach, as a named pipe of Windows is', () => {
  const key = 'k'.repeat(64);
  let guarded: LocalServer;
  let place: { readonly address: string; readonly key: string };
  beforeEach(async () => {
    place = {
      address: process.platform === 'win32' ? String.raw`\\.\pipe\causeway-guarded-test` : join(folder, 'guarded'),
      key,
    };
    guarded = await serveLocally(core, place);
  });
  afterEach(async () => {
    await guarded.close();
    await server.close();
  });

  it('serves who sends the key first, whatever follows it', async () => {
    const client = await connectLocally(place);
    expect(await client.call('vault.has', { name: 'x' })).toBe(true);
    await client.close();
    const socket = connect(place.address);
    const answer = firstAnswer(socket);
    const call = `${JSON.stringify({ id: 1, call: 'vault.has', input: { name: 'x' } })}\n`;
    for (const piece of [key.slice(0, 10), key.slice(10) + call.slice(0, 5), call.slice(5)])
      await new Promise((resolve) => socket.write(piece, resolve));
    expect(await answer).toMatchObject({ id: 1 });
    socket.destroy();
  });

  it('answers who has come before it ends, also where the key has not been read yet', async () => {
    const socket = connect(place.address);
    await new Promise((resolve) => socket.write(key.slice(0, 10), resolve));
    // Whoever comes later has been let in: so the first one has arrived.
    const later = await connectLocally(place);
    await later.call('vault.has', { name: 'x' });
    await later.close();
    const closed = guarded.close();
    const answered = firstAnswer(socket);
    socket.write(`${key.slice(10)}${JSON.stringify({ id: 1, call: 'vault.has', input: { name: 'x' } })}\n`);
    expect(await answered).toMatchObject({ id: 1, answer: { ok: true } });
    socket.destroy();
    await closed;
  });

  it.each([
    ['another key', 'x'.repeat(64)],
    ['a call', `${JSON.stringify({ id: 1, call: 'vault.has', input: { name: 'x' } })}${' '.repeat(64)}\n`],
  ])('sends nothing to who sends %s', async (_what, bytes) => {
    const socket = connect(place.address);
    const heard: Buffer[] = [];
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()));
    socket
      .on('error', () => undefined)
      .on('data', (piece) => heard.push(piece))
      .write(bytes);
    await closed;
    expect(heard).toEqual([]);
  });

  it('tells no events to who sends nothing', async () => {
    const silent = connect(place.address);
    const heard: Buffer[] = [];
    silent.on('data', (piece) => heard.push(piece)).on('error', () => undefined);
    await new Promise((resolve) => silent.once('connect', resolve));
    const client = await connectLocally(place);
    const seen = new Promise((resolve) => client.subscribe('execution.progress', resolve));
    void client.call('vm.list', { endpoint: 'e' }).catch(() => undefined);
    await seen;
    expect(heard).toEqual([]);
    await client.close();
    silent.destroy();
  });
});

test('on Windows, each engine listens under another name, with a key of its own', () => {
  const [one, other] = [localPlace('C:\\p\\.causeway', 'win32'), localPlace('C:\\p\\.causeway', 'win32')];
  expect(one.address).toMatch(/^\\\\\.\\pipe\\causeway-[0-9a-f]{32}$/);
  expect(one.key).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set([one.address, other.address, one.key, other.key]).size).toBe(4);
});

test.skipIf(process.platform === 'win32')(
  'elsewhere, it listens in the state folder, which is closed to others',
  () => {
    expect(localPlace('/p/.causeway')).toEqual({ address: '/p/.causeway/engine.sock' });
  },
);

/** Both ends of a channel that carries messages of up to so many bytes. */
function channelPair(mostBytes: number): readonly [Channel, Channel] {
  const listeners: ((message: unknown) => void)[] = [];
  const end = (own: number): Channel => ({
    send(message) {
      const text = messageText(message, mostBytes);
      queueMicrotask(() => listeners[1 - own]!(JSON.parse(text)));
    },
    onMessage: (listener) => void (listeners[own] = listener),
    onClose: () => undefined,
    close: () => expect.unreachable('closed'),
  });
  return [end(0), end(1)];
}

describe('long messages', () => {
  it('are carried through the local socket as through the web host', async () => {
    const client = await connectLocally({ address });
    const text = 'é'.repeat(20 * MiB);
    expect((await client.call('vault.list', { text } as never))[0]?.length).toBe(2 * text.length);
    await client.close();
    await server.close();
  });

  it('are refused with a code when they are too long, and the connection stays', async () => {
    const [near, far] = channelPair(1000);
    serveChannel(core, events, far);
    const client = channelClient(near, calls, events);
    await expect(client.call('vault.list', { text: 'x'.repeat(2000) } as never)).rejects.toMatchObject({
      code: 'engine.message-too-large',
      message: expect.stringMatching(/^a message of 20\d\d bytes, the limit is 1000 bytes$/) as unknown,
    });
    await expect(client.call('vault.list', { text: 'é'.repeat(480) } as never)).rejects.toMatchObject({
      code: 'engine.message-too-large',
    });
    await expect(client.call('vault.list', { text: 'x'.repeat(600) } as never)).rejects.toMatchObject({
      code: 'engine.message-too-large',
    });
    const told = new Promise((resolve) => client.subscribe('project.changed', resolve));
    client.subscribe('execution.progress', () => expect.unreachable('carried'));
    expect(await client.call('vault.list', { text: 'x'.repeat(200) } as never)).toEqual(['x'.repeat(400)]);
    hub.emit('execution.progress', { ...progress, executionId: 'e'.repeat(2000) });
    hub.emit('project.changed', {});
    expect(await told).toEqual({});
    await server.close();
  });
});

describe('lines of a stream', () => {
  afterEach(() => {
    vi.restoreAllMocks();
  });

  it('are searched and put together once, however many pieces one comes in', async () => {
    const text = Buffer.from(`${JSON.stringify('é'.repeat(30 * MiB))}\n1\n`);
    const stream = new PassThrough();
    const seen: unknown[] = [];
    let searched = 0;
    const joined = vi.spyOn(Buffer, 'concat');
    readLines(
      stream,
      (value) => seen.push(value),
      (error) => expect.unreachable(error.message),
    );
    for (let at = 0; at < text.length; at += 4095) {
      const chunk = text.subarray(at, at + 4095);
      stream.emit(
        'data',
        Object.assign(chunk, {
          indexOf(value: number, from = 0) {
            searched += chunk.length - from;
            return Buffer.prototype.indexOf.call(chunk, value, from);
          },
        }),
      );
    }
    expect([(seen[0] as string).length, seen[1]]).toEqual([30 * MiB, 1]);
    expect(searched).toBeGreaterThanOrEqual(text.length);
    expect(searched).toBeLessThan(text.length + 2 * 4095);
    expect(joined).toHaveBeenCalledTimes(2);
    await server.close();
  });

  it.each([1, 3, 100])('are the same in pieces of %d bytes', async (size) => {
    const stream = new PassThrough();
    const seen: unknown[] = [];
    readLines(
      stream,
      (value) => seen.push(value),
      (error) => expect.unreachable(error.message),
    );
    const text = Buffer.from('{"a":"é€😀"}\n[]\n"last"\n"open');
    for (let at = 0; at < text.length; at += size) stream.emit('data', text.subarray(at, at + size));
    expect(seen).toEqual([{ a: 'é€😀' }, [], 'last']);
    await server.close();
  });

  it.each([
    ['too long, before its end comes', ['"12345', '67890', '1'], 'a line is too long'],
    ['too long, and whole', ['1\n"1234567890"\n2\n'], 'a line is too long'],
    ['no JSON', ['1\n{\n2\n', '3\n'], 'a line is not JSON'],
  ])('end with the first that is %s', async (_what, chunks, reason) => {
    const stream = new PassThrough();
    const [seen, failures]: [unknown[], string[]] = [[], []];
    readLines(
      stream,
      (value) => seen.push(value),
      (error) => failures.push(error.message),
      10,
    );
    for (const chunk of [...chunks, '4\n']) stream.emit('data', Buffer.from(chunk));
    expect(failures).toEqual([reason]);
    expect(seen).toEqual(chunks[0]!.startsWith('1') ? [1] : []);
    await server.close();
  });
});
