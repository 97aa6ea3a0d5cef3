import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { LibvirtCarrier, LibvirtDaemon } from './libvirt-carrier.ts';
import { LibvirtConnection } from './libvirt-connection.ts';
import { XdrReader, XdrWriter } from './xdr.ts';

const signal = new AbortController().signal;
const uuid = Buffer.from('00112233445566778899aabbccddeeff', 'hex');

interface Call {
  readonly program: number;
  readonly procedure: number;
  readonly serial: number;
  readonly args: XdrReader;
}
type Answer = { readonly ok: Buffer } | { readonly error: number; readonly message: string } | { readonly raw: Buffer };

describe('a connection to libvirt', () => {
  let folder: string;
  let path: string;
  let server: net.Server;
  const sockets = new Set<net.Socket>();
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-libvirt-'));
    path = join(folder, 'libvirt-sock');
  });
  afterEach(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true });
  });

  /** A daemon that answers as told; whatever is undefined stays without an answer. `cut`: how its bytes are cut into pieces. */
  const listen = async (answer: (call: Call, socket: net.Socket) => Answer | undefined, cut = 65_536) => {
    server = net.createServer((socket) => {
      sockets.add(socket);
      socket.on('error', () => undefined);
      let come = Buffer.alloc(0);
      socket.on('data', (piece: Buffer) => {
        come = Buffer.concat([come, piece]);
        while (come.length >= 4 && come.length >= come.readUInt32BE()) {
          const message = come.subarray(4, come.readUInt32BE());
          come = come.subarray(come.readUInt32BE());
          const head = new XdrReader(message.subarray(0, 24));
          const [program, , procedure, , serial] = [head.uint(), head.uint(), head.uint(), head.uint(), head.uint()];
          const given = answer({ program, procedure, serial, args: new XdrReader(message.subarray(24)) }, socket);
          if (given === undefined) continue;
          const bytes = 'raw' in given ? given.raw : reply(program, procedure, serial, given);
          for (let at = 0; at < bytes.length; at += cut) socket.write(bytes.subarray(at, at + cut));
        }
      });
    });
    await new Promise<void>((resolve) => server.listen(path, resolve));
  };
  const reply = (
    program: number,
    procedure: number,
    serial: number,
    given: Exclude<Answer, { raw: Buffer }>,
  ): Buffer => {
    const payload =
      'ok' in given
        ? given.ok
        : new XdrWriter().uint(given.error).uint(10).optionalText(given.message).uint(2).uint(0).bytes();
    const head = new XdrWriter()
      .uint(28 + payload.length)
      .uint(program)
      .uint(1)
      .uint(procedure)
      .uint(1)
      .uint(serial)
      .uint('ok' in given ? 0 : 1);
    return Buffer.concat([head.bytes(), payload]);
  };
  const nothing = { ok: Buffer.alloc(0) };
  /** Sign-in by `way`, the driver opened, one domain that runs. */
  const daemon =
    (
      way: number,
      monitor: (line: string, id: number) => Answer | undefined,
      opened: string[] = [],
      domains: () => number[] = () => [7],
    ) =>
    (call: Call): Answer | undefined => {
      if (call.program === 0x20008087) {
        call.args.text();
        call.args.fixed(16);
        const id = call.args.int();
        return monitor(call.args.text(), id);
      }
      if (call.procedure === 66) return { ok: new XdrWriter().uint(1).uint(way).bytes() };
      if (call.procedure === 70) {
        opened.push('polkit');
        return { ok: new XdrWriter().uint(1).bytes() };
      }
      if (call.procedure === 1) {
        opened.push(call.args.optionalText() ?? '');
        return nothing;
      }
      const found = domains();
      const list = new XdrWriter().uint(found.length);
      for (const id of found) list.text('web-01').fixed(uuid).uint(id);
      return call.procedure === 273 ? { ok: list.uint(found.length).bytes() } : undefined;
    };
  const carrierAt = (place: string) =>
    new LibvirtCarrier(
      new LibvirtDaemon('qemu:///system at kvm', 'qemu:///system', async () => [join(folder, 'virtqemud-sock'), place]),
      'web-01',
    );

  it.each([
    [1, 'byte for byte'],
    [65_536, 'whole'],
  ])('signs in, lists domains and sends commands to the monitor, with answers in pieces of %d', async (cut) => {
    const opened: string[] = [];
    await listen(
      daemon(
        2,
        (line) => ({ ok: new XdrWriter().text(JSON.stringify({ return: { said: line }, id: 'libvirt-3' })).bytes() }),
        opened,
      ),
      cut,
    );
    const carrier = carrierAt(path);
    expect(await carrier.execute('query-name', { a: 1 }, signal)).toEqual({
      said: '{"execute":"query-name","arguments":{"a":1}}',
    });
    expect(opened).toEqual(['polkit', 'qemu:///system']);
    const connection = await LibvirtConnection.open(path, 'qemu:///session', signal);
    expect(await connection.runningDomains(signal)).toEqual([{ name: 'web-01', uuid, id: 7 }]);
    await connection.close();
  });

  it('matches answers that come in another order', async () => {
    const held: { readonly call: Call; readonly line: string }[] = [];
    await listen((call, socket) => {
      if (call.program !== 0x20008087) return daemon(0, () => undefined)(call);
      call.args.text();
      call.args.fixed(16);
      call.args.int();
      held.push({ call, line: call.args.text() });
      if (held.length < 3) return undefined;
      for (const one of held.reverse())
        socket.write(
          reply(one.call.program, 1, one.call.serial, { ok: new XdrWriter().text(`to ${one.line}`).bytes() }),
        );
      return undefined;
    });
    const connection = await LibvirtConnection.open(path, 'qemu:///system', signal);
    const domain = { name: 'web-01', uuid, id: 7 };
    expect(await Promise.all(['a', 'b', 'c'].map((line) => connection.monitorCommand(domain, line, signal)))).toEqual([
      'to a',
      'to b',
      'to c',
    ]);
    await connection.close();
  });

  it('tells QEMU’s own "no", libvirt’s, and a domain that ended from each other', async () => {
    let answer: Answer = {
      ok: new XdrWriter().text('{"error":{"class":"GenericError","desc":"no such node"}}').bytes(),
    };
    let running = [7];
    await listen(
      daemon(
        0,
        () => answer,
        [],
        () => running,
      ),
    );
    const carrier = carrierAt(path);
    await expect(carrier.execute('blockdev-del', {}, signal)).rejects.toMatchObject({
      code: 'source.request-refused',
      description: 'no such node',
    });
    answer = { error: 1, message: 'internal error' };
    await expect(carrier.execute('x', {}, signal)).rejects.toMatchObject({
      code: 'source.request-refused',
      message: 'libvirt: internal error',
    });
    answer = { error: 55, message: 'Requested operation is not valid: domain is not running' };
    await expect(carrier.execute('x', {}, signal)).rejects.toMatchObject({
      code: 'source.unreachable',
      message: expect.stringContaining('not running') as string,
    });
    answer = { ok: new XdrWriter().text('no JSON').bytes() };
    await expect(carrier.execute('x', {}, signal)).rejects.toMatchObject({ code: 'source.protocol' });
    running = [];
    await expect(carrier.execute('x', {}, signal)).rejects.toMatchObject({ code: 'source.unreachable' });
  });

  it('addresses a domain that was started again by its new ID', async () => {
    const asked: number[] = [];
    let id = 7;
    await listen(
      daemon(
        0,
        (_line, given) => {
          asked.push(given);
          return { ok: new XdrWriter().text('{"return":{}}').bytes() };
        },
        [],
        () => [id],
      ),
    );
    const carrier = carrierAt(path);
    await carrier.execute('x', {}, signal);
    id = 8;
    await carrier.execute('x', {}, signal);
    expect(asked).toEqual([7, 8]);
  });

  it('refuses a daemon that asks for SASL, and says what polkit said', async () => {
    let way = 1;
    await listen((call) =>
      call.procedure === 66
        ? { ok: new XdrWriter().uint(1).uint(way).bytes() }
        : { error: 45, message: 'authentication unavailable' },
    );
    await expect(LibvirtConnection.open(path, 'qemu:///system', signal)).rejects.toMatchObject({
      code: 'source.login-refused',
      message: expect.stringContaining('SASL') as string,
    });
    way = 2;
    await expect(LibvirtConnection.open(path, 'qemu:///system', signal)).rejects.toMatchObject({
      code: 'source.login-refused',
      message: expect.stringContaining('authentication unavailable') as string,
    });
  });

  it.each([
    ['a message that is too long', Buffer.from('7fffffff', 'hex')],
    ['a message that is too short', Buffer.from('00000004', 'hex')],
    ['another protocol', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
  ])('ends with source.protocol at %s', async (_what, raw) => {
    await listen(() => ({ raw }));
    await expect(LibvirtConnection.open(path, 'qemu:///system', signal)).rejects.toMatchObject({
      code: 'source.protocol',
    });
  });

  it('takes no memory for a list that cannot be true', async () => {
    await listen((call) =>
      call.procedure === 273 ? { ok: new XdrWriter().uint(0x7fff_ffff).bytes() } : daemon(0, () => undefined)(call),
    );
    const connection = await LibvirtConnection.open(path, 'qemu:///system', signal);
    await expect(connection.runningDomains(signal)).rejects.toMatchObject({ code: 'source.protocol' });
    await connection.close();
  });

  it('rejects what waits when it is lost, late or cancelled, and connects anew afterwards', async () => {
    let monitor: (line: string) => Answer | undefined = () => undefined;
    await listen(daemon(0, (line) => monitor(line)));
    const carrier = carrierAt(path);
    await expect(carrier.execute('x', {}, signal, 20)).rejects.toMatchObject({ code: 'general.deadline' });
    await expect(carrier.execute('x', {}, AbortSignal.timeout(20))).rejects.toMatchObject({
      code: 'general.cancelled',
    });
    monitor = () => {
      for (const socket of sockets) socket.destroy();
      return undefined;
    };
    await expect(carrier.execute('x', {}, signal)).rejects.toMatchObject({ code: 'source.connection-lost' });
    monitor = () => ({ ok: new XdrWriter().text('{"return":{"back":true}}').bytes() });
    expect(await carrier.execute('x', {}, signal)).toEqual({ back: true });
  });

  it('opens anew for those who wait when the one that began to open it is cancelled', async () => {
    const greeted = Promise.withResolvers<void>();
    const usual = daemon(0, () => ({ ok: new XdrWriter().text('{"return":{"still":true}}').bytes() }));
    let isFirst = true;
    await listen((call) => {
      if (!isFirst) return usual(call);
      isFirst = false;
      greeted.resolve();
      return undefined;
    });
    const carrier = carrierAt(path);
    const first = new AbortController();
    const cancelled = carrier.execute('x', {}, first.signal);
    const waiting = carrier.execute('y', {}, signal);
    await greeted.promise;
    first.abort();
    await expect(cancelled).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(await waiting).toEqual({ still: true });
  });

  it('says that nobody listens', async () => {
    await listen(() => undefined);
    await expect(LibvirtConnection.open(join(folder, 'nobody'), 'qemu:///system', signal)).rejects.toMatchObject({
      code: 'source.unreachable',
    });
  });
});
