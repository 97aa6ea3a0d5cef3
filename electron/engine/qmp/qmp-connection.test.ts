import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QmpConnection } from './qmp-connection.ts';
import { SocketCarrier } from './socket-carrier.ts';

const signal = new AbortController().signal;
const GREETING = '{"QMP":{"version":{},"capabilities":[]}}\r\n';

interface Request {
  readonly execute: string;
  readonly id: number;
}

describe('a QMP connection', () => {
  let folder = '';
  let path = '';
  let server: net.Server | undefined;
  const sockets = new Set<net.Socket>();

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-qmp-'));
    path = join(folder, 'qmp');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    sockets.clear();
    server?.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** Greets, agrees on capabilities, and hands every other request to the test. */
  const listen = async (
    onRequest: (request: Request, send: (message: object) => void, socket: net.Socket) => void,
    greeting = GREETING,
  ) => {
    server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      const send = (message: object) => void socket.write(`${JSON.stringify(message)}\n`);
      socket.write(greeting);
      socket.on('data', (data: Buffer) => {
        for (const line of data.toString('utf8').trim().split('\n')) {
          const request = JSON.parse(line) as Request;
          if (request.execute === 'qmp_capabilities') send({ return: {}, id: request.id });
          else onRequest(request, send, socket);
        }
      });
    });
    server.listen(path);
    await once(server, 'listening');
  };

  it('matches answers to commands by id, and tells QEMU’s refusal', async () => {
    const held: Request[] = [];
    await listen((request, send) => {
      held.push(request);
      if (held.length < 3) return;
      for (const { id, execute } of held.reverse())
        send(
          execute === 'bad' ? { error: { class: 'GenericError', desc: 'no' }, id } : { return: { said: execute }, id },
        );
    });
    const qmp = await QmpConnection.connect(path, signal);
    const results = await Promise.allSettled(['one', 'bad', 'two'].map((command) => qmp.execute(command, {}, signal)));
    expect(results).toMatchObject([
      { value: { said: 'one' } },
      { reason: { code: 'source.request-refused', description: 'no' } },
      { value: { said: 'two' } },
    ]);
    await qmp.close();
  });

  it('keeps an event for who waits later, and gives up at the deadline', async () => {
    await listen((request, send) => {
      send({ event: 'SHUTDOWN', data: { guest: true } });
      send({ return: {}, id: request.id });
    });
    const qmp = await QmpConnection.connect(path, signal);
    await qmp.execute('anything', {}, signal);
    expect(await qmp.waitEvent((event) => event.name === 'SHUTDOWN', signal, 1000)).toEqual({
      name: 'SHUTDOWN',
      data: { guest: true },
    });
    await expect(qmp.waitEvent((event) => event.name === 'SHUTDOWN', signal, 20)).rejects.toMatchObject({
      code: 'general.deadline',
    });
    await qmp.close();
  });

  it('rejects what is under way when the socket is lost, late, cancelled or talks nonsense', async () => {
    await listen((request, _send, socket) => {
      if (request.execute === 'die') socket.destroy();
      if (request.execute === 'nonsense') socket.write('not json\n');
    });
    const outcome = async (command: string, abort = signal, timeoutMs = 1000) => {
      const qmp = await QmpConnection.connect(path, signal);
      const code = await qmp.execute(command, {}, abort, timeoutMs).then(
        () => 'done',
        (error: { code: string }) => error.code,
      );
      await qmp.close();
      return code;
    };
    expect(await outcome('die')).toBe('source.connection-lost');
    expect(await outcome('nonsense')).toBe('source.protocol');
    expect(await outcome('silence', signal, 20)).toBe('general.deadline');
    expect(await outcome('silence', AbortSignal.timeout(20))).toBe('general.cancelled');
  });

  it('says that nobody is there, or that another client holds the socket', async () => {
    await expect(QmpConnection.connect(join(folder, 'nobody'), signal)).rejects.toMatchObject({
      code: 'source.unreachable',
    });
    await listen(() => undefined, '');
    await expect(QmpConnection.connect(path, signal, 30)).rejects.toMatchObject({
      code: 'source.unreachable',
      message: expect.stringContaining('another client'),
    });
  });

  it('is made anew by its carrier after a loss', async () => {
    await listen((request, send, socket) =>
      request.execute === 'die' ? socket.destroy() : send({ return: { ok: true }, id: request.id }),
    );
    const carrier = new SocketCarrier(path);
    expect(await Promise.all([carrier.execute('a', {}, signal), carrier.execute('b', {}, signal)])).toEqual([
      { ok: true },
      { ok: true },
    ]);
    expect(sockets.size).toBe(1);
    await expect(carrier.execute('die', {}, signal)).rejects.toMatchObject({ code: 'source.connection-lost' });
    expect(await carrier.execute('a', {}, signal)).toEqual({ ok: true });
    await carrier.close();
  });
});
