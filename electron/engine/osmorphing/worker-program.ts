import { randomUUID } from 'node:crypto';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import { abortable, abortReason } from '../concurrency/abortable.ts';
import { shellQuoted, type SshChannel, type SshConnection } from '../transport/ssh-connection.ts';
import type { MorphStepEvent } from './options.ts';
import { LineSplitter, programError, programMessage } from './program-messages.ts';

export interface ProgramListener {
  readonly onStep: (event: MorphStepEvent) => void;
  readonly onLog: (line: string) => void;
  readonly onWarning: (message: string) => void;
}

export type ProgramCommand =
  | 'inspect'
  | 'mount'
  | 'prepare'
  | 'script'
  | 'unmount'
  | 'diff'
  | 'windows-inspect'
  | 'windows-mount'
  | 'windows-prepare';

const lookTimeoutMs = 60_000;
/** How long a command may clean up after a request to stop, before its connection is closed. */
const stopTimeoutMs = 120_000;
const removeTimeoutMs = 10_000;

// One round trip for everything: each takes much of a second on an emulated worker.
const lookAround = [
  'for p in python3 /usr/libexec/platform-python /usr/bin/python3; do',
  '  "$p" -c "import sys; sys.exit(sys.version_info < (3, 6))" 2>/dev/null && echo "python=$p" && break',
  'done',
  'if [ "$(id -u)" = 0 ]; then echo root=yes; elif sudo -n true 2>/dev/null; then echo root=sudo; fi',
  'umask 077; echo "folder=$(mktemp -d "${TMPDIR:-/tmp}/causeway-XXXXXXXX")"',
].join('\n');

/** How the last line of an answer begins or ends, whatever else is in it. */
const answers = /"type": ?"(?:result|error)"\}?$/;

type Outcome = { readonly result: JsonValue } | { readonly error: CausewayError };

/** The preparation program on a worker. */
export class WorkerProgram {
  /** A folder that only the login user can read. */
  readonly folder: string;
  readonly #ssh: SshConnection;
  readonly #command: string;
  readonly #session = randomUUID();
  readonly #listener: ProgramListener;
  /** Waits for its next command: on a slow worker, each start takes seconds. */
  #idle: RunningProgram | undefined;

  private constructor(ssh: SshConnection, folder: string, command: string, listener: ProgramListener) {
    this.#ssh = ssh;
    this.folder = folder;
    this.#command = command;
    this.#listener = listener;
  }

  /** Puts the program there. Throws `transport.python-missing`, `transport.not-privileged`, `transport.upload-damaged`. */
  static async place(
    ssh: SshConnection,
    archive: Uint8Array,
    listener: ProgramListener,
    signal: AbortSignal,
  ): Promise<WorkerProgram> {
    const look = await ssh.exec(lookAround, { signal, timeoutMs: lookTimeoutMs });
    const said = new Map(
      look.stdout.split('\n').map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]),
    );
    const [python, root, folder] = [said.get('python'), said.get('root'), said.get('folder')];
    if (python === undefined)
      throw new CausewayError('transport.python-missing', 'the worker has no Python 3.6 or later');
    if (root === undefined)
      throw new CausewayError('transport.not-privileged', '`sudo -n true` was refused on the worker');
    if (folder === undefined || !folder.startsWith('/')) {
      throw new CausewayError(
        'osmorphing.program-failed',
        `no temporary folder on the worker: ${look.stderr.trim().slice(-300)}`,
      );
    }
    const path = `${folder}/osmorphing.zip`;
    await ssh.upload(path, archive, { signal });
    const command = `${root === 'sudo' ? 'sudo -n ' : ''}${shellQuoted(python)} -B ${shellQuoted(path)}`;
    return new WorkerProgram(ssh, folder, command, listener);
  }

  /**
   * Runs a command and returns its result. The request goes by standard input, so no secret is on a command line;
   * standard input stays open, and its end makes the program stop and clean up: that happens on abort, on timeout, and by
   * itself when the connection is lost. Rejects with the program's error, the signal's reason, or the connection's.
   */
  async run(command: ProgramCommand, request: JsonObject, signal: AbortSignal, timeoutMs: number): Promise<JsonValue> {
    if (signal.aborted) throw abortReason(signal);
    const stop = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
    const start = async (): Promise<RunningProgram> =>
      new RunningProgram(await this.#ssh.openChannel(`${this.#command} serve`, signal));
    const kept = this.#idle;
    this.#idle = undefined;
    let running = kept ?? (await start());
    let answer = await this.#ask(running, { ...request, command }, stop);
    if (running === kept && !answer.isHeard && !stop.aborted) {
      // It had ended in between, and heard nothing of this request.
      running = await start();
      answer = await this.#ask(running, { ...request, command }, stop);
    }
    const { outcome } = answer;
    if (signal.aborted) throw abortReason(signal);
    if (stop.aborted)
      throw new CausewayError('osmorphing.command-failed', `${command} took longer than ${timeoutMs / 1000} s`);
    if (outcome === undefined) {
      throw new CausewayError(
        'osmorphing.program-failed',
        `${command} exited without a result: ${running.errorTail().slice(-500) || 'no output'}`,
      );
    }
    this.#idle = running;
    if ('error' in outcome) throw outcome.error;
    return outcome.result;
  }

  /** What comes of a request, and whether anything was heard of it. Waits until the program has ended when that is to `stop`. */
  async #ask(
    running: RunningProgram,
    request: JsonObject,
    stop: AbortSignal,
  ): Promise<{ readonly outcome: Outcome | undefined; readonly isHeard: boolean }> {
    let outcome: Outcome | undefined;
    let isHeard = false;
    let giveUp: NodeJS.Timeout | undefined;
    const onStop = (): void => {
      running.end();
      giveUp = setTimeout(() => running.destroy(), stopTimeoutMs);
    };
    stop.addEventListener('abort', onStop, { once: true });
    try {
      const answered = running.ask({ ...request, session: this.#session }, (line) => {
        isHeard = true;
        outcome = this.#take(line) ?? outcome;
        // One that was asked to stop still cleans up.
        return outcome !== undefined && !stop.aborted;
      });
      if (stop.aborted) onStop();
      await abortable(Promise.race([answered, running.closed]), this.#ssh.lost, abortReason);
    } finally {
      clearTimeout(giveUp);
      stop.removeEventListener('abort', onStop);
    }
    return { outcome, isHeard };
  }

  /** Where the guest is mounted on the worker. */
  get mountPoint(): string {
    return `/run/causeway-osmorphing/${this.#session}/guest`;
  }

  /** For troubleshooting a guest that was left mounted. */
  get unmountCommand(): string {
    return `echo ${shellQuoted(JSON.stringify({ session: this.#session }))} | ${this.#command} unmount`;
  }

  /** Copies a file to the program's folder and returns its path there. */
  async putFile(name: string, bytes: Uint8Array, signal: AbortSignal): Promise<string> {
    const path = `${this.folder}/${name}`;
    await this.#ssh.upload(path, bytes, { signal, timeoutMs: 3_600_000 });
    return path;
  }

  /** Creates a folder in the program's folder and returns its path. */
  async makeFolder(name: string, signal: AbortSignal): Promise<string> {
    const path = `${this.folder}/${name}`;
    await this.#ssh.exec(`umask 077; mkdir -p ${shellQuoted(path)}`, { signal, timeoutMs: lookTimeoutMs });
    return path;
  }

  /** Unpacks a tar archive there and returns the folder. */
  async unpack(path: string, signal: AbortSignal): Promise<string> {
    const folder = `${path}.d`;
    const command = `mkdir -p ${shellQuoted(folder)} && tar -xf ${shellQuoted(path)} -C ${shellQuoted(folder)} && rm ${shellQuoted(path)}`;
    const { code, stderr } = await this.#ssh.exec(command, { signal, timeoutMs: 600_000 });
    if (code !== 0)
      throw new CausewayError(
        'general.invalid-input',
        `the package cache cannot be unpacked: ${stderr.trim().slice(-300)}`,
      );
    return folder;
  }

  /** Removes what was put on the worker. Best effort: the worker is deleted soon anyway. */
  async remove(): Promise<void> {
    if (this.#ssh.lost.aborted) return;
    const idle = this.#idle;
    this.#idle = undefined;
    idle?.end();
    // One that does not end must not keep a deployment from going on.
    await idle?.ended(AbortSignal.timeout(removeTimeoutMs));
    const options = { signal: AbortSignal.timeout(removeTimeoutMs), timeoutMs: removeTimeoutMs };
    await this.#ssh.exec(`rm -rf ${shellQuoted(this.folder)}`, options).catch(() => undefined);
  }

  #take(line: string): Outcome | undefined {
    const message = programMessage(line);
    switch (message.type) {
      case 'log':
        this.#listener.onLog(message.line);
        // The program waits for its next command then, and not its caller for an answer.
        return answers.test(line)
          ? { error: new CausewayError('osmorphing.program-failed', `an answer cannot be read: ${line.slice(0, 500)}`) }
          : undefined;
      case 'warning':
        this.#listener.onWarning(message.message);
        return undefined;
      case 'step': {
        const { type: _, ...event } = message;
        this.#listener.onStep(event);
        return undefined;
      }
      case 'result':
        return { result: message.result as JsonValue };
      case 'error':
        return { error: programError(message) };
    }
  }
}

/** One run of the program, which takes one command after another until its standard input ends. */
class RunningProgram {
  /** When it has ended. Rejects with the error of its channel, or when it prints no lines. */
  readonly closed: Promise<void>;
  readonly #channel: SshChannel;
  #onLine: ((line: string) => void) | undefined;

  constructor(channel: SshChannel) {
    this.#channel = channel;
    const { stream } = channel;
    const splitter = new LineSplitter();
    this.closed = new Promise((resolve, reject) => {
      stream.once('error', reject);
      stream.once('close', resolve);
      stream.on('data', (piece: Buffer) => {
        try {
          for (const line of splitter.push(piece)) this.#onLine?.(line);
        } catch (error) {
          reject(error);
          stream.destroy();
        }
      });
    });
    // It may end while nobody waits for it.
    this.closed.catch(() => undefined);
  }

  /** Sends a request. Resolves when `onLine` says of a line that it was the last of the answer. */
  ask(request: JsonObject, onLine: (line: string) => boolean): Promise<void> {
    return new Promise((resolve) => {
      this.#onLine = (line) => {
        if (onLine(line)) resolve();
      };
      // The stream reports its own errors.
      this.#channel.stream.write(`${JSON.stringify(request)}\n`, () => undefined);
    });
  }

  /** Waits until it has ended, and gives it up when the signal aborts. Never rejects. */
  async ended(signal: AbortSignal): Promise<void> {
    await abortable(this.closed, signal).catch(() => this.#channel.stream.destroy());
  }

  errorTail(): string {
    return this.#channel.errorTail();
  }

  end(): void {
    this.#channel.stream.end();
  }

  destroy(): void {
    this.#channel.stream.destroy();
  }
}
