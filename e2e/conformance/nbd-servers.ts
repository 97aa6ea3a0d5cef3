// needs: qemu-utils, openssl
import { execFile } from 'node:child_process';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { kill, spawnBound } from '../rigs/machines/child-process.ts';
import { requirePrograms } from '../rigs/machines/require-programs.ts';

export const run = promisify(execFile);

export interface Served {
  readonly socket: string;
  stop(): Promise<void>;
}

/** Starts an NBD server on a Unix socket in `folder` and waits until it listens. */
export async function startServer(
  folder: string,
  tool: 'nbdkit' | 'qemu-nbd',
  args: (socket: string) => readonly string[],
): Promise<Served> {
  const socket = join(folder, `${tool}-${process.hrtime.bigint()}.sock`);
  requirePrograms('an NBD server', 'setpriv', tool);
  await using stack = new AsyncDisposableStack();
  const child = stack.adopt(spawnBound(tool, args(socket), { stdio: ['ignore', 'ignore', 'pipe'] }), (server) =>
    kill(server, 'SIGTERM'),
  );
  let stderr = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
  const failed = new Promise<never>((_resolve, reject) => {
    child.once('exit', (code) => reject(new Error(`${tool} ended with ${code}: ${stderr}`)));
  });
  failed.catch(() => undefined);
  for (let tries = 0; tries < 400 && !(await listens(socket)); tries++) await Promise.race([delay(10), failed]);
  const opened = stack.move();
  return { socket, stop: () => opened.disposeAsync() };
}

function listens(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = net.connect({ path });
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** A CA, a server certificate for `localhost` and a client certificate, named as QEMU and nbdkit want them. */
export async function makeCredentials(folder: string): Promise<void> {
  const openssl = (...args: string[]) => run('openssl', args, { cwd: folder });
  await openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    '-subj',
    '/CN=test CA',
    '-keyout',
    'ca-key.pem',
    '-out',
    'ca-cert.pem',
    '-addext',
    'keyUsage=critical,keyCertSign,cRLSign',
  );
  for (const [name, usage] of [
    ['server', 'serverAuth'],
    ['client', 'clientAuth'],
  ] as const) {
    await openssl(
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-CA',
      'ca-cert.pem',
      '-CAkey',
      'ca-key.pem',
      '-keyout',
      `${name}-key.pem`,
      '-out',
      `${name}-cert.pem`,
      '-addext',
      `extendedKeyUsage=${usage}`,
      '-addext',
      'subjectAltName=DNS:localhost,IP:127.0.0.1',
      '-addext',
      'basicConstraints=critical,CA:FALSE',
      '-addext',
      'keyUsage=critical,digitalSignature,keyEncipherment',
    );
  }
}
