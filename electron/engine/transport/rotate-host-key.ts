import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { shellQuoted, type SshConnection } from './ssh-connection.ts';

/**
 * The first host key of a worker was made here and went there by user data, which others may read: the cloud, and anyone
 * with access to the server. So the worker generates a new one, and its private part never leaves the worker.
 */

const keyPath = '/etc/ssh/ssh_host_ed25519_key';
const reload =
  'systemctl reload ssh.service 2>/dev/null || systemctl reload sshd.service 2>/dev/null || kill -HUP "$(cat /run/sshd.pid /var/run/sshd.pid 2>/dev/null | head -n 1)"';

/**
 * Makes the worker create a new host key, and returns its public part. It takes effect with the next connection.
 *
 * @param onMade called with the new key before the worker uses it, so that it is known if the connection is lost
 * @throws `transport.command-failed` when this worker cannot; its key is the old one then
 */
export async function rotateHostKey(
  ssh: SshConnection,
  onMade: (hostKey: string) => void,
  signal: AbortSignal,
): Promise<string> {
  const shown = ssh.hostKey.trim().split(/\s+/).slice(0, 2).join(' ');
  const made = await ssh.exec(
    asRoot([
      `key=${keyPath}`,
      // Left alone where the SSH server is not the system's.
      `[ "$(cut -d" " -f1,2 "$key.pub" 2>/dev/null)" = ${shellQuoted(shown)} ] || { echo "its host key is not in $key" >&2; exit 1; }`,
      'umask 077; rm -f "$key.next" "$key.next.pub"',
      'ssh-keygen -q -t ed25519 -N "" -C causeway -f "$key.next" < /dev/null',
      'cut -d" " -f1,2 "$key.next.pub"',
    ]),
    { signal, timeoutMs: 60_000 },
  );
  const next = made.stdout.trim();
  if (made.code !== 0 || !/^ssh-ed25519 [A-Za-z0-9+/]{60,}={0,2}$/.test(next)) throw cannot(made.stderr);
  onMade(next);
  const placed = await ssh.exec(
    asRoot([
      `key=${keyPath}`,
      'cp -p "$key" "$key.first"; cp -p "$key.pub" "$key.pub.first"',
      'chmod 644 "$key.next.pub"; mv -f "$key.next.pub" "$key.pub"; mv -f "$key.next" "$key"',
      reload,
    ]),
    { signal, timeoutMs: 60_000 },
  );
  if (placed.code !== 0) {
    await restoreHostKey(ssh, signal);
    throw cannot(placed.stderr);
  }
  return next;
}

/** Restores the old key over the connection that replaced it. */
export async function restoreHostKey(ssh: SshConnection, signal: AbortSignal): Promise<void> {
  await ssh.exec(asRoot([`key=${keyPath}`, 'mv -f "$key.pub.first" "$key.pub"; mv -f "$key.first" "$key"', reload]), {
    signal,
    timeoutMs: 60_000,
  });
}

/** Removes the old key from the worker. */
export async function forgetFirstHostKey(ssh: SshConnection, signal: AbortSignal): Promise<void> {
  await ssh.exec(asRoot([`rm -f ${keyPath}.first ${keyPath}.pub.first`]), { signal, timeoutMs: 60_000 });
}

function asRoot(lines: readonly string[]): string {
  return `sudo -n sh -c ${shellQuoted(['set -e', ...lines].join('\n'))}`;
}

function cannot(evidence: string): CausewayError {
  return new CausewayError(
    'transport.command-failed',
    `the worker cannot change its SSH host key: ${evidence.trim().slice(-300) || 'no reason given'}`,
  );
}
