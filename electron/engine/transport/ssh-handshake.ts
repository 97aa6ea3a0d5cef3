import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2, { Client } from 'ssh2';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import type { ProxyServer } from '../http/proxy-server.ts';
import { hostKeyMismatch, hostKeyText, sameHostKey } from './host-keys.ts';
import { prepareKey, writeTogether } from './ssh2-speed.ts';
import { sshAlgorithmsFor } from './ssh-algorithms.ts';
import { connectToBanner } from './ssh-banner.ts';

export interface SshTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  /** One of this, the password and the agent. */
  readonly privateKeyPem?: string | undefined;
  readonly password?: string | undefined;
  /** Address of an SSH agent that has the key: a Unix socket, or a named pipe on Windows. */
  readonly agent?: string | undefined;
  /** Of the private key, if it is encrypted. */
  readonly passphrase?: string | undefined;
  /** `<type> <base64>`; undefined: any key is accepted and returned as `hostKey`. */
  readonly hostKey?: string | undefined;
  /** Servers on the way to it, the first one from here. Each opens the connection to the next. */
  readonly jumpHosts?: readonly SshHop[] | undefined;
  /** The proxy that the first connection goes through. */
  readonly proxy?: ProxyServer | undefined;
}

/** A server on the way. Its host key is always known: it sees where the connection goes, and who signs in to it. */
export type SshHop = Omit<SshTarget, 'jumpHosts' | 'proxy' | 'hostKey'> & { readonly hostKey: string };

export interface SshConnectOptions {
  /** For the whole handshake and login, in milliseconds. */
  readonly handshakeTimeoutMs?: number;
  /** For the server's greeting, in milliseconds. */
  readonly bannerTimeoutMs?: number;
  /** How often the server is asked for a sign of life, in milliseconds. */
  readonly keepaliveMs?: number;
  /** How long the connection may be silent before it is considered lost, in milliseconds. */
  readonly lostAfterMs?: number;
}

/** An authenticated client and its connection. */
export interface SshLogin {
  readonly client: Client;
  readonly socket: Duplex;
  /** The host key that the server showed, `<type> <base64>`. */
  readonly hostKey: string;
}

/**
 * One attempt to connect and log in. Rejects with `transport.unreachable`, `transport.login-refused`,
 * `transport.proxy-refused`, `general.runtime-lacks` or `transport.host-key-mismatch`; the latter before the user name or a
 * signature is sent.
 *
 * @param opened the connection, where something else has opened it
 */
export async function logIn(
  target: SshTarget,
  options: SshConnectOptions,
  signal: AbortSignal,
  opened?: Duplex,
): Promise<SshLogin> {
  const where = `${target.host}:${target.port}`;
  if (
    target.privateKeyPem !== undefined &&
    ssh2.utils.parseKey(target.privateKeyPem, target.passphrase) instanceof Error
  ) {
    throw new CausewayError(
      'general.invalid-input',
      `the private key for ${target.username} at ${where} cannot be read`,
    );
  }
  const algorithms = sshAlgorithmsFor(target.hostKey);
  const socket =
    opened ?? (await connectToBanner(target.host, target.port, options.bannerTimeoutMs ?? 5000, signal, target.proxy));
  if (socket instanceof Socket) writeTogether(socket);
  const client = new Client();
  let shown: string | undefined;
  const expected = target.hostKey;
  await new Promise<void>((resolve, reject) => {
    const onAbort = (): void => {
      reject(abortReason(signal));
      client.destroy();
    };
    signal.addEventListener('abort', onAbort, { once: true });
    const settle = (act: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      act();
    };
    client.once('ready', () => settle(resolve));
    client.on('error', (error) =>
      settle(() => {
        const mismatch = expected !== undefined && shown !== undefined && !sameHostKey(shown, expected);
        reject(mismatch ? hostKeyMismatch(where, expected, shown ?? '') : connectError(error, where, target.username));
        client.destroy();
      }),
    );
    client.once('close', () => settle(() => reject(unreachable(where, 'closed the connection during the handshake'))));
    client.connect({
      sock: socket,
      username: target.username,
      ...(target.privateKeyPem === undefined ? {} : { privateKey: target.privateKeyPem }),
      ...(target.password === undefined ? {} : { password: target.password }),
      ...(target.agent === undefined ? {} : { agent: target.agent }),
      ...(target.passphrase === undefined ? {} : { passphrase: target.passphrase }),
      readyTimeout: options.handshakeTimeoutMs ?? 30_000,
      keepaliveInterval: options.keepaliveMs ?? 2000,
      // What counts as life is any byte, not the answers to these alone: see the connection's watch.
      keepaliveCountMax: 1_000_000,
      algorithms,
      // A password is only shown where the key is not enough.
      authHandler: [
        'none',
        ...(target.privateKeyPem === undefined ? [] : ['publickey' as const]),
        ...(target.agent === undefined ? [] : ['agent' as const]),
        ...(target.password === undefined ? [] : ['password' as const]),
      ],
      hostVerifier: (key: Buffer) => {
        shown = hostKeyText(key);
        return expected === undefined || sameHostKey(shown, expected);
      },
    });
  }).catch((error: unknown) => {
    socket.destroy(); // an error that ssh2 throws before it takes the socket over must not keep it open
    throw error;
  });
  prepareKey(client);
  return { client, socket, hostKey: shown ?? '' };
}

/**
 * Reads the host key of a server, `<type> <base64>`, and ends the connection before anything of a user is sent. Rejects as `logIn` does.
 *
 * @param opened the connection, where something else has opened it
 */
export async function readHostKey(
  target: Pick<SshTarget, 'host' | 'port' | 'proxy'>,
  options: SshConnectOptions,
  signal: AbortSignal,
  opened?: Duplex,
): Promise<string> {
  const where = `${target.host}:${target.port}`;
  const socket =
    opened ?? (await connectToBanner(target.host, target.port, options.bannerTimeoutMs ?? 5000, signal, target.proxy));
  const client = new Client();
  try {
    return await new Promise((resolve, reject) => {
      signal.addEventListener('abort', () => reject(abortReason(signal)), { once: true });
      client.on('error', (error) => reject(unreachable(where, error.message, error)));
      client.once('close', () => reject(unreachable(where, 'closed the connection during the handshake')));
      client.connect({
        sock: socket,
        username: 'nobody',
        readyTimeout: options.handshakeTimeoutMs ?? 30_000,
        algorithms: sshAlgorithmsFor(undefined),
        hostVerifier: (key: Buffer) => {
          resolve(hostKeyText(key));
          return false;
        },
      });
    });
  } finally {
    client.destroy();
    socket.destroy();
  }
}

function connectError(error: Error & { level?: string }, where: string, username: string): CausewayError {
  if (error.level === 'client-authentication') {
    return new CausewayError('transport.login-refused', `${where} rejected the sign-in of user ${username}`, {
      cause: error,
    });
  }
  return unreachable(where, error.message, error);
}

function unreachable(where: string, evidence: string, cause?: unknown): CausewayError {
  return new CausewayError('transport.unreachable', `${where}: ${evidence}`, { cause });
}
