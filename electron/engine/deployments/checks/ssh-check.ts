import type { AfterBootCheck } from '../../../../shared/model/after-boot-check.ts';
import { SshConnection } from '../../transport/ssh-connection.ts';
import { cleanAnswer } from './clean-answer.ts';

type SshCheck = Extract<AfterBootCheck, { kind: 'ssh' }>;

const mostOutputBytes = 256 * 1024;

/**
 * Runs a command in the guest. The host key is pinned: a guest with another one gets neither the user name nor a signature.
 * @param credential a private key as PEM, or a password
 * @throws Error that says what is not as expected
 */
export async function checkSsh(check: SshCheck, host: string, credential: string, signal: AbortSignal, timeoutMs: number): Promise<string> {
  const { username, hostKey, command, port = 22, exitStatus = 0 } = check;
  const login = credential.trimStart().startsWith('-----BEGIN') ? { privateKeyPem: credential } : { password: credential };
  const ssh = await SshConnection.connect({ host, port, username, hostKey, ...login }, { handshakeTimeoutMs: timeoutMs }, signal);
  try {
    const { code, stdout, stderr } = await ssh.exec(command, { signal, timeoutMs, maxOutputBytes: mostOutputBytes });
    const said = cleanAnswer(stdout.trim() === '' ? stderr : stdout);
    if (code !== exitStatus) throw new Error(`${username}@${host}: the command ended with status ${code ?? 'of a signal'} instead of ${exitStatus}${said === '' ? '' : `: ${said}`}`);
    if (check.text !== undefined && !stdout.includes(check.text)) throw new Error(`${username}@${host}: the output does not contain "${cleanAnswer(check.text)}": ${said}`);
    return `${username}@${host}: the command ended with status ${code}${said === '' ? '' : `: ${said}`}`;
  } finally {
    await ssh.close();
  }
}
