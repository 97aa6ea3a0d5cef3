import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../../shared/model/errors/catalogue.ts';
import type { QemuHypervisorConnection } from '../../../../shared/plugins/qemu-hypervisor/connection.ts';
import type { RemoteSocket, RemoteStream } from '../../nbd/address.ts';
import { shellQuoted, SshConnection, type SshTarget } from '../../transport/ssh-connection.ts';
import { sshRoute } from '../../transport/ssh-route.ts';
import type { HypervisorHost } from './hypervisor-host.ts';

const COMMAND_TIMEOUT = 15_000;

/** What the SSH connection says, in terms of a source. None of them says that QEMU is gone: nothing is known of it then. */
const sourceCodes: Readonly<Partial<Record<ErrorCode, ErrorCode>>> = {
  'transport.unreachable': 'source.ssh-unreachable',
  'transport.lost': 'source.ssh-unreachable',
  'transport.closed': 'source.ssh-unreachable',
  'transport.command-failed': 'source.ssh-unreachable',
  'transport.proxy-refused': 'source.ssh-unreachable',
  'transport.proxy-not-trusted': 'source.ssh-unreachable',
  'transport.login-refused': 'source.login-refused',
  'transport.host-key-mismatch': 'source.ssh-host-key-mismatch',
};

/**
 * A hypervisor's host over SSH. One connection carries everything: each connection to one of its Unix sockets is a forwarded
 * channel. It is made when it is first needed, and again after a loss.
 */
export class SshHost implements HypervisorHost {
  readonly #target: SshTarget;
  readonly #hostKeys: readonly string[];
  #opening: Promise<SshConnection> | undefined;

  /** @param hostKeys the host may have one of them; nothing but the handshake is sent to one that has none of them */
  constructor(target: SshTarget, hostKeys: readonly string[]) {
    this.#target = target;
    this.#hostKeys = hostKeys;
  }

  /** Logs in, if that is not done, and resolves with the host key that the host has shown. */
  async hostKey(signal: AbortSignal): Promise<string> {
    return (await this.#connect(signal)).hostKey;
  }

  socket(path: string): RemoteSocket {
    const name = `${this.#target.username}@${this.#target.host}:${this.#target.port}:${path}`;
    return { path, name, open: (signal) => this.#openSocket(path, name, signal) };
  }

  /** The numeric ID of the user that signs in. */
  async userId(signal: AbortSignal): Promise<string> {
    const id = (await this.#run('id -u', signal)).trim();
    if (!/^\d+$/.test(id))
      throw new CausewayError(
        'source.protocol',
        `${this.#target.host} does not say the ID of ${this.#target.username}: ${id.slice(0, 100)}`,
      );
    return id;
  }

  async freeBytes(folder: string, signal: AbortSignal): Promise<number | undefined> {
    const [, values] = (await this.#run(`df -Pk -- ${shellQuoted(folder)}`, signal)).trim().split('\n');
    const kibibytes = Number(values?.trim().split(/\s+/).at(-3));
    return Number.isFinite(kibibytes) ? kibibytes * 1024 : undefined;
  }

  async removeFile(path: string, signal: AbortSignal): Promise<void> {
    await this.#run(`rm -f -- ${shellQuoted(path)}`, signal);
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await (await opening?.catch(() => undefined))?.close();
  }

  async #openSocket(path: string, name: string, signal: AbortSignal): Promise<RemoteStream> {
    const connection = await this.#connect(signal);
    const lost = (): CausewayError | undefined =>
      connection.lost.aborted ? (asSourceError(connection.lost.reason) as CausewayError) : undefined;
    try {
      return { stream: await connection.openSocket(path, signal), lost };
    } catch (error) {
      if (!(error instanceof CausewayError) || error.code !== 'transport.forward-refused') throw asSourceError(error);
      throw await this.#whyRefused(path, name, error, signal);
    }
  }

  /** The server gives no reason: the file on the host does, as far as commands may be run there. */
  async #whyRefused(path: string, name: string, refusal: CausewayError, signal: AbortSignal): Promise<CausewayError> {
    const quoted = shellQuoted(path);
    const state = await this.#run(
      `if [ ! -e ${quoted} ]; then echo missing; elif [ -r ${quoted} ] && [ -w ${quoted} ]; then echo open; else echo denied; fi`,
      signal,
    );
    if (state.trim() === 'denied') return new CausewayError('source.socket-denied', name, { cause: refusal });
    const evidence =
      state.trim() === 'missing'
        ? 'no such socket'
        : 'nobody listens, or the SSH server does not allow it (AllowStreamLocalForwarding)';
    return new CausewayError('source.unreachable', `${name}: ${evidence}`, { cause: refusal });
  }

  /** Standard output; empty where the command fails or the account may not run any. */
  async #run(command: string, signal: AbortSignal): Promise<string> {
    const connection = await this.#connect(signal);
    try {
      return (await connection.exec(command, { signal, timeoutMs: COMMAND_TIMEOUT })).stdout;
    } catch (error) {
      if (error instanceof CausewayError && error.code === 'transport.command-failed') return '';
      throw asSourceError(error);
    }
  }

  async #connect(signal: AbortSignal): Promise<SshConnection> {
    for (;;) {
      // Callers in the meantime wait for the same attempt, which ends with the first one's signal.
      const isMine = this.#opening === undefined;
      const opening = (this.#opening ??= this.#logIn(signal));
      try {
        const connection = await opening;
        if (!connection.lost.aborted) return connection;
      } catch (error) {
        if (this.#opening === opening) this.#opening = undefined;
        const wasCancelledByOther =
          !isMine && !signal.aborted && error instanceof CausewayError && error.code === 'general.cancelled';
        if (!wasCancelledByOther) throw asSourceError(error);
      }
      if (this.#opening === opening) this.#opening = undefined;
    }
  }

  async #logIn(signal: AbortSignal): Promise<SshConnection> {
    let mismatch = new CausewayError(
      'transport.host-key-mismatch',
      `${this.#target.host} has none of the ${this.#hostKeys.length} host keys given`,
    );
    for (const hostKey of this.#hostKeys) {
      try {
        return await SshConnection.connect({ ...this.#target, hostKey }, {}, signal);
      } catch (error) {
        if (signal.aborted)
          throw signal.reason instanceof CausewayError
            ? signal.reason
            : new CausewayError('general.cancelled', `signing in to ${this.#target.host} was cancelled`);
        const isMismatch = error instanceof CausewayError && error.code === 'transport.host-key-mismatch';
        if (isMismatch) mismatch = error;
        // A server without a key of this type ends the handshake.
        else if (!(error instanceof CausewayError && /no matching host key/i.test(error.message))) throw error;
      }
    }
    throw mismatch;
  }
}

/** The SSH host of a connection; undefined where QEMU runs on this machine. */
export function sshHostOf(connection: QemuHypervisorConnection): SshHost | undefined {
  const { ssh_host: host, ssh_username: username } = connection;
  if (host === undefined) return undefined;
  if (username === undefined) throw new CausewayError('general.invalid-input', 'ssh_host needs ssh_username');
  const plain = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const credentials = {
    privateKeyPem: plain(connection.ssh_private_key),
    passphrase: plain(connection.ssh_passphrase),
    password: plain(connection.ssh_password),
  };
  return new SshHost(
    { host, port: connection.ssh_port ?? 22, username, ...credentials, ...sshRoute(connection, credentials) },
    connection.ssh_host_keys ?? [],
  );
}

function asSourceError(error: unknown): unknown {
  const code = error instanceof CausewayError ? sourceCodes[error.code] : undefined;
  return error instanceof CausewayError && code !== undefined
    ? new CausewayError(code, error.message, { cause: error })
    : error;
}
