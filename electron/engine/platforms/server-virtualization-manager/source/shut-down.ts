import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import type { Manager } from '../client/open-manager.ts';

/** A guest may take this long to shut down; the manager itself gives up earlier. Milliseconds. */
const deadlineMs = 15 * 60_000;

/** Asks the guest to shut down and waits until the VM is stopped. Stopped already is done. @throws `source.shutdown-refused` */
export async function shutDown(manager: Manager, vmId: string, signal: AbortSignal): Promise<void> {
  const { api, clock, timing, vms } = manager;
  let asked = false;
  await pollUntil(
    async (within) => {
      const vm = await vms.get(vmId, within);
      if (vm === undefined) throw new CausewayError('source.vm-not-found', `the manager has no VM ${vmId}`);
      if (vm.vmRunState === 'STOPPED') return { done: true, value: undefined };
      if (!asked && vm.vmRunState === 'RUNNING') {
        asked = true;
        await api
          .job(
            { operation: `stop VM ${vmId}`, method: 'PUT', path: `/Vm/${encodeURIComponent(vmId)}/stop`, deadlineMs },
            within,
          )
          .catch((error: unknown) => {
            if (error instanceof CausewayError && error.code === 'cloud.operation-failed')
              throw new CausewayError('source.shutdown-refused', error.message, {
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
      new CausewayError('source.shutdown-refused', `VM ${vmId} is still ${state} after ${deadlineMs / 1000} s`),
  );
}
