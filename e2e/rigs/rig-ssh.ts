import { spawn } from 'node:child_process';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { connectToBanner } from '../../electron/engine/transport/ssh-banner.ts';
import { run } from './machines/child-process.ts';

export interface RigSshAccess {
  readonly host: string;
  readonly port: number;
  readonly user: string;
  /** File of the private key. */
  readonly keyPath: string;
}

export interface CommandResult {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** How long a guest of the lab may take to boot. */
const guestPatienceMs = 900_000;

/** Commands in a machine of the lab by OpenSSH's client, which is not what is tested. */
export class RigSsh {
  readonly access: RigSshAccess;

  constructor(access: RigSshAccess) {
    this.access = access;
  }

  /** Runs a command to its end; `input` goes to its standard input. */
  execute(
    command: string,
    options: { readonly input?: Uint8Array | string; readonly timeoutMs?: number } = {},
  ): Promise<CommandResult> {
    const { host, port, user, keyPath } = this.access;
    const child = spawn(
      'ssh',
      [
        '-q',
        '-i',
        keyPath,
        '-p',
        String(port),
        '-o',
        'StrictHostKeyChecking=no',
        '-o',
        'UserKnownHostsFile=/dev/null',
        '-o',
        'BatchMode=yes',
        '-o',
        'IdentitiesOnly=yes',
        '-o',
        'ConnectTimeout=60',
        `${user}@${host}`,
        command,
      ],
      { timeout: options.timeoutMs ?? 120_000, killSignal: 'SIGKILL' },
    );
    const output = { stdout: '', stderr: '' };
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output.stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
    });
    child.stdin.on('error', () => {});
    child.stdin.end(options.input ?? '');
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => resolve({ code: code ?? -1, ...output }));
    });
  }

  /** The command's output; rejects when it ends with anything but 0. */
  async text(
    command: string,
    options: { readonly input?: Uint8Array | string; readonly timeoutMs?: number } = {},
  ): Promise<string> {
    const { code, stdout, stderr } = await this.execute(command, options);
    if (code !== 0) throw new Error(`command ended with ${code}: ${command}\n${stderr}`);
    return stdout.trim();
  }

  /**
   * Resolves when a login works. The deadline is generous, because emulated machines share few processors: a guest that takes half a minute
   * alone takes ten beside a whole test run. A login takes long there as well, so that each attempt gets more time than the one before.
   */
  async waitUntilUp(timeoutMs = guestPatienceMs): Promise<void> {
    const deadline = Date.now() + timeoutMs;
    for (let attempt = 0; ; attempt += 1) {
      if (await this.#greets(Math.min(20_000, 1000 + 250 * attempt))) {
        const { code } = await this.execute('true', { timeoutMs: Math.min(60_000, 20_000 + 5_000 * attempt) });
        if (code === 0) return;
      }
      if (Date.now() > deadline)
        throw new Error(`${this.access.host}:${this.access.port} does not answer SSH within ${timeoutMs} ms`);
      await delay(100);
    }
  }

  /** Whether an SSH server answers. An attempt that begins before the network is up hangs until its packets are sent again, which takes ever longer. */
  async #greets(timeoutMs: number): Promise<boolean> {
    try {
      (await connectToBanner(this.access.host, this.access.port, timeoutMs, new AbortController().signal)).destroy();
      return true;
    } catch {
      return false;
    }
  }
}

/** A new key pair in `folder`: `NAME` and `NAME.pub`. */
export async function makeKeyPair(
  folder: string,
  name: string,
): Promise<{ readonly path: string; readonly publicKey: string }> {
  await mkdir(folder, { recursive: true });
  const path = join(folder, name);
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'causeway-lab', '-f', path]);
  return { path, publicKey: (await readFile(`${path}.pub`, 'utf8')).trim() };
}
