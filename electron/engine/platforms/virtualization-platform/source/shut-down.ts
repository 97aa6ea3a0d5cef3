import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import { isFault } from '../client/fault.ts';
import { readVm } from './inventory.ts';
import type { SourceContext } from './source-context.ts';

const plan = { deadlineMs: 10 * 60_000, firstMs: 500, capMs: 5000 };

/** Asks VMware Tools to shut the guest down and waits until the VM is off. Off already is done. */
export async function shutDown({ session, clock }: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  let isAsked = false;
  await pollUntil(
    async (within) => {
      const { name, power, vm, hasRunningTools } = await readVm(session, vmId, within);
      if (power === 'stopped') return { done: true, value: undefined };
      if (!isAsked) {
        if (!hasRunningTools)
          throw new CausewayError(
            'source.shutdown-refused',
            `VM ${name}: VMware Tools are not running, so that the guest cannot be asked to shut down`,
            { details: { vmId }, retryable: false },
          );
        await session.call('ShutdownGuest', vm, [], within).catch((error: unknown) => {
          // Off, or on its way, since it was last looked at.
          if (
            !isFault(error, 'InvalidPowerState', 'TaskInProgress') &&
            !(error instanceof CausewayError && error.details['ambiguous'] === true)
          )
            throw error;
        });
        isAsked = true;
      }
      return { done: false, state: power };
    },
    plan,
    clock,
    signal,
    (state) =>
      new CausewayError('source.shutdown-refused', `VM ${vmId} is still ${state} after ${plan.deadlineMs / 1000} s`),
  );
}
