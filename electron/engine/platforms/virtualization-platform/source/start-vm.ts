import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import { isFault } from '../client/fault.ts';
import { awaitTask } from '../client/tasks.ts';
import { readVm } from './inventory.ts';
import type { SourceContext } from './source-context.ts';

const plan = { deadlineMs: 5 * 60_000, firstMs: 500, capMs: 5000 };

/** Powers the VM on and waits until it runs. Running already is done. @throws `life.source-not-started` */
export async function startVm({ session, clock }: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  let isAsked = false;
  await pollUntil(
    async (within) => {
      const { name, power, vm } = await readVm(session, vmId, within);
      if (power === 'running') return { done: true, value: undefined };
      if (!isAsked) {
        isAsked = true;
        try {
          await awaitTask(
            session,
            await session.callForObject('PowerOnVM_Task', vm, [], within),
            `power on VM ${name}`,
            within,
            { deadlineMs: plan.deadlineMs },
          );
        } catch (error) {
          within.throwIfAborted();
          const isUnderWay =
            isFault(error, 'InvalidPowerState', 'TaskInProgress') ||
            (error instanceof CausewayError && error.details['ambiguous'] === true);
          // E.g. resources that the cluster does not have any more, or a question that waits for an answer.
          if (!isUnderWay)
            throw new CausewayError(
              'life.source-not-started',
              `VM ${name}: ${error instanceof Error ? error.message : String(error)}`,
              { details: { vmId }, cause: error },
            );
        }
      }
      return { done: false, state: power };
    },
    plan,
    clock,
    signal,
    (state) =>
      new CausewayError('life.source-not-started', `VM ${vmId} is still ${state} after ${plan.deadlineMs / 1000} s`),
  );
}
