import { once } from 'node:events';
import { connect, type AddressInfo } from 'node:net';
import ssh2, { type Connection } from 'ssh2';
import type { createEd25519KeyPair } from '../../engine/ssh-keys/ed25519-key-pair.ts';

export type HostKeyPair = ReturnType<typeof createEd25519KeyPair>;

/** An SSH server on this computer: a mover, a jump host, or one that poses as another. */
export interface SshStandIn {
  readonly port: number;
  readonly hostKey: string;
  /** How people tried to sign in, in order: `publickey`, or `password` and the password. */
  readonly shown: string[];
  /** Whether it accepts any key; may be changed. */
  acceptsKeys: boolean;
  /** The password that it accepts; may be changed. */
  password: string | undefined;
  close(): Promise<void>;
}

export interface SshStandInOptions {
  readonly pair: HostKeyPair;
  readonly acceptsKeys?: boolean;
  readonly password?: string;
  /** What it connects to for a host and port behind it: a server, or one that never says a word. It opens no connections without. */
  readonly behind?: () => SshStandIn | 'silent' | undefined;
}

/** Starts one. It answers each command with the system of a mover. */
export async function startSshStandIn({
  pair,
  acceptsKeys = false,
  password,
  behind,
}: SshStandInOptions): Promise<SshStandIn> {
  const connections = new Set<Connection>();
  const shown: string[] = [];
  const server = new ssh2.Server({ hostKeys: [pair.privateKeyPem] }, (connection) => {
    connections.add(connection);
    connection.on('error', () => undefined);
    connection.on('close', () => connections.delete(connection));
    connection.on('authentication', (context) => {
      if (context.method === 'none') return context.reject(['publickey', 'password']);
      shown.push(context.method === 'password' ? `password ${context.password}` : context.method);
      const isAccepted =
        context.method === 'publickey'
          ? standIn.acceptsKeys
          : context.method === 'password' && context.password === standIn.password;
      if (isAccepted) return context.accept();
      context.reject(['publickey', 'password']);
    });
    connection.on('session', (accept) =>
      accept().on('exec', (run) => {
        const channel = run();
        channel.write('Linux x86_64\n');
        channel.exit(0);
        channel.end();
      }),
    );
    connection.on('tcpip', (accept, reject) => {
      const target = behind?.();
      if (target === undefined) return reject();
      if (target === 'silent') return void accept().on('error', () => undefined);
      const socket = connect(target.port, '127.0.0.1');
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
  const standIn: SshStandIn = {
    port: (server.address() as AddressInfo).port,
    hostKey: pair.publicKey,
    shown,
    acceptsKeys,
    password,
    async close() {
      const closed = once(server, 'close');
      server.close();
      connections.forEach((connection) => connection.end());
      await closed;
    },
  };
  return standIn;
}
