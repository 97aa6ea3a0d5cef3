import { CausewayError } from '../../../../../../shared/model/causeway-error.ts';
import { pollPlan } from '../../../../cloud-resources/retry-context.ts';
import { waitForState } from '../../../../http/wait-for-state.ts';
import type { OciSession } from '../session.ts';

/** The console's text so far: the service captures it on demand, and keeps it until it is deleted. */
export async function consoleLog(session: OciSession, instanceId: string, signal: AbortSignal): Promise<string> {
  const { compute, timing, clock } = session;
  const captured = await compute.captureConsole(instanceId, signal);
  const operation = `capture the console of instance ${instanceId}`;
  try {
    await waitForState(
      { operation, details: { serverId: instanceId } },
      async (s) => {
        const state = (await compute.console(captured.id, s))?.lifecycleState ?? 'FAILED';
        if (state === 'FAILED')
          throw new CausewayError('cloud.operation-failed', `${operation}: the cloud could not capture it`, {
            details: { operation, serverId: instanceId },
          });
        return state === 'SUCCEEDED' ? { done: true, value: undefined } : { done: false, state };
      },
      pollPlan(timing, timing.attachMs),
      clock,
      signal,
    );
    return await compute.consoleText(captured.id, signal);
  } finally {
    // What is left of it goes with the instance.
    await compute.deleteConsole(captured.id, AbortSignal.timeout(timing.requestMs)).catch(() => undefined);
  }
}
