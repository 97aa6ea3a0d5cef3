import { spawn } from 'node:child_process';
import type { Duplex } from 'node:stream';
import { textEnd } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { systemClock } from '../time/clock.ts';
import { agentLock, defaultAgentPath, fenced, fencedStatus } from './agent-launch.ts';
import { AgentLink } from './agent-link.ts';
import { AgentSession, sayHello, type AgentHello } from './agent-session.ts';
import { codecFor } from './compression.ts';

/** How the agent's file is run on this computer. */
export interface CommandHereOptions {
  /** The agent's file. */
  readonly agentPath?: string;
  /** The beginning of the command line, for tests: enters what stands for this computer. */
  readonly within?: readonly string[];
  /** Whether the agent gets the rights of root without sudo. Default: as this process has them. */
  readonly isRoot?: boolean;
}

export interface AgentHereOptions extends CommandHereOptions {
  /** What the agent works for. One that works for the same is ended first, or refuses this one if it was given a greater epoch. */
  readonly purpose: string;
  /** Number of the caller's claim; 0: nobody else can have one. */
  readonly epoch: number;
  /** How long to wait for a response while requests wait, in milliseconds. Default: 2 min, because storage may be slow. */
  readonly stalledAfterMs?: number;
  /** Time without requests after which the agent exits. */
  readonly idleMs?: number;
}

const where = 'this computer';
const cutAfter = 500;
/** How long the agent's end is awaited, milliseconds. */
const endMs = 5000;

/** A command line that runs the agent's file as root, to which its options are added. */
export function commandHere({
  agentPath = defaultAgentPath(),
  within = [],
  isRoot = process.geteuid?.() === 0,
}: CommandHereOptions): readonly string[] {
  return [...within, ...(isRoot ? [] : ['sudo', '-n']), 'python3', agentPath];
}

/**
 * Runs the agent on this computer, as root, and speaks to it through a socket that nobody else has. It ends with this process.
 *
 * @throws CausewayError `transport.here-not-linux`, `transport.here-not-privileged`, `transport.here-python-missing`, `fleet.claim-lost`, `transport.agent-start`
 */
export async function connectAgentHere(options: AgentHereOptions, signal: AbortSignal): Promise<AgentSession> {
  const { purpose, epoch, stalledAfterMs = 120_000, idleMs = 300_000 } = options;
  if (process.platform !== 'linux') throw new CausewayError('transport.here-not-linux', `this is ${process.platform}`);
  if (signal.aborted) throw abortReason(signal);
  const command = [
    ...commandHere(options),
    '--stdio',
    '--lock',
    agentLock(purpose),
    ...(epoch === 0 ? [] : ['--epoch', String(epoch)]),
    '--idle',
    String(idleMs / 1000),
  ];
  // One socket for both directions, which Node has only beside standard input and output.
  const child = spawn('/bin/sh', ['-c', 'exec "$@" <&3 >&3 3>&-', 'sh', ...command], {
    stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
  });
  const ended = Promise.withResolvers<number | null>();
  let words = '';
  child.stderr?.setEncoding('utf8').on('data', (text: string) => (words = textEnd(words + text, 2 * cutAfter)));
  const link = new AgentLink(child.stdio[3] as Duplex, {
    peer: where,
    checksumPayloads: false,
    pingAfterMs: 10_000,
    lostAfterMs: stalledAfterMs,
    stalledAfterMs,
  });
  child.once(
    'error',
    (error) => (
      ended.resolve(null),
      link.fail(new CausewayError('transport.agent-start', `${where}: ${error.message}`, { cause: error }))
    ),
  );
  // When its standard error was read to the end, too.
  child.once('close', (code) => {
    ended.resolve(code);
    link.fail(
      code === fencedStatus
        ? fenced(where, words)
        : new CausewayError(
            'transport.lost',
            `${where}: the agent exited with ${code ?? 'a signal'}: ${textEnd(words.trim(), cutAfter)}`,
          ),
    );
  });
  const release = async (): Promise<void> => {
    const enough = new AbortController();
    await Promise.race([ended.promise, systemClock.sleep(endMs, enough.signal).catch(() => undefined)]);
    enough.abort();
    // Of another user it ends by itself: there is nobody at the other end of its socket.
    child.kill('SIGKILL');
  };
  let hello: AgentHello;
  try {
    hello = await sayHello(link, undefined, signal);
  } catch (error) {
    link.fail(error);
    if (signal.aborted) {
      child.kill('SIGKILL');
      throw abortReason(signal);
    }
    await release();
    throw notStarted(await ended.promise, words.trim(), error);
  }
  return new AgentSession({
    mechanism: 'local',
    control: link,
    data: [link],
    compression: 'never',
    codec: codecFor(hello.features),
    inFlightBytes: 'auto',
    throttle: undefined,
    release,
  });
}

/** Why it did not start, from its last words and those of sudo and the shell. */
export function notStarted(code: number | null, words: string, cause: unknown): CausewayError {
  if (code === fencedStatus) return fenced(where, words);
  const said = `${where}: ${textEnd(words, cutAfter)}`;
  if (/^sudo: .*(?:python3|command not found)/m.test(words) || code === 127) {
    return /\bsudo\W*: (?:not found|No such file)/.test(words)
      ? new CausewayError('transport.here-not-privileged', said, { cause })
      : new CausewayError('transport.here-python-missing', said, { cause });
  }
  if (/^sudo: /m.test(words)) return new CausewayError('transport.here-not-privileged', said, { cause });
  return new CausewayError('transport.agent-start', said, { cause });
}
