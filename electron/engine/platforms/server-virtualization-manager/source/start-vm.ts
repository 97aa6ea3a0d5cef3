import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import type { Manager } from '../client/open-manager.ts';

const deadlineMs = 5 * 60_000;

/** Starts the VM and waits until it runs. Running already is done. @throws `life.source-not-started` */
export async function startVm({ api, clock, timing, vms }: Manager, vmId: string, signal: AbortSignal): Promise<void> {
  let asked = false;
  await pollUntil(
    async (within) => {
      const vm = await vms.get(vmId, within);
      if (vm === undefined) throw new CausewayError('source.vm-not-found', `the manager has no VM ${vmId}`);
      if (vm.vmRunState === 'RUNNING') return { done: true, value: undefined };
      if (!asked) {
        asked = true;
        await api
          .job(
            { operation: `start VM ${vmId}`, method: 'PUT', path: `/Vm/${encodeURIComponent(vmId)}/start`, deadlineMs },
            within,
          )
          .catch((error: unknown) => {
            if (error instanceof CausewayError && error.code === 'cloud.operation-failed')
              throw new CausewayError('life.source-not-started', error.message, {
                details: error.details,
                cause: error,
              });
            throw error;
          });
      }
      return { done: false, state: vm.vmRunState };
    },
    { deadlineMs, firstMs: timing.pollFirstMs, capMs: timing.pollCapMs },
    clock,
    signal,
    (state) =>
      new CausewayError('life.source-not-started', `VM ${vmId} is still ${state} after ${deadlineMs / 1000} s`),
  );
}
