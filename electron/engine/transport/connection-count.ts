import type { AgentLink } from './agent-link.ts';

const probes = 3;
// One connection's window limits it to (window / round trip): that only bites where the round trip is long.
const longWayMs = 20;
const connectionsOnALongWay = 4;

/**
 * How many connections should carry data. One fills a short way (a second one was measured to bring nothing there and
 * costs processor time); a long one is shared by several, so that a lost packet slows only one of them down.
 */
export async function connectionCount(link: AgentLink, wanted: number | 'auto', signal: AbortSignal): Promise<number> {
  if (wanted !== 'auto') return Math.max(1, Math.floor(wanted));
  for (let probe = 0; probe < probes; probe++) await link.request({ type: 'PING' }, signal);
  return link.roundTripMs < longWayMs ? 1 : connectionsOnALongWay;
}
