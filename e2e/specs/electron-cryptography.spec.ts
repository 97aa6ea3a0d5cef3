import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startSshd, type SshdRig } from '../rigs/sshd.ts';

const root = join(import.meta.dirname, '..', '..');
const run = promisify(execFile);

/** What a process with Electron's cryptography prints, and how it ends. */
async function inElectronsCryptography(
  args: readonly string[],
  lacks: readonly string[] = [],
  input: object = {},
): Promise<{ readonly status: number; readonly stdout: string }> {
  const started = run(process.execPath, ['--import', join(root, 'e2e/rigs/electron-cryptography.ts'), ...args], {
    cwd: root,
    env: { ...process.env, CAUSEWAY_RUNTIME_LACKS: lacks.join(','), CAUSEWAY_TARGET: JSON.stringify(input) },
  });
  try {
    return { status: 0, stdout: (await started).stdout };
  } catch (error) {
    const { code, stdout } = error as { readonly code: number; readonly stdout: string };
    return { status: code, stdout };
  }
}

const login = `
  import { SshConnection } from './electron/engine/transport/ssh-connection.ts';
  const signal = AbortSignal.timeout(60_000);
  try {
    const connection = await SshConnection.connect(JSON.parse(process.env.CAUSEWAY_TARGET), {}, signal);
    const bytes = Buffer.alloc(2_000_000, 'causeway');
    const { stdout } = await connection.exec('wc -c', { signal, timeoutMs: 60_000, input: bytes });
    console.log(stdout.trim());
    await connection.close();
  } catch (error) {
    console.log(error.code, error.message);
  }`;

describe('with the cryptography that Electron has', () => {
  let sshd: SshdRig;
  const logIn = (server: SshdRig, lacks: readonly string[] = []) => {
    const { port, username, privateKeyPem, hostKey } = server;
    return inElectronsCryptography(['--input-type=module-typescript', '--eval', login], lacks, {
      host: '127.0.0.1',
      port,
      username,
      privateKeyPem,
      hostKey,
    });
  };
  beforeAll(async () => {
    sshd = await startSshd();
  });
  afterAll(() => sshd.stop());

  it('logs in by SSH and sends data', async () => {
    expect(await logIn(sshd)).toEqual({ status: 0, stdout: '2000000\n' });
  });

  it('logs in to a server without X25519 and without AES-GCM', async () => {
    const old = await startSshd({ extraConfig: 'KexAlgorithms ecdh-sha2-nistp256\nCiphers aes256-ctr' });
    try {
      expect((await logIn(old, ['x25519'])).stdout).toBe('2000000\n');
    } finally {
      await old.stop();
    }
  });

  it('says which part of SSH is missing where nothing is left to offer', async () => {
    expect((await logIn(sshd, ['aes'])).stdout).toContain('general.runtime-lacks SSH: no usable ciphers');
    expect((await logIn(sshd, ['ed25519-jwk'])).stdout).toContain(
      'general.runtime-lacks SSH: no usable host keys of type ssh-ed25519',
    );
  });

  it('has everything that is needed, and the check says so', async () => {
    const { status, stdout } = await inElectronsCryptography(['electron/cli.ts', 'doctor', '--json']);
    const checks = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { readonly name: string; readonly outcome: string });
    expect(checks.filter(({ outcome }) => outcome === 'missing').map(({ name }) => name)).toEqual([
      'ChaCha20 as a cipher',
    ]);
    expect(status).toBe(0);
  });

  it.each([
    ['ed25519-jwk', /missing +Ed25519, as JWK +SSH keys of workers +Unsupported JWK/],
    ['scrypt', /missing +scrypt with 128 MiB +vaults with a passphrase +Invalid scrypt params/],
    ['aes', /missing +AES-256-GCM +the vault +Unknown cipher/],
  ])('the check names what is missing: %s', async (lacks, line) => {
    const { status, stdout } = await inElectronsCryptography(['electron/cli.ts', 'doctor'], [lacks]);
    expect(stdout).toMatch(line);
    expect(status).toBe(1);
  });
});
