import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { SshConnection, type SshChannel, type SshTarget } from '../../../transport/ssh-connection.ts';
import { WinrmConnection, type WinrmResult, type WinrmTarget } from '../../../transport/winrm/winrm-connection.ts';

/** Scripts that come with Causeway, without `.ps1`. */
export type HostScript =
  | 'read-host'
  | 'read-vms'
  | 'read-state'
  | 'read-history'
  | 'take-checkpoint'
  | 'convert-checkpoint'
  | 'remove-checkpoint'
  | 'remove-reference-point'
  | 'changed-ranges'
  | 'used-blocks'
  | 'stop-vm'
  | 'run-reader'
  | 'find-reader'
  | 'remove-reader';

export interface ScriptOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Called with standard output as it comes. */
  readonly onOutput?: (piece: Buffer) => void;
}

/** PowerShell on a host. A connection that was lost is opened anew by the next script. */
export interface RemotePowershell {
  /** @param input lines for standard input, which the script that starts all others reads */
  run(script: string, input: Uint8Array, options: ScriptOptions): Promise<WinrmResult>;
  /** Runs a script whose standard input and output are one stream of bytes; only over SSH. */
  open?(script: string, signal: AbortSignal): Promise<SshChannel>;
  close(): Promise<void>;
}

export class WinrmPowershell implements RemotePowershell {
  readonly #target: WinrmTarget;
  #opening: Promise<WinrmConnection> | undefined;

  constructor(target: WinrmTarget) {
    this.#target = target;
  }

  async run(script: string, input: Uint8Array, { signal, timeoutMs, onOutput }: ScriptOptions): Promise<WinrmResult> {
    const opening = (this.#opening ??= this.#open(signal));
    try {
      const connection = await opening;
      return await connection.powershell(script, {
        signal,
        timeoutMs,
        input,
        ...(onOutput === undefined ? {} : { onOutput }),
      });
    } catch (error) {
      // A shell in an unknown state is left to the server, which ends it when nobody asks for it.
      if (this.#opening === opening) this.#opening = undefined;
      void opening.then(
        (connection) => connection.close(),
        () => undefined,
      );
      throw error;
    }
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await (await opening?.catch(() => undefined))?.close();
  }

  async #open(signal: AbortSignal): Promise<WinrmConnection> {
    const connection = new WinrmConnection(this.#target);
    try {
      await connection.open(signal);
      return connection;
    } catch (error) {
      await connection.close();
      throw error;
    }
  }
}

/** By the OpenSSH server of Windows. Its default shell takes command lines of 8191 characters. */
export class SshPowershell implements RemotePowershell {
  readonly #target: SshTarget;
  readonly #hostKeys: readonly string[];
  #opening: Promise<SshConnection> | undefined;

  /** @param hostKeys the hosts may have one of them */
  constructor(target: SshTarget, hostKeys: readonly string[]) {
    this.#target = target;
    this.#hostKeys = hostKeys;
  }

  async run(script: string, input: Uint8Array, { signal, timeoutMs }: ScriptOptions): Promise<WinrmResult> {
    const connection = await this.#connect(signal);
    const { code, stdout, stderr } = await connection.exec(commandLine(script, 'Text'), {
      signal,
      timeoutMs,
      input,
      maxOutputBytes: 16 * 2 ** 20,
    });
    return { exitCode: code ?? -1, stdout, stderr };
  }

  async open(script: string, signal: AbortSignal): Promise<SshChannel> {
    // PowerShell would read standard input itself otherwise.
    return (await this.#connect(signal)).openChannel(commandLine(script, 'None'), signal);
  }

  async close(): Promise<void> {
    const opening = this.#opening;
    this.#opening = undefined;
    await (await opening?.catch(() => undefined))?.close();
  }

  #connect(signal: AbortSignal): Promise<SshConnection> {
    if (this.#opening === undefined) {
      const opening = this.#logIn(signal);
      this.#opening = opening;
      const forget = (): void => {
        if (this.#opening === opening) this.#opening = undefined;
      };
      opening.then(
        ({ lost }) => (lost.aborted ? forget() : lost.addEventListener('abort', forget, { once: true })),
        forget,
      );
    }
    return this.#opening;
  }

  /** The password is sent only to a host with one of the keys. */
  async #logIn(signal: AbortSignal): Promise<SshConnection> {
    for (const [index, hostKey] of this.#hostKeys.entries()) {
      try {
        return await SshConnection.connect({ ...this.#target, hostKey }, {}, signal);
      } catch (error) {
        // A key of another type is not even offered by the server: the handshake fails then.
        const isOther =
          error instanceof CausewayError &&
          ['transport.host-key-mismatch', 'transport.unreachable'].includes(error.code);
        if (!isOther || index === this.#hostKeys.length - 1) throw error;
      }
    }
    throw new CausewayError('transport.host-key-mismatch', `no host key of ${this.#target.host} was given`);
  }
}

function commandLine(script: string, inputFormat: 'Text' | 'None'): string {
  const encoded = Buffer.from(`$ProgressPreference = 'SilentlyContinue'\n${script}`, 'utf16le').toString('base64');
  const line = `powershell.exe -NoProfile -NonInteractive -InputFormat ${inputFormat} -ExecutionPolicy Bypass -EncodedCommand ${encoded}`;
  if (line.length > 8000) throw new CausewayError('general.bug', `a command line of ${line.length} characters`);
  return line;
}

const files = new Map<string, Promise<string>>();

/** A file that comes with Causeway. */
export function hostFile(name: string): Promise<string> {
  const known = files.get(name) ?? findFile(name, import.meta.dirname);
  files.set(name, known);
  return known;
}

/** Beside the sources, or beside the built application. */
function findFile(name: string, from: string): Promise<string> {
  for (let folder = from; ; folder = dirname(folder)) {
    const path = join(folder, 'assets', 'worker', 'hyper-v', name);
    if (existsSync(path)) return readFile(path, 'utf8');
    if (dirname(folder) === folder)
      throw new CausewayError('general.bug', `assets/worker/hyper-v/${name} is not above ${from}`);
  }
}

/** What the first script reads: script and request in base64, in lines that consoles take. */
export function scriptInput(script: string, request: unknown): Buffer {
  const lines = (mark: string, text: string): string[] =>
    (
      Buffer.from(text, 'utf8')
        .toString('base64')
        .match(/.{1,4000}/g) ?? []
    ).map((piece) => mark + piece);
  return Buffer.from(`${[...lines('s', script), ...lines('r', JSON.stringify(request))].join('\n')}\n`);
}
