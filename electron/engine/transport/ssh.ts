import { textEnd } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WorkerAccess } from '../ports/destination-platform.ts';
import { fenced, fencedStatus, type AgentPlace } from './agent-launch.ts';
import { AgentLink } from './agent-link.ts';
import { AgentSession, sayHello, type AgentHello } from './agent-session.ts';
import { systemClock } from '../time/clock.ts';
import { codecFor } from './compression.ts';
import type { Settings } from './connect-options.ts';
import { agentArguments } from './https.ts';
import { linkOptions } from './link-options.ts';
import type { SshConnection } from './ssh-connection.ts';

/** Runs the agent on the SSH session's standard input and output. */
export async function connectBySsh(
  ssh: SshConnection,
  place: AgentPlace,
  access: WorkerAccess,
  settings: Settings,
  release: () => Promise<void>,
  signal: AbortSignal,
): Promise<AgentSession> {
  const command = [place.command, '--stdio', ...agentArguments(access, place, settings)].join(' ');
  const channel = await ssh.openChannel(command, signal);
  const where = `${access.host}:${access.sshPort}`;
  // SSH itself notices a dead connection; the agent's own silence may only mean that storage is slow.
  const lostAfterMs = settings.stalledAfterMs;
  const link = new AgentLink(channel.stream, { ...linkOptions(where, settings, true), pingAfterMs: 10_000, lostAfterMs });
  const onLost = (): void => link.fail(ssh.lost.reason);
  ssh.lost.addEventListener('abort', onLost, { once: true });
  const ended = Promise.withResolvers<number | null>();
  channel.stream.once('close', () => ended.resolve(null));
  channel.stream.once('exit', (code: number | null) => {
    ended.resolve(code);
    link.fail(code === fencedStatus ? fenced(where, channel.errorTail()) : new CausewayError('transport.lost', `${where}: the agent exited with ${code ?? 'a signal'}: ${channel.errorTail()}`));
  });
  let hello: AgentHello;
  try {
    hello = await sayHello(link, undefined, signal);
  } catch (error) {
    // Its output ends before SSH tells its status.
    const lastWord = new AbortController();
    const code = isLost(error) ? await Promise.race([ended.promise, systemClock.sleep(statusMs, lastWord.signal).catch(() => null)]) : null;
    lastWord.abort();
    link.fail(error);
    if (code === fencedStatus) throw fenced(where, channel.errorTail());
    throw started(error, where, channel.errorTail());
  }
  const { compression, inFlightBytes, throttle } = settings;
  return new AgentSession({ mechanism: 'SSH', control: link, data: [link], compression, codec: codecFor(hello.features), inFlightBytes, throttle, release });
}

/** How long the status of an agent that has ended is awaited, milliseconds. */
const statusMs = 2000;

function isLost(error: unknown): boolean {
  return error instanceof CausewayError && error.code === 'transport.lost';
}

/** An agent that never said hello did not start: its last words are the evidence. */
function started(error: unknown, where: string, words: string): unknown {
  if (!isLost(error) || words === '') return error;
  return new CausewayError('transport.agent-start', `${where}: ${textEnd(words, 500)}`, { cause: error });
}
