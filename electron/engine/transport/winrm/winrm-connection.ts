import { createHash } from 'node:crypto';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { abortReason } from '../../concurrency/abortable.ts';
import { WinrmHttp, type WinrmAnswer, type WinrmTarget } from './winrm-http.ts';
import {
  bodyOf,
  createShell,
  deleteShell,
  envelope,
  faultOf,
  idOf,
  maxEnvelopeBytes,
  operationTimeoutSeconds,
  outputOf,
  receiveOutput,
  sendInput,
  startCommand,
  terminateCommand,
  type Element,
  type ShellAction,
} from './ws-man-messages.ts';

export type { WinrmTarget } from './winrm-http.ts';

export interface WinrmResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** Of standard input in one message: base64 and the envelope have to fit into the server's largest one. */
const inputPieceBytes = 256 * 1024;
const requestTimeoutMs = (operationTimeoutSeconds + 40) * 1000;
/** Of one command, decoded. No script of the engine prints more. */
const largestOutputBytes = 16 * 2 ** 20;
/** Of one answer. The server is asked for half as much. */
const largestAnswerBytes = 2 * maxEnvelopeBytes;

export interface WinrmCommandOptions {
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** Standard input; none by default. */
  readonly input?: Uint8Array;
  /** Called with standard output as it comes, for commands that go on after they have said something. */
  readonly onOutput?: (piece: Buffer) => void;
}

/** A remote shell of Windows Remote Management over HTTPS. */
export class WinrmConnection {
  readonly #target: WinrmTarget;
  readonly #http: WinrmHttp;
  #shellId: string | undefined;

  constructor(target: WinrmTarget) {
    this.#target = target;
    this.#http = new WinrmHttp(target, { timeoutMs: requestTimeoutMs, largestAnswerBytes });
  }

  /** Opens a shell. @throws `transport.unreachable`, `transport.login-refused`, `transport.certificate-mismatch` */
  async open(signal: AbortSignal): Promise<void> {
    this.#shellId = idOf(await this.#call(createShell, signal), 'shell');
  }

  /**
   * Runs a PowerShell script to its end. `input` goes to its standard input. On abort or timeout it is ended there.
   *
   * @throws `transport.winrm-protocol`, `transport.command-failed` on timeout, `transport.lost`, the signal's reason
   */
  async powershell(script: string, options: WinrmCommandOptions): Promise<WinrmResult> {
    const shellId = this.#shellId;
    if (shellId === undefined) throw new CausewayError('general.bug', 'the WinRM connection is not open');
    const stop = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    const encoded = Buffer.from(`$ProgressPreference = 'SilentlyContinue'\n${script}`, 'utf16le').toString('base64');
    const args = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encoded];
    let commandId: string | undefined;
    try {
      commandId = idOf(await this.#call(startCommand(shellId, 'powershell.exe', args), stop), 'command');
      await this.#feed(shellId, commandId, options.input, stop);
      return await this.#collect(shellId, commandId, stop, options.onOutput);
    } catch (error) {
      if (commandId !== undefined && stop.aborted) {
        await this.#call(terminateCommand(shellId, commandId), AbortSignal.timeout(10_000)).catch(() => undefined);
      }
      if (options.signal.aborted) throw abortReason(options.signal);
      if (stop.aborted)
        throw new CausewayError(
          'transport.command-failed',
          `a script took longer than ${options.timeoutMs / 1000} s on ${this.#target.host}`,
        );
      throw error;
    }
  }

  /** Puts a file onto the worker, piece by piece, and sees that it arrived whole. @throws `transport.upload-damaged` */
  async upload(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const lines: string[] = [];
    for (let from = 0; from < bytes.length; from += 48 * 1024)
      lines.push(Buffer.from(bytes.subarray(from, from + 48 * 1024)).toString('base64'));
    const script = [
      "$ErrorActionPreference = 'Stop'",
      `$file = [IO.File]::Create(${quoted(path)})`,
      'foreach ($line in $input) {',
      '  if ($line) { $piece = [Convert]::FromBase64String($line); $file.Write($piece, 0, $piece.Length) }',
      '}',
      '$file.Close()',
      `(Get-FileHash -Algorithm SHA256 -LiteralPath ${quoted(path)}).Hash`,
    ].join('\n');
    const { exitCode, stdout, stderr } = await this.powershell(script, {
      signal,
      timeoutMs: 3_600_000,
      input: Buffer.from(`${lines.join('\n')}\n`),
    });
    const wanted = createHash('sha256').update(bytes).digest('hex');
    if (exitCode !== 0 || stdout.trim().toLowerCase() !== wanted) {
      throw new CausewayError(
        'transport.upload-damaged',
        `${path}: ${exitCode === 0 ? `SHA-256 ${stdout.trim()}` : stderr.trim().slice(-300)}`,
      );
    }
  }

  /** Ends the shell and the connection. Best effort: the server ends idle shells by itself. */
  async close(): Promise<void> {
    const shellId = this.#shellId;
    this.#shellId = undefined;
    if (shellId !== undefined)
      await this.#call(deleteShell(shellId), AbortSignal.timeout(10_000)).catch(() => undefined);
    this.#http.close();
  }

  async #feed(shellId: string, commandId: string, input: Uint8Array | undefined, signal: AbortSignal): Promise<void> {
    if (input === undefined) return;
    let from = 0;
    do {
      const piece = input.subarray(from, from + inputPieceBytes);
      from += inputPieceBytes;
      await this.#call(sendInput(shellId, commandId, piece, from >= input.length), signal);
    } while (from < input.length);
  }

  async #collect(
    shellId: string,
    commandId: string,
    signal: AbortSignal,
    onOutput: WinrmCommandOptions['onOutput'],
  ): Promise<WinrmResult> {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let length = 0;
    for (;;) {
      const body = await this.#call(receiveOutput(shellId, commandId), signal, true);
      if (faultOf(body)?.isNoOutputYet === true) continue;
      const output = outputOf(body);
      if (output.stdout.length > 0) onOutput?.(output.stdout);
      out.push(output.stdout);
      err.push(output.stderr);
      length += output.stdout.length + output.stderr.length;
      if (length > largestOutputBytes)
        throw new CausewayError('transport.winrm-protocol', `a command printed more than ${largestOutputBytes} bytes`);
      if (output.exitCode !== undefined) {
        return {
          exitCode: output.exitCode,
          stdout: Buffer.concat(out).toString('utf8'),
          stderr: plainErrors(Buffer.concat(err).toString('utf8')),
        };
      }
    }
  }

  async #call(action: ShellAction, signal: AbortSignal, mayHaveNoOutput = false): Promise<Element> {
    const { host, port } = this.#target;
    const message = envelope(`https://${host}:${port}/wsman`, action);
    if (Buffer.byteLength(message) > maxEnvelopeBytes)
      throw new CausewayError('general.bug', 'a WinRM request is too long');
    const { status, text } = await this.#post(message, signal);
    // A proxy in front of the service, or the service when it is busy.
    if ([429, 502, 503, 504].includes(status))
      throw new CausewayError('transport.lost', `WinRM on ${host}:${port} answered ${status}`);
    if (text === '' && status !== 200)
      throw new CausewayError('transport.winrm-protocol', `WinRM on ${host}:${port} answered ${status}`);
    const body = bodyOf(text);
    const fault = faultOf(body);
    if (fault?.isAccessDenied === true)
      throw new CausewayError(
        'transport.login-refused',
        `WinRM on ${host}:${port} does not let this account in (${fault.words}): it has to be in Administrators or Remote Management Users of the host`,
      );
    if (fault?.isShellGone === true)
      throw new CausewayError('transport.lost', `WinRM on ${host}:${port}: ${fault.words}`);
    if (fault !== undefined && !(mayHaveNoOutput && fault.isNoOutputYet))
      throw new CausewayError('transport.winrm-protocol', fault.words);
    return body;
  }

  #post(message: string, signal: AbortSignal): Promise<WinrmAnswer> {
    const { host, port } = this.#target;
    return this.#http.post(message, signal).catch((error: unknown) => {
      if (signal.aborted) throw abortReason(signal);
      if (error instanceof CausewayError) throw error;
      const told = `WinRM on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`;
      throw new CausewayError(this.#shellId === undefined ? 'transport.unreachable' : 'transport.lost', told, {
        cause: error,
      });
    });
  }
}

/** A text as a PowerShell literal. */
export function quoted(text: string): string {
  return `'${text.replace(/['\u2018\u2019\u201a\u201b]/g, '$&$&')}'`;
}

/** PowerShell writes errors to a pipe as XML; people want the words. */
function plainErrors(text: string): string {
  if (!text.startsWith('#< CLIXML')) return text;
  const words = [...text.matchAll(/<S S="Error">([\s\S]*?)<\/S>/g)].map(([, word = '']) => word);
  return words
    .join('')
    .replace(/_x000D__x000A_/g, '\n')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');
}
