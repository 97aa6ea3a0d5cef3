import { once } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import ssh2, { type Connection } from 'ssh2';
import { afterEach, expect, test } from 'vitest';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { createEd25519KeyPair } from '../ssh-keys/ed25519-key-pair.ts';
import { SshConnection } from './ssh-connection.ts';

const keys = createEd25519KeyPair('test');
const servers: ssh2.Server[] = [];
afterEach(() => servers.splice(0).forEach((server) => server.close()));

/** A server that lets everybody in and runs nothing. */
async function listen(onReady: (connection: Connection) => void): Promise<number> {
  const server = new ssh2.Server({ hostKeys: [createEd25519KeyPair('host').privateKeyPem] }, (connection) => {
    connection.on('error', () => undefined);
    connection.on('authentication', (context) => context.accept());
    connection.on('ready', () => {
      connection.on('session', (accept) => accept().on('exec', (run) => run().exit(0)));
      onReady(connection);
    });
  });
  servers.push(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as { readonly port: number }).port;
}

test('a command on a connection that just ended says that the link is lost, whenever it comes', async () => {
  const signal = new AbortController().signal;
  const codes = new Set<string>();
  let end: (() => void) | undefined;
  const port = await listen((connection) => {
    end = () => connection.end();
  });
  for (let turns = 0; turns < 12; turns += 1) {
    const ssh = await SshConnection.connect(
      { host: '127.0.0.1', port, username: 'causeway', privateKeyPem: keys.privateKeyPem },
      {},
      signal,
    );
    end?.();
    // From turn to turn the end comes nearer: the socket's first, then the client's own event.
    for (let tried = 0; !ssh.lost.aborted; tried += 1) {
      const error: unknown = await ssh.openChannel('true', signal).then(
        () => undefined,
        (reason: unknown) => reason,
      );
      if (error !== undefined) {
        expect(error).toBeInstanceOf(CausewayError);
        codes.add((error as CausewayError).code);
      }
      await turn();
    }
    await expect(ssh.openChannel('true', signal)).rejects.toMatchObject({ code: 'transport.lost' });
    await ssh.close();
  }
  expect([...codes].filter((code) => !code.startsWith('transport.'))).toEqual([]);
});

test('a client that throws because its socket has ended counts as a lost link', async () => {
  const signal = new AbortController().signal;
  let kept: Connection | undefined;
  const port = await listen((connection) => {
    kept = connection;
  });
  const exec = ssh2.Client.prototype.exec;
  const ssh = await SshConnection.connect(
    { host: '127.0.0.1', port, username: 'causeway', privateKeyPem: keys.privateKeyPem },
    {},
    signal,
  );
  try {
    ssh2.Client.prototype.exec = () => {
      throw new Error('Not connected');
    };
    await expect(ssh.openChannel('true', signal)).rejects.toMatchObject({
      code: 'transport.lost',
      message: expect.stringContaining('Not connected') as string,
    });
    expect(ssh.lost.aborted).toBe(true);
  } finally {
    ssh2.Client.prototype.exec = exec;
    await ssh.close();
    kept?.end();
  }
});
