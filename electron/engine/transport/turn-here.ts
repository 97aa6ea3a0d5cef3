import { spawn } from 'node:child_process';
import { textEnd } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import type { TurnHere } from '../ports/own-vm.ts';
import { systemClock } from '../time/clock.ts';
import { commandHere, notStarted, type CommandHereOptions } from './agent-here.ts';

const cutAfter = 500;
/** How long the end of what holds the turn is awaited, milliseconds. */
const endMs = 5000;

/**
 * Waits for the turn to attach volumes to this computer: of all processes on it, whoever runs them, one has it at a time. The operating system
 * takes it from a process that ends, however it ends.
 *
 * @param wait called once when another process has it
 * @throws CausewayError `transport.here-not-linux`, `transport.here-not-privileged`, `transport.here-python-missing`, `transport.agent-start`
 */
export async function takeTurnHere(
  options: CommandHereOptions,
  wait: () => void,
  signal: AbortSignal,
): Promise<TurnHere> {
  if (process.platform !== 'linux') throw new CausewayError('transport.here-not-linux', `this is ${process.platform}`);
  if (signal.aborted) throw abortReason(signal);
  const [program = '', ...parameters] = [...commandHere(options), '--turn'];
  const child = spawn(program, parameters, { stdio: ['pipe', 'pipe', 'pipe'] });
  const [turn, ended, lost] = [Promise.withResolvers<void>(), Promise.withResolvers<void>(), new AbortController()];
  let [said, words, isReleased] = ['', '', false];
  child.stdin.on('error', () => undefined);
  child.stderr.setEncoding('utf8').on('data', (text: string) => (words = textEnd(words + text, 2 * cutAfter)));
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const waited = said.includes('waiting\n');
    said = (said + text).slice(0, 100);
    if (said.includes('turn\n')) turn.resolve();
    else if (!waited && said.includes('waiting\n')) wait();
  });
  child.once('error', (error: NodeJS.ErrnoException) => {
    turn.reject(notStarted(error.code === 'ENOENT' ? 127 : null, `${program}: not found`, error));
    ended.resolve();
  });
  child.once('close', (code) => {
    turn.reject(notStarted(code, words.trim(), undefined));
    if (!isReleased)
      lost.abort(
        new CausewayError(
          'transport.lost',
          `this computer: what keeps the turn to attach volumes exited with ${code ?? 'a signal'}: ${textEnd(words.trim(), cutAfter)}`,
        ),
      );
    ended.resolve();
  });
  const release = async (): Promise<void> => {
    isReleased = true;
    child.stdin.end();
    const enough = new AbortController();
    await Promise.race([ended.promise, systemClock.sleep(endMs, enough.signal).catch(() => undefined)]);
    enough.abort();
    child.kill('SIGKILL');
  };
  const giveUp = (): void => turn.reject(abortReason(signal));
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await turn.promise;
  } catch (error) {
    await release();
    throw error;
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
  return { lost: lost.signal, release };
}
