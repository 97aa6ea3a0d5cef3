import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { pollUntil } from '../../../time/poll.ts';
import type { AzureCloud } from '../client/open-azure.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { powerOf, readVm } from './inventory.ts';

/** The guest has minutes to shut down; the cloud then cuts the power. */
const plan = { deadlineMs: 20 * 60_000, firstMs: 500, capMs: 5000 };

/** Deallocates the VM, which shuts its guest down first, and waits until it is off. Off already is done. */
export async function shutDown(cloud: AzureCloud, vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
  const { vm } = await readVm(cloud, vmId, environment, signal);
  const { group, name } = parseResourceId(vm.id);
  const compute = await cloud.compute();
  let asked = false;
  await pollUntil(async (within) => {
    const seen = await cloud.find(`get VM ${name}`, (options) => compute.virtualMachines.get(group, name, { ...options, expand: 'instanceView' }), within);
    if (seen === undefined) throw new CausewayError('source.vm-not-found', `the subscription has no VM ${vmId}`);
    if (powerOf(seen) === 'stopped') return { done: true, value: undefined };
    if (!asked) await cloud.submit(`deallocate VM ${name}`, (options) => compute.virtualMachines.deallocate(group, name, options), within);
    asked = true;
    return { done: false, state: seen.instanceView?.statuses?.findLast((status) => status.code?.startsWith('PowerState/'))?.displayStatus ?? 'running' };
  }, { ...plan, firstMs: Math.min(plan.firstMs, cloud.timing.pollFirstMs) }, cloud.clock, signal, (state) => new CausewayError('source.shutdown-refused', `VM ${vmId} is still "${state}" after ${plan.deadlineMs / 1000} s`));
}
