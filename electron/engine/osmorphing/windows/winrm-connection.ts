import { createHash } from 'node:crypto';
import { Agent, request as httpsRequest, type RequestOptions } from 'node:https';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect, type TLSSocket } from 'node:tls';
import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { abortReason } from '../../transport/abort-reason.ts';
import {
  bodyOf, createShell, deleteShell, envelope, faultOf, idOf, maxEnvelopeBytes, operationTimeoutSeconds, outputOf, receiveOutput, sendInput, startCommand, terminateCommand,
  type Element, type ShellAction,
} from './ws-man-messages.ts';

export interface WinrmTarget {
  readonly host: string;
  readonly port: number;
  readonly username: string;
  readonly password: string;
  /** SHA-256 of the server's certificate, in hex. */
  readonly certificateSha256: string;
}

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

/**
 * Windows Remote Management over HTTPS, with basic authentication: nothing is sent, the password least
 * of all, before the server has shown the one certificate that was made for it.
 */
export class WinrmConnection {
  readonly #target: WinrmTarget;
  readonly #agent: Agent;
  readonly #pin: string;
  #shellId: string | undefined;

  constructor(target: WinrmTarget) {
    this.#target = target;
    this.#pin = target.certificateSha256.replaceAll(':', '').toLowerCase();
    this.#agent = new Agent({ keepAlive: true, maxSockets: 2 });
    this.#agent.createConnection = (options, callback) => {
      this.#connect(options as RequestOptions).then((socket) => callback?.(null, socket), (error: Error) => callback?.(error, undefined as unknown as Duplex));
      return undefined;
    };
  }

  /** Opens a shell. @throws `transport.unreachable`, `transport.login-refused`, `transport.certificate-mismatch` */
  async open(signal: AbortSignal): Promise<void> {
    this.#shellId = idOf(await this.#call(createShell, signal), 'shell');
  }

  /**
   * Runs a PowerShell script to its end. `input` goes to its standard input. On abort or timeout it is ended on the worker.
   *
   * @throws `osmorphing.winrm-protocol`, `osmorphing.command-failed` on timeout, `transport.lost`, the signal's reason
   */
  async powershell(script: string, options: { readonly signal: AbortSignal; readonly timeoutMs: number; readonly input?: Uint8Array }): Promise<WinrmResult> {
    const shellId = this.#shellId;
    if (shellId === undefined) throw new CausewayError('general.bug', 'the WinRM connection is not open');
    const stop = AbortSignal.any([options.signal, AbortSignal.timeout(options.timeoutMs)]);
    const encoded = Buffer.from(`$ProgressPreference = 'SilentlyContinue'\n${script}`, 'utf16le').toString('base64');
    const args = ['-NoProfile', '-NonInteractive', '-ExecutionPolicy', 'Bypass', '-EncodedCommand', encoded];
    let commandId: string | undefined;
    try {
      commandId = idOf(await this.#call(startCommand(shellId, 'powershell.exe', args), stop), 'command');
      await this.#feed(shellId, commandId, options.input, stop);
      return await this.#collect(shellId, commandId, stop);
    } catch (error) {
      if (commandId !== undefined && stop.aborted) {
        await this.#call(terminateCommand(shellId, commandId), AbortSignal.timeout(10_000)).catch(() => undefined);
      }
      if (options.signal.aborted) throw abortReason(options.signal);
      if (stop.aborted) throw new CausewayError('osmorphing.command-failed', `a script took longer than ${options.timeoutMs / 1000} s on the Windows worker`);
      throw error;
    }
  }

  /** Puts a file onto the worker, piece by piece, and sees that it arrived whole. @throws `transport.upload-damaged` */
  async upload(path: string, bytes: Uint8Array, signal: AbortSignal): Promise<void> {
    const lines: string[] = [];
    for (let from = 0; from < bytes.length; from += 48 * 1024) lines.push(Buffer.from(bytes.subarray(from, from + 48 * 1024)).toString('base64'));
    const script = [
      "$ErrorActionPreference = 'Stop'",
      `$file = [IO.File]::Create(${quoted(path)})`,
      'foreach ($line in $input) {',
      '  if ($line) { $piece = [Convert]::FromBase64String($line); $file.Write($piece, 0, $piece.Length) }',
      '}',
      '$file.Close()',
      `(Get-FileHash -Algorithm SHA256 -LiteralPath ${quoted(path)}).Hash`,
    ].join('\n');
    const { exitCode, stdout, stderr } = await this.powershell(script, { signal, timeoutMs: 3_600_000, input: Buffer.from(`${lines.join('\n')}\n`) });
    const wanted = createHash('sha256').update(bytes).digest('hex');
    if (exitCode !== 0 || stdout.trim().toLowerCase() !== wanted) {
      throw new CausewayError('transport.upload-damaged', `${path}: ${exitCode === 0 ? `SHA-256 ${stdout.trim()}` : stderr.trim().slice(-300)}`);
    }
  }

  /** Ends the shell and the connection. Best effort: the worker is deleted soon anyway. */
  async close(): Promise<void> {
    const shellId = this.#shellId;
    this.#shellId = undefined;
    if (shellId !== undefined) await this.#call(deleteShell(shellId), AbortSignal.timeout(10_000)).catch(() => undefined);
    this.#agent.destroy();
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

  async #collect(shellId: string, commandId: string, signal: AbortSignal): Promise<WinrmResult> {
    const out: Buffer[] = [];
    const err: Buffer[] = [];
    let length = 0;
    for (;;) {
      const body = await this.#call(receiveOutput(shellId, commandId), signal, true);
      if (faultOf(body)?.isNoOutputYet === true) continue;
      const output = outputOf(body);
      out.push(output.stdout);
      err.push(output.stderr);
      length += output.stdout.length + output.stderr.length;
      if (length > largestOutputBytes) throw new CausewayError('osmorphing.winrm-protocol', `a command printed more than ${largestOutputBytes} bytes`);
      if (output.exitCode !== undefined) {
        return { exitCode: output.exitCode, stdout: Buffer.concat(out).toString('utf8'), stderr: plainErrors(Buffer.concat(err).toString('utf8')) };
      }
    }
  }

  async #call(action: ShellAction, signal: AbortSignal, mayHaveNoOutput = false): Promise<Element> {
    const { host, port } = this.#target;
    const message = envelope(`https://${host}:${port}/wsman`, action);
    if (Buffer.byteLength(message) > maxEnvelopeBytes) throw new CausewayError('general.bug', 'a WinRM request is too long');
    const { status, text } = await this.#post(message, signal);
    if (status === 401 || status === 403) throw new CausewayError('transport.login-refused', `WinRM on ${host}:${port} answered ${status}`);
    if (text === '' && status !== 200) throw new CausewayError('osmorphing.winrm-protocol', `WinRM on ${host}:${port} answered ${status}`);
    const body = bodyOf(text);
    const fault = faultOf(body);
    if (fault !== undefined && !(mayHaveNoOutput && fault.isNoOutputYet)) throw new CausewayError('osmorphing.winrm-protocol', fault.words);
    return body;
  }

  #post(message: string, signal: AbortSignal): Promise<{ readonly status: number; readonly text: string }> {
    const { host, port, username, password } = this.#target;
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; text: string }>();
    const outgoing = httpsRequest({
      host, port, path: '/wsman', method: 'POST', agent: this.#agent, signal,
      headers: {
        'content-type': 'application/soap+xml;charset=UTF-8',
        'content-length': String(Buffer.byteLength(message)),
        authorization: `Basic ${Buffer.from(`${username}:${password}`, 'utf8').toString('base64')}`,
      },
    }, (answer) => {
      const parts: Buffer[] = [];
      let length = 0;
      answer.on('data', (part: Buffer) => {
        length += part.length;
        if (length <= largestAnswerBytes) parts.push(part);
        else answer.destroy(new CausewayError('osmorphing.winrm-protocol', `WinRM on ${host}:${port} sent a response of more than ${largestAnswerBytes} bytes`));
      });
      answer.once('error', reject);
      answer.once('close', () => {
        if (answer.complete) resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString('utf8') });
        else reject(new Error('the response was cut off'));
      });
    });
    outgoing.setTimeout(requestTimeoutMs, () => outgoing.destroy(new Error('no answer')));
    outgoing.once('error', reject);
    outgoing.end(message);
    return promise.catch((error: unknown) => {
      if (signal.aborted) throw abortReason(signal);
      if (error instanceof CausewayError) throw error;
      const told = `WinRM on ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`;
      throw new CausewayError(this.#shellId === undefined ? 'transport.unreachable' : 'transport.lost', told, { cause: error });
    });
  }

  /** A connection whose certificate is the pinned one. Nothing is sent over it before that is known. */
  #connect(options: RequestOptions): Promise<TLSSocket> {
    const { promise, resolve, reject } = Promise.withResolvers<TLSSocket>();
    const socket = tlsConnect({
      host: this.#target.host, port: this.#target.port, minVersion: 'TLSv1.2', rejectUnauthorized: false,
      ...(typeof options.servername === 'string' && options.servername !== '' ? { servername: options.servername } : {}),
    });
    socket.setTimeout(30_000, () => socket.destroy(new Error('no answer')));
    socket.once('error', reject);
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate()?.fingerprint256.replaceAll(':', '').toLowerCase();
      if (shown !== this.#pin) {
        reject(new CausewayError('transport.certificate-mismatch', `WinRM on ${this.#target.host}:${this.#target.port}: expected ${this.#pin}, received ${shown ?? 'none'}`));
        socket.destroy();
        return;
      }
      socket.setTimeout(0);
      socket.removeListener('error', reject);
      resolve(socket);
    });
    return promise;
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
  return words.join('').replace(/_x000D__x000A_/g, '\n').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
}
