import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { waitForState } from '../../http/wait-for-state.ts';
import { pollPlan } from '../../cloud-resources/retry-context.ts';
import type { Iaas } from './iaas/iaas.ts';
import type { Accepted } from './iaas/servers.ts';
import type { CloudSession } from './session.ts';

/**
 * Waits until an accepted operation is carried out. An answer without a request id, or with one that the API does not
 * know, can't be followed: the caller looks at the resource itself, which it does in any case.
 *
 * @throws `cloud.operation-failed`, `cloud.not-ready`
 */
export async function followRequest(
  session: CloudSession,
  iaas: Iaas,
  operation: string,
  accepted: Accepted,
  signal: AbortSignal,
): Promise<void> {
  const { requestId } = accepted;
  if (requestId === undefined) return;
  await waitForState(
    { operation, details: { requestId } },
    async (s) => {
      const request = await iaas.requests.get(requestId, s);
      const status = request?.status ?? 'UPDATED';
      if (status === 'FAILED') {
        throw new CausewayError(
          'cloud.operation-failed',
          `${operation}: ${request?.details ?? 'the cloud reported a failure'}`,
          {
            details: { operation, requestId, state: status },
          },
        );
      }
      return ['CREATED', 'UPDATED', 'DELETED'].includes(status)
        ? { done: true, value: undefined }
        : { done: false, state: status };
    },
    pollPlan(session.timing, session.timing.attachMs),
    session.clock,
    signal,
  );
}
