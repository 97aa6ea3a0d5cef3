// needs: openssh-server, openssh-client
import { execFile, type ChildProcess } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { temporaryFolder } from './closing.ts';
import { kill, spawnBound } from './machines/child-process.ts';
import type { NetworkNamespace } from './network-namespace.ts';

const run = promisify(execFile);

/** A real OpenSSH server on loopback, or in a network of its own, with keys of its own. */
export interface SshdRig {
  readonly pid: number;
  readonly address: string;
  readonly port: number;
  readonly username: string;
  readonly privateKeyPem: string;
  readonly privateKeyPath: string;
  /** `<type> <base64>` */
  readonly hostKey: string;
  readonly hostKeyPath: string;
  readonly folder: string;
  /** What the server has logged so far. */
  log(): string;
  stop(): Promise<void>;
}

/** For `SetEnv`: by this mark a run of the tests finds what a part of it left running. The server hands its own environment to nobody. */
export const markOfPart =
  process.env['CAUSEWAY_TEST_PART'] === undefined ? '' : ` "CAUSEWAY_TEST_PART=${process.env['CAUSEWAY_TEST_PART']}"`;

/**
 * Starts sshd for the user that runs this. Throws with one line when it is not installed. `port` lets a second
 * server take the place of a first one.
 */
export async function startSshd(
  options: {
    readonly port?: number;
    readonly extraConfig?: string;
    readonly network?: NetworkNamespace | undefined;
  } = {},
): Promise<SshdRig> {
  if (!existsSync('/usr/sbin/sshd')) throw new Error('sshd is missing: apt-get install openssh-server openssh-client');
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack, 'causeway-sshd-');
  const path = (name: string): string => join(folder, name);
  await Promise.all(
    ['host', 'user'].map((name) => run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', '', '-f', path(name)])),
  );
  await writeFile(path('authorized'), await readFile(path('user.pub')), { mode: 0o600 });
  const port = options.port ?? (await freePort());
  const address = options.network?.address ?? '127.0.0.1';
  await writeFile(path('config'), configuration(address, port, folder, options.extraConfig ?? ''));
  // sshd insists on its privilege separation folder, which a machine without a running ssh service lacks.
  if (process.getuid?.() === 0) await mkdir('/run/sshd', { recursive: true, mode: 0o755 });
  const [program, ...before] = [...(options.network?.within ?? []), '/usr/sbin/sshd'];
  const server = spawnBound(program!, [...before, '-f', path('config'), '-D', '-e'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  stack.adopt(server, (running) => kill(running, 'SIGTERM'));
  let log = '';
  server.stderr?.on('data', (piece: Buffer) => (log += piece.toString('utf8')));
  await listening(server);
  const [privateKeyPem, hostKey] = await Promise.all([
    readFile(path('user'), 'utf8'),
    readFile(path('host.pub'), 'utf8'),
  ]);
  const opened = stack.move();
  return {
    pid: server.pid ?? 0,
    address,
    port,
    username: userInfo().username,
    privateKeyPem,
    privateKeyPath: path('user'),
    hostKey: hostKey.trim(),
    hostKeyPath: path('host'),
    folder,
    log: () => log,
    stop: () => opened.disposeAsync(),
  };
}

function configuration(address: string, port: number, folder: string, extra: string): string {
  return [
    // The first value of a keyword counts.
    extra,
    `Port ${port}`,
    `ListenAddress ${address}`,
    `HostKey ${join(folder, 'host')}`,
    `AuthorizedKeysFile ${join(folder, 'authorized')}`,
    `PidFile ${join(folder, 'pid')}`,
    'PasswordAuthentication no',
    'UsePAM no',
    'StrictModes no',
    'PermitRootLogin prohibit-password',
    'MaxStartups 100',
    // Commands run without this account's own shell settings, of which some start programs at every login.
    `SetEnv HOME=${folder}${markOfPart}`,
    'LogLevel INFO',
    '',
  ].join('\n');
}

function listening(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let said = '';
    server.stderr?.on('data', (piece: Buffer) => {
      said += piece.toString('utf8');
      if (said.includes('Server listening on')) resolve();
    });
    server.once('error', reject);
    server.once('exit', () => reject(new Error(`sshd ended: ${said.trim()}`)));
  });
}

/**
 * A TCP port of loopback that was free a moment ago. Not one that the system would choose: those are given to outgoing connections
 * all the time, and one of them may have it before a server listens there.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(10_240, 32_768);
    const probe = createServer();
    const isFree = await new Promise<boolean>((resolve) =>
      probe.once('error', () => resolve(false)).listen(port, '127.0.0.1', () => resolve(true)),
    );
    if (!isFree) continue;
    await new Promise((resolve) => probe.close(resolve));
    return port;
  }
}
