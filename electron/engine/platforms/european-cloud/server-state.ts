import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../http/poll.ts';
import { pollPlan } from './context.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { CloudServer } from './iaas/servers.ts';
import type { CloudSession } from './session.ts';

/**
 * Waits until a server runs.
 *
 * @throws `cloud.operation-failed`, `cloud.not-found`, `cloud.not-ready`
 */
export function awaitActive(session: CloudSession, iaas: Iaas, id: string, signal: AbortSignal): Promise<CloudServer> {
  const operation = `server ${id}: starting`;
  return pollUntil(
    { operation, details: { serverId: id } },
    async (s) => {
      const server = await iaas.servers.get(id, s);
      if (server === undefined) throw new CausewayError('cloud.not-found', `${operation}: the server is gone`, { details: { operation, serverId: id } });
      if (server.status === 'ERROR') {
        throw new CausewayError('cloud.operation-failed', `${operation}: ${server.errorMessage ?? 'status ERROR'}`, { details: { operation, serverId: id, state: 'ERROR' } });
      }
      return server.status === 'ACTIVE' ? { done: true, value: server } : { done: false, state: server.status ?? 'unknown' };
    },
    pollPlan(session.timing, session.timing.serverMs),
    session.clock,
    signal,
  );
}
