import { spawn } from 'node:child_process';
import { timingSafeEqual } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import type { AuthContext, Connection, ServerChannel } from 'ssh2';

/**
 * The SSH server of a worker that runs as this user: public keys and passwords, commands with their standard streams, nothing else.
 * A process of its own, so that its encryption is not the engine's load. Usage: user-worker-sshd.ts SETTINGS.json
 */
interface Settings {
  readonly host: string;
  readonly port: number;
  readonly hostKey: string;
  /** Account name → its authorized keys. */
  readonly accounts: Readonly<Record<string, readonly string[]>>;
  /** Account name → its password, where it has one. What such an account has in `.ssh/authorized_keys` lets it in as well. */
  readonly passwords: Readonly<Record<string, string>>;
  readonly folder: string;
  readonly environment: Readonly<Record<string, string>>;
}

const settings = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Settings;

function keysOf(username: string): readonly string[] {
  const given = settings.accounts[username] ?? [];
  const own = join(settings.folder, '.ssh', 'authorized_keys');
  return Object.hasOwn(settings.passwords, username) && existsSync(own)
    ? [...given, ...readFileSync(own, 'utf8').trim().split('\n')]
    : given;
}

function isAuthorized(context: AuthContext): boolean {
  if (context.method === 'password')
    return (
      Object.hasOwn(settings.passwords, context.username) && settings.passwords[context.username] === context.password
    );
  if (context.method !== 'publickey') return false;
  for (const line of keysOf(context.username)) {
    const key = ssh2.utils.parseKey(line);
    if (key instanceof Error) continue;
    const wanted = key.getPublicSSH();
    const isKey = wanted.length === context.key.data.length && timingSafeEqual(wanted, context.key.data);
    if (!isKey) continue;
    // Without a signature the client only asks whether the key would do.
    if (context.signature === undefined) return true;
    return key.verify(context.blob ?? Buffer.alloc(0), context.signature, context.hashAlgo) === true;
  }
  return false;
}

function runCommand(command: string, channel: ServerChannel): void {
  const child = spawn('/bin/sh', ['-c', command], {
    cwd: settings.folder,
    env: settings.environment,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  channel.pipe(child.stdin);
  child.stdout.pipe(channel, { end: false });
  child.stderr.pipe(channel.stderr, { end: false });
  for (const stream of [child.stdin, child.stdout, child.stderr, channel, channel.stderr]) stream.on('error', () => {});
  const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
    if (signal === null) channel.exit(code ?? 255);
    else channel.exit(signal.replace('SIG', ''));
    channel.end();
  };
  child.once('close', finish);
  // A command that leaves something in the background with its streams has ended all the same.
  child.once('exit', (code, signal) => {
    setTimeout(() => {
      if (channel.writable) finish(code, signal);
    }, 2000).unref();
  });
  channel.once('close', () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGHUP');
  });
}

const server = new ssh2.Server({ hostKeys: [settings.hostKey] }, (connection: Connection) => {
  connection.on('authentication', (context) => {
    if (isAuthorized(context)) context.accept();
    else context.reject(['publickey', 'password']);
  });
  connection.on('session', (accept) => {
    const session = accept();
    session.on('exec', (acceptCommand, _reject, { command }) => runCommand(command, acceptCommand()));
  });
  connection.on('error', () => {});
});

server.listen(settings.port, settings.host, () => process.stdout.write('listening\n'));
