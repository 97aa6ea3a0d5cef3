import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ssh2, { type Connection } from 'ssh2';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SocketCarrier } from '../../qmp/socket-carrier.ts';
import { createEd25519KeyPair } from '../../ssh-keys/ed25519-key-pair.ts';
import { isGone } from './shutdown.ts';
import { SshHost } from './ssh-host.ts';

const signal = new AbortController().signal;
const user = createEd25519KeyPair('user');
const hostPair = createEd25519KeyPair('host');

describe('a hypervisor over SSH', () => {
  let folder: string;
  let qmpPath: string;
  let qmp: net.Server;
  let ssh: ssh2.Server;
  let port: number;
  const open: (() => Promise<unknown>)[] = [];
  const sessions = new Set<Connection>();
  /** What commands on the host print. */
  let prints: (command: string) => string = () => '';
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'cwy-ssh-'));
    qmpPath = join(folder, 'web.qmp');
    qmp = net.createServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('{"QMP":{}}\n');
      socket.on('data', (data: Buffer) => {
        for (const line of data.toString('utf8').trim().split('\n')) {
          const { id, execute } = JSON.parse(line) as { id: number; execute: string };
          if (execute === 'quit') socket.destroy();
          else if (execute !== 'silence') socket.write(`${JSON.stringify({ return: { did: execute }, id })}\n`);
        }
      });
    });
    await new Promise<void>((resolve) => qmp.listen(qmpPath, resolve));
    ssh = new ssh2.Server({ hostKeys: [hostPair.privateKeyPem] }, (connection) => {
      sessions.add(connection);
      connection.on('error', () => undefined);
      connection.on('close', () => sessions.delete(connection));
      connection.on('authentication', (context) => (context.username === 'root' ? context.accept() : context.reject()));
      connection.on(
        'openssh.streamlocal' as never,
        ((accept: () => ssh2.ServerChannel, reject: () => void, info: { readonly socketPath: string }) => {
          const socket = net.connect(info.socketPath);
          socket.once('error', () => reject());
          socket.once('connect', () => {
            const channel = accept();
            socket.on('error', () => undefined);
            channel.on('error', () => undefined);
            socket.pipe(channel).pipe(socket);
          });
        }) as never,
      );
      connection.on('session', (accept) =>
        accept().on('exec', (run, _reject, { command }) => {
          const channel = run();
          channel.write(prints(command));
          channel.exit(0);
          channel.end();
        }),
      );
    });
    ssh.listen(0, '127.0.0.1');
    await once(ssh, 'listening');
    port = (ssh.address() as net.AddressInfo).port;
    prints = () => '';
  });
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
    for (const session of sessions) session.end();
    ssh.close();
    qmp.close();
    await rm(folder, { recursive: true });
  });
  const hostOf = (keys: readonly string[], username = 'root') => {
    const host = new SshHost({ host: '127.0.0.1', port, username, privateKeyPem: user.privateKeyPem }, keys);
    open.push(() => host.close());
    return host;
  };
  const carrierOf = (host: SshHost, path = qmpPath) => {
    const carrier = new SocketCarrier(host.socket(path));
    open.unshift(() => carrier.close());
    return carrier;
  };

  it('carries QMP, several connections over one login', async () => {
    const host = hostOf([createEd25519KeyPair('other').publicKey, hostPair.publicKey]);
    const carriers = [carrierOf(host), carrierOf(host)];
    expect(await Promise.all(carriers.map((carrier) => carrier.execute('query-status', {}, signal)))).toEqual([
      { did: 'query-status' },
      { did: 'query-status' },
    ]);
    expect(sessions.size).toBe(1);
  });

  it('says that QEMU is gone only where QEMU is gone', async () => {
    const carrier = carrierOf(hostOf([hostPair.publicKey]));
    const failure = (command: string): Promise<unknown> =>
      carrier.execute(command, {}, signal).then(
        () => undefined,
        (error: unknown) => error,
      );
    const ended = await failure('quit');
    expect(ended).toMatchObject({ code: 'source.connection-lost' });
    expect(isGone(ended)).toBe(true);
    const waiting = failure('silence');
    await carrier.execute('query-status', {}, signal);
    for (const session of sessions) session.end();
    const lost = await waiting;
    expect(lost).toMatchObject({ code: 'source.ssh-unreachable', retryable: true });
    expect(isGone(lost)).toBe(false);
    expect(await carrier.execute('query-status', {}, signal)).toEqual({ did: 'query-status' });
    ssh.close();
    for (const session of sessions) session.end();
    await carrier.close();
    const unreached = await failure('query-status');
    expect(unreached).toMatchObject({ code: 'source.ssh-unreachable' });
    expect(isGone(unreached)).toBe(false);
  });

  it.each([
    ['missing', 'source.unreachable', 'no such socket'],
    ['open', 'source.unreachable', 'AllowStreamLocalForwarding'],
    ['denied', 'source.socket-denied', 'nobody.qmp'],
  ])('says why a socket is not opened: %s', async (state, code, text) => {
    prints = (command) => (command.includes("'/x y'\\''s/nobody.qmp'") ? `${state}\n` : '');
    await expect(
      carrierOf(hostOf([hostPair.publicKey]), "/x y's/nobody.qmp").execute('x', {}, signal),
    ).rejects.toMatchObject({ code, message: expect.stringContaining(text) as string });
  });

  it('sends nothing to a host with another key, and names the fingerprint', async () => {
    await expect(hostOf([createEd25519KeyPair('other').publicKey]).hostKey(signal)).rejects.toMatchObject({
      code: 'source.ssh-host-key-mismatch',
      message: expect.stringContaining('SHA256:') as string,
    });
    await expect(hostOf(['ecdsa-sha2-nistp256 AAAA']).hostKey(signal)).rejects.toMatchObject({
      code: 'source.ssh-host-key-mismatch',
    });
    await expect(hostOf([hostPair.publicKey], 'mallory').hostKey(signal)).rejects.toMatchObject({
      code: 'source.login-refused',
    });
  });

  it('measures and removes on the host', async () => {
    const commands: string[] = [];
    prints = (command) => {
      commands.push(command);
      return command.startsWith('df')
        ? 'Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/sda1 1000 600 400 60% /var/tmp\n'
        : '';
    };
    const host = hostOf([hostPair.publicKey]);
    expect(await host.freeBytes('/var/tmp', signal)).toBe(400 * 1024);
    await host.removeFile('/var/tmp/a b', signal);
    expect(commands).toEqual(["df -Pk -- '/var/tmp'", "rm -f -- '/var/tmp/a b'"]);
  });

  it('lets a caller wait on when another one gave up the login', async () => {
    const host = hostOf([hostPair.publicKey]);
    const impatient = new AbortController();
    const given = host.hostKey(impatient.signal);
    const patient = host.hostKey(signal);
    impatient.abort();
    await expect(given).rejects.toMatchObject({ code: 'general.cancelled' });
    expect(await patient).toBe(hostPair.publicKey);
  });
});
