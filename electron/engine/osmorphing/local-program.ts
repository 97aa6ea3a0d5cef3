import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtemp, open, rm, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { programArchive } from './program-archive.ts';
import { LineSplitter, programError, programMessage } from './program-messages.ts';
import type { ProgramListener } from './worker-program.ts';

/** How long the program may clean up after a request to stop. */
const stopTimeoutMs = 120_000;
/** Standard input, output and errors come first; this is the program. */
const firstFile = 3;

type LocalCommand = 'inspect' | 'windows-inspect';

/**
 * Runs a command of the preparation program on this computer. `files`: open files that it gets; it knows them by
 * `fileNumbers` of the request. The end of its standard input makes it stop and clean up, also when this process is killed.
 *
 * @throws the program's error, or the signal's reason
 */
export async function runLocally(
  command: LocalCommand,
  request: JsonObject,
  files: readonly number[],
  listener: ProgramListener,
  signal: AbortSignal,
): Promise<JsonValue> {
  const program = await unnamedFile();
  try {
    await program.writeFile(await programArchive());
    return await runArchive(program.fd, command, request, files, listener, signal);
  } finally {
    await program.close();
  }
}

/** A file that is gone with the last process that has it open. */
export async function unnamedFile(): Promise<FileHandle> {
  const folder = await mkdtemp(join(tmpdir(), 'causeway-'));
  try {
    return await open(join(folder, 'file'), 'wx+', 0o600);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function runArchive(
  archive: number,
  command: LocalCommand,
  request: JsonObject,
  files: readonly number[],
  listener: ProgramListener,
  signal: AbortSignal,
): Promise<JsonValue> {
  signal.throwIfAborted();
  const child = spawn('python3', ['-B', `/proc/self/fd/${firstFile}`, command], {
    stdio: ['pipe', 'pipe', 'pipe', archive, ...files],
    env: { ...process.env, PATH: `/usr/bin:/usr/sbin:/bin:/sbin:${process.env['PATH'] ?? ''}` },
  });
  const splitter = new LineSplitter();
  let outcome: { readonly result: JsonValue } | { readonly error: CausewayError } | undefined;
  let said = '';
  let giveUp: NodeJS.Timeout | undefined;
  const onStop = (): void => {
    child.stdin?.end();
    giveUp = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  };
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', (error) =>
        reject(
          new CausewayError('osmorphing.local-inspection', `Python cannot be started: ${error.message}`, {
            cause: error,
          }),
        ),
      );
      child.once('close', () => resolve());
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on('error', () => undefined);
      child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        said = (said + text).slice(-2000);
      });
      child.stdout?.on('data', (piece: Buffer) => {
        try {
          for (const line of splitter.push(piece)) {
            const message = programMessage(line);
            if (message.type === 'log') listener.onLog(message.line);
            else if (message.type === 'warning') listener.onWarning(message.message);
            else if (message.type === 'step') listener.onStep(message);
            else
              outcome =
                message.type === 'result' ? { result: message.result as JsonValue } : { error: programError(message) };
          }
        } catch (error) {
          reject(error);
          child.stdin?.end();
        }
      });
      signal.addEventListener('abort', onStop, { once: true });
      child.stdin?.write(
        `${JSON.stringify({ ...request, session: randomUUID(), fileNumbers: files.map((_, index) => firstFile + 1 + index) })}\n`,
      );
    });
  } finally {
    clearTimeout(giveUp);
    signal.removeEventListener('abort', onStop);
  }
  if (signal.aborted) throw abortReason(signal);
  if (outcome === undefined)
    throw new CausewayError(
      'osmorphing.program-failed',
      `${command} exited without a result: ${said.trim().slice(-500) || 'no output'}`,
    );
  if ('error' in outcome) throw outcome.error;
  return outcome.result;
}
