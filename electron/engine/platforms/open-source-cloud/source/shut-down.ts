import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isStatus } from '../../../http/http-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import type { SourceContext } from './source-context.ts';

/** The cloud itself cuts the power after a minute or so, when the guest does not react. */
const plan = { deadlineMs: 5 * 60_000, firstMs: 500, capMs: 3000 };

/** Presses the power button and waits until the server is off. Off already is done. */
export async function shutDown({ cloud, clock }: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  let asked = false;
  await pollUntil(
    async (within) => {
      const server = await cloud.compute.servers.get(vmId, within);
      if (server === undefined) throw new CausewayError('source.vm-not-found', `the project has no server ${vmId}`);
      if (server.status === 'SHUTOFF') return { done: true, value: undefined };
      if (server.status === 'ERROR')
        throw new CausewayError(
          'source.shutdown-refused',
          `server ${vmId} is in status ERROR: ${server.fault?.message ?? ''}`,
        );
      if (!asked && (server['OS-EXT-STS:task_state'] ?? null) === null) {
        await cloud.compute.servers.stop(vmId, within).catch((error: unknown) => {
          if (!isStatus(error, 409)) throw error;
        });
        asked = true;
      }
      return { done: false, state: `${server.status}, ${server['OS-EXT-STS:task_state'] ?? 'no task'}` };
    },
    plan,
    clock,
    signal,
    (state) =>
      new CausewayError(
        'source.shutdown-refused',
        `server ${vmId} is still ${state} after ${plan.deadlineMs / 1000} s`,
      ),
  );
}
