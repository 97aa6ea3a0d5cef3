import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { pollUntil } from '../http/poll.ts';
import type { CloudScope, CloudServer } from './cloud-scope.ts';
import { pollPlan } from './timing.ts';

/**
 * Waits until a server runs.
 *
 * @throws `cloud.operation-failed`, `cloud.not-found`, `cloud.not-ready`
 */
export function awaitActive(cloud: Pick<CloudScope, 'servers' | 'timing' | 'clock'>, id: string, signal: AbortSignal): Promise<CloudServer> {
  const operation = `server ${id}: starting`;
  return pollUntil(
    { operation, details: { serverId: id } },
    async (s) => {
      const server = await cloud.servers.get(id, s);
      if (server === undefined) throw new CausewayError('cloud.not-found', `${operation}: the server is gone`, { details: { operation, serverId: id } });
      if (server.state === 'failed') {
        throw new CausewayError('cloud.operation-failed', `${operation}: ${server.problem ?? `status ${server.status}`}`, { details: { operation, serverId: id, state: server.status } });
      }
      return server.state === 'running' ? { done: true, value: server } : { done: false, state: server.status };
    },
    pollPlan(cloud.timing, cloud.timing.serverMs),
    cloud.clock,
    signal,
  );
}
