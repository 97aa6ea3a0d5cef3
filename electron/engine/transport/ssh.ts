import { textEnd } from '../../../shared/model/cut-text.ts';
import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { WorkerAccess } from '../ports/destination-platform.ts';
import { fenced, fencedStatus, type AgentPlace } from './agent-launch.ts';
import { AgentLink } from './agent-link.ts';
import { AgentSession, sayHello, type AgentHello } from './agent-session.ts';
import { systemClock } from '../time/clock.ts';
import { abortReason } from '../concurrency/abortable.ts';
import { codecFor } from './compression.ts';
import { connectionCount } from './connection-count.ts';
import type { Settings } from './connect-options.ts';
import { agentArguments } from './https.ts';
import { linkOptions } from './link-options.ts';
import { shellQuoted, type SshConnection } from './ssh-connection.ts';

/**
 * An SSH server lets a channel have 2 MiB on its way before it asks for more (OpenSSH's default), which a long link outgrows: then
 * each connection has so many channels.
 */
const channelsOnALongWay = 2;

/** Runs the agent on the SSH session's standard input and output; on a long way, over more connections as well. */
export async function connectBySsh(
  ssh: SshConnection,
  place: AgentPlace,
  access: WorkerAccess,
  settings: Settings,
  another: (signal: AbortSignal) => Promise<SshConnection>,
  release: () => Promise<void>,
  signal: AbortSignal,
): Promise<AgentSession> {
  const socket = shellQuoted(`${place.folder}/agent.sock`);
  const command = [place.command, '--stdio', `--share ${socket}`, ...agentArguments(access, place, settings)].join(' ');
  const channel = await ssh.openChannel(command, signal);
  const where = `${access.host}:${access.sshPort}`;
  // SSH itself notices a dead connection; the agent's own silence may only mean that storage is slow.
  const lostAfterMs = settings.stalledAfterMs;
  const link = new AgentLink(channel.stream, {
    ...linkOptions(where, settings, true),
    pingAfterMs: 10_000,
    lostAfterMs,
  });
  const onLost = (): void => link.fail(ssh.lost.reason);
  ssh.lost.addEventListener('abort', onLost, { once: true });
  const ended = Promise.withResolvers<number | null>();
  channel.stream.once('close', () => ended.resolve(null));
  channel.stream.once('exit', (code: number | null) => {
    ended.resolve(code);
    link.fail(
      code === fencedStatus
        ? fenced(where, channel.errorTail())
        : new CausewayError(
            'transport.lost',
            `${where}: the agent exited with ${code ?? 'a signal'}: ${channel.errorTail()}`,
          ),
    );
  });
  let hello: AgentHello;
  try {
    hello = await sayHello(link, undefined, signal);
  } catch (error) {
    // Its output ends before SSH tells its status.
    const lastWord = new AbortController();
    const code = isLost(error)
      ? await Promise.race([ended.promise, systemClock.sleep(statusMs, lastWord.signal).catch(() => null)])
      : null;
    lastWord.abort();
    link.fail(error);
    if (code === fencedStatus) throw fenced(where, channel.errorTail());
    throw started(error, where, channel.errorTail());
  }
  const wanted = await connectionCount(link, settings.connections, signal).catch((error: unknown) => {
    link.fail(error);
    throw error;
  });
  const joined =
    wanted === 1
      ? undefined
      : await joinedBy(ssh, wanted, another, `${place.command} --join ${socket}`, hello, where, settings, signal).catch(
          (error: unknown) => {
            link.fail(error);
            throw error;
          },
        );
  const releaseAll = async (): Promise<void> => {
    await Promise.all((joined?.connections ?? []).map((connection) => connection.close()));
    await release();
  };
  const { compression, inFlightBytes, throttle } = settings;
  const data = joined === undefined || joined.links.length === 0 ? [link] : joined.links;
  return new AgentSession({
    mechanism: 'SSH',
    control: link,
    data,
    compression,
    codec: codecFor(hello.features),
    recalls: hello.features.includes('recall'),
    inFlightBytes,
    throttle,
    release: releaseAll,
  });
}

interface Joined {
  /** Those that were opened for it. */
  readonly connections: readonly SshConnection[];
  readonly links: readonly AgentLink[];
}

/** More links to the agent. Those that the server does not let in are missing: it may allow few connections, or few channels on one. */
async function joinedBy(
  first: SshConnection,
  wanted: number,
  another: (signal: AbortSignal) => Promise<SshConnection>,
  command: string,
  { session }: AgentHello,
  where: string,
  settings: Settings,
  signal: AbortSignal,
): Promise<Joined> {
  const connections: SshConnection[] = [];
  const links: AgentLink[] = [];
  const join = async (ssh: SshConnection): Promise<void> => {
    const channel = await ssh.openChannel(command, signal);
    const link = new AgentLink(channel.stream, linkOptions(where, settings, false));
    ssh.lost.addEventListener('abort', () => link.fail(ssh.lost.reason), { once: true });
    try {
      await sayHello(link, session, signal);
      links.push(link);
    } catch (error) {
      link.fail(error);
      throw error;
    }
  };
  const joinOften = (ssh: SshConnection, times: number): Promise<unknown> =>
    Promise.allSettled(Array.from({ length: times }, () => join(ssh)));
  const connectAndJoin = async (): Promise<void> => {
    const ssh = await another(signal);
    connections.push(ssh);
    await joinOften(ssh, channelsOnALongWay);
  };
  await Promise.all([
    joinOften(first, channelsOnALongWay - 1),
    ...Array.from({ length: wanted - 1 }, () => connectAndJoin().catch(() => undefined)),
  ]);
  if (!signal.aborted && !first.lost.aborted) return { connections, links };
  for (const link of links) link.fail(new CausewayError('transport.closed', `${where}: the session was closed`));
  await Promise.all(connections.map((connection) => connection.close()));
  throw signal.aborted ? abortReason(signal) : abortReason(first.lost);
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
