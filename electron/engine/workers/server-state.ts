import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { waitForState } from '../http/wait-for-state.ts';
import type { CloudApi, CloudServer } from '../cloud-resources/cloud-api.ts';
import { pollPlan } from '../cloud-resources/retry-context.ts';

/** Why a server can't answer, in the cloud's words; undefined: it runs or starts, as far as the cloud knows. */
export async function whyDown(
  { servers }: Pick<CloudApi, 'servers'>,
  id: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  const server = await servers.get(id, signal);
  if (server === undefined || server.state === 'gone') return `server ${id} no longer exists`;
  if (server.state === 'running' || server.state === 'changing') return undefined;
  return `server ${server.name} is ${server.state}, status ${server.status}${server.problem === undefined ? '' : `: ${server.problem}`}`;
}

/**
 * Waits until a server runs.
 *
 * @throws `cloud.operation-failed`, `cloud.not-found`, `cloud.not-ready`
 */
export function awaitActive(
  cloud: Pick<CloudApi, 'servers' | 'timing' | 'clock'>,
  id: string,
  signal: AbortSignal,
): Promise<CloudServer> {
  const operation = `server ${id}: starting`;
  return waitForState(
    { operation, details: { serverId: id } },
    async (s) => {
      const server = await cloud.servers.get(id, s);
      if (server === undefined)
        throw new CausewayError('cloud.not-found', `${operation}: the server no longer exists`, {
          details: { operation, serverId: id },
        });
      if (server.state === 'failed') {
        throw new CausewayError(
          'cloud.operation-failed',
          `${operation}: ${server.problem ?? `status ${server.status}`}`,
          { details: { operation, serverId: id, state: server.status } },
        );
      }
      return server.state === 'running' ? { done: true, value: server } : { done: false, state: server.status };
    },
    pollPlan(cloud.timing, cloud.timing.serverMs),
    cloud.clock,
    signal,
  );
}
