import { once } from 'node:events';
import { connect, createServer, type AddressInfo, type Server } from 'node:net';
import ssh2, { type Connection } from 'ssh2';
import { afterEach, describe, expect, it, test } from 'vitest';
import { parseJumpHost } from '../../../shared/plugins/shapes/ssh-route.ts';
import { createEd25519KeyPair } from '../ssh-keys/ed25519-key-pair.ts';
import { SshConnection } from './ssh-connection.ts';
import { sshRoute } from './ssh-route.ts';

const signal = new AbortController().signal;
const user = createEd25519KeyPair('user');

describe('an SSH connection through others', () => {
  const open: (() => unknown)[] = [];
  afterEach(async () => {
    for (const close of open.splice(0)) await close();
  });

  /** A server that says its name to every command, and opens connections where `forwards`. Names of those who signed in are in `entered`. */
  const serverOf = async (name: string, forwards: boolean) => {
    const key = createEd25519KeyPair(name);
    const entered: string[] = [];
    const connections = new Set<Connection>();
    const server = new ssh2.Server({ hostKeys: [key.privateKeyPem] }, (connection) => {
      connections.add(connection);
      connection.on('error', () => undefined);
      connection.on('close', () => connections.delete(connection));
      connection.on('authentication', (context) => {
        if (context.method === 'none') return context.reject(['publickey', 'password']);
        entered.push(`${context.method} ${context.username}`);
        context.accept();
      });
      connection.on('session', (accept) =>
        accept().on('exec', (run) => {
          const channel = run();
          channel.write(name);
          channel.exit(0);
          channel.end();
        }),
      );
      connection.on('tcpip', (accept, reject, info) => {
        if (!forwards) return reject();
        const socket = connect(info.destPort, info.destIP);
        socket.once('error', () => reject());
        socket.once('connect', () => {
          const channel = accept();
          socket.on('error', () => undefined);
          socket.on('close', () => channel.end());
          channel.on('error', () => undefined);
          socket.pipe(channel).pipe(socket);
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const drop = (): void => connections.forEach((connection) => connection.end());
    open.push(() => {
      drop();
      server.close();
    });
    return {
      host: '127.0.0.1',
      port: (server.address() as AddressInfo).port,
      hostKey: key.publicKey,
      entered,
      connections,
      drop,
    };
  };
  type Rig = Awaited<ReturnType<typeof serverOf>>;
  const entry = ({ host, port, hostKey }: Rig, name: string): string => `${name}@${host}:${port} ${hostKey}`;
  const through = async (target: Rig, hops: readonly string[], proxy?: string) => {
    const credentials = { privateKeyPem: user.privateKeyPem, password: 'only for the target' };
    const route = sshRoute({ ssh_jump_hosts: hops, ...(proxy === undefined ? {} : { ssh_proxy: proxy }) }, credentials);
    const { host, port, hostKey } = target;
    const connection = await SshConnection.connect(
      { host, port, hostKey, username: 'root', ...credentials, ...route },
      {},
      signal,
    );
    open.unshift(() => connection.close());
    return connection;
  };
  /** A proxy that counts what it opens. */
  const proxyRig = async () => {
    const targets: string[] = [];
    const server: Server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (head) => {
        const target = /^CONNECT (\S+):(\d+) /.exec(head.toString('latin1'));
        targets.push(`${target?.[1]}:${target?.[2]}`);
        const far = connect(Number(target?.[2]), target?.[1]);
        far.on('error', () => socket.destroy());
        socket.on('close', () => far.destroy());
        far.once('connect', () => {
          socket.write('HTTP/1.1 200 OK\r\n\r\n');
          socket.pipe(far).pipe(socket);
        });
      });
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    open.push(() => server.close());
    return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, targets };
  };

  it('passes through two jump hosts and a proxy, with a key for each', async () => {
    const [target, inner, outer, proxy] = [
      await serverOf('target', false),
      await serverOf('inner', true),
      await serverOf('outer', true),
      await proxyRig(),
    ];
    const connection = await through(target, [entry(outer, 'a'), entry(inner, 'b')], proxy.url);
    expect(await connection.exec('hostname', { signal, timeoutMs: 10_000 })).toMatchObject({ stdout: 'target' });
    expect(proxy.targets).toEqual([`127.0.0.1:${outer.port}`]);
    expect([outer.entered, inner.entered, target.entered].map((names) => [...new Set(names)])).toEqual([
      ['publickey a'],
      ['publickey b'],
      ['publickey root'],
    ]);
    await connection.close();
    await expect.poll(() => [outer, inner, target].map(({ connections }) => connections.size)).toEqual([0, 0, 0]);
  });

  it('signs in nowhere behind a jump host with another key, and leaves no connection behind', async () => {
    const [target, inner, outer] = [
      await serverOf('target', false),
      await serverOf('inner', true),
      await serverOf('outer', true),
    ];
    const wrong = entry({ ...inner, hostKey: outer.hostKey }, 'b');
    await expect(through(target, [entry(outer, 'a'), wrong])).rejects.toMatchObject({
      code: 'transport.host-key-mismatch',
    });
    expect([inner.entered, target.entered]).toEqual([[], []]);
    await expect.poll(() => outer.connections.size).toBe(0);
  });

  it('names the jump host that does not open the connection', async () => {
    const [target, outer] = [await serverOf('target', false), await serverOf('outer', false)];
    await expect(through(target, [entry(outer, 'a')])).rejects.toMatchObject({
      code: 'transport.unreachable',
      message: expect.stringContaining(`127.0.0.1:${outer.port}: 127.0.0.1:${target.port}`) as string,
    });
  });

  it('is lost when a jump host is lost', async () => {
    const [target, outer] = [await serverOf('target', false), await serverOf('outer', true)];
    const connection = await through(target, [entry(outer, 'a')]);
    const lost = new Promise((resolve) => connection.lost.addEventListener('abort', resolve, { once: true }));
    outer.drop();
    await lost;
    expect(connection.lost.reason).toMatchObject({
      code: 'transport.lost',
      message: expect.stringContaining(`through 127.0.0.1:${outer.port}`) as string,
    });
  });
});

test('a jump host is user, address and key', () => {
  const key = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIA==';
  expect(parseJumpHost(`me@bastion.example ${key}`)).toEqual({
    username: 'me',
    host: 'bastion.example',
    port: 22,
    hostKey: key,
  });
  expect(parseJumpHost(`DOM\\me@[2001:db8::1]:2222 ${key}`)).toEqual({
    username: 'DOM\\me',
    host: '2001:db8::1',
    port: 2222,
    hostKey: key,
  });
  for (const bad of [
    'me@bastion.example',
    `bastion.example ${key}`,
    `me@bastion.example:0 ${key}`,
    `me@bastion.example:70000 ${key}`,
    `me@-x ${key}`,
    `me@a@b ${key}`,
    `me@a ${key}\n`,
  ])
    expect([bad, parseJumpHost(bad)]).toEqual([bad, undefined]);
});

test('a jump host gets the password only where there is no key', () => {
  const hops = ['me@bastion ssh-ed25519 AAAA'];
  expect(sshRoute({ ssh_jump_hosts: hops }, { privateKeyPem: 'k', passphrase: 'p', password: 'w' }).jumpHosts).toEqual([
    { username: 'me', host: 'bastion', port: 22, hostKey: 'ssh-ed25519 AAAA', privateKeyPem: 'k', passphrase: 'p' },
  ]);
  expect(sshRoute({ ssh_jump_hosts: hops }, { password: 'w' }).jumpHosts).toMatchObject([{ password: 'w' }]);
  expect(sshRoute({ ssh_proxy: 'http://p:3128', ssh_proxy_username: 'u', ssh_proxy_password: 's' }, {})).toEqual({
    jumpHosts: [],
    proxy: { kind: 'http', host: 'p', port: 3128, username: 'u', password: 's' },
  });
});
