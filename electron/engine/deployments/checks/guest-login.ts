import type { GuestCheck } from '../../../../shared/model/after-boot-check.ts';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { trustOver } from '../../http/server-certificates.ts';
import { SshConnection } from '../../transport/ssh-connection.ts';
import { WinrmConnection } from '../../transport/winrm/winrm-connection.ts';

type LoginOf<C> = C extends unknown
  ? Pick<C, Extract<keyof C, 'username' | 'port' | 'hostKey' | 'certificateSha256'>>
  : never;
export type SshLogin = LoginOf<Extract<GuestCheck, { hostKey: string }>>;
export type WinrmLogin = LoginOf<Exclude<GuestCheck, { hostKey: string }>>;

export interface GuestAnswer {
  /** Undefined when a signal ended the command. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long a guest may take. */
export interface GuestPatience {
  /** To connect and sign in: the VM may have further addresses. */
  readonly connectMs: number;
  /** For all of it. */
  readonly timeoutMs: number;
}

const mostOutputBytes = 256 * 1024;

/**
 * Runs a command in the guest. The host key is pinned: a guest with another one gets neither the user name nor a signature.
 * @param credential a private key as PEM, or a password
 * @throws CausewayError `transport.*`, the signal's reason
 */
export async function runBySsh(
  login: SshLogin,
  host: string,
  credential: string,
  { command, input }: { readonly command: string; readonly input?: Uint8Array },
  { connectMs, timeoutMs }: GuestPatience,
  signal: AbortSignal,
): Promise<GuestAnswer> {
  const { username, hostKey, port = 22 } = login;
  const secret = credential.trimStart().startsWith('-----BEGIN')
    ? { privateKeyPem: credential }
    : { password: credential };
  const ssh = await SshConnection.connect(
    { host, port, username, hostKey, ...secret },
    { handshakeTimeoutMs: connectMs },
    signal,
  );
  try {
    return await ssh.exec(command, {
      signal,
      timeoutMs,
      maxOutputBytes: mostOutputBytes,
      ...(input === undefined ? {} : { input }),
    });
  } finally {
    await ssh.close();
  }
}

/**
 * Runs PowerShell in the guest. Its certificate is pinned: a guest with another one gets neither the user name nor the password. Without a pin, the guest is only asked which
 * certificate it has.
 * @throws CausewayError `transport.*`, the signal's reason
 */
export async function runByWinrm(
  login: WinrmLogin,
  host: string,
  password: string,
  { script, input }: { readonly script: string; readonly input?: Uint8Array },
  { connectMs, timeoutMs }: GuestPatience,
  signal: AbortSignal,
): Promise<GuestAnswer> {
  const { username, certificateSha256, port = 5986 } = login;
  const opening = AbortSignal.any([signal, AbortSignal.timeout(connectMs)]);
  const inTime = (error: unknown): never => {
    signal.throwIfAborted();
    if (opening.aborted)
      throw new CausewayError(
        'transport.unreachable',
        `WinRM on ${host}:${port}: no answer within ${Math.round(connectMs / 1000)} s`,
      );
    throw error;
  };
  if (certificateSha256 === undefined) {
    const {
      chain: [shown],
    } = await trustOver(undefined, host, port, undefined, opening).catch(inTime);
    throw new CausewayError(
      'transport.certificate-mismatch',
      `WinRM on ${host}:${port} has the certificate with SHA-256 ${shown?.sha256.replaceAll(':', '').toLowerCase() ?? 'that it does not show'}. The check names none: compare it in the guest, then enter it`,
    );
  }
  const winrm = new WinrmConnection({ host, port, username, password, certificateSha256, authentication: 'auto' });
  try {
    await winrm.open(opening).catch(inTime);
    const { exitCode, stdout, stderr } = await winrm.powershell(script, {
      signal,
      timeoutMs,
      ...(input === undefined ? {} : { input }),
    });
    if (stdout.length + stderr.length > mostOutputBytes)
      throw new CausewayError(
        'transport.command-failed',
        `WinRM on ${host}:${port}: the command printed too much output`,
      );
    return { code: exitCode, stdout, stderr };
  } finally {
    await winrm.close();
  }
}
