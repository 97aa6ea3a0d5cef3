import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { pollUntil } from '../../../time/poll.ts';
import type { AzureCloud } from '../client/open-azure.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { powerOf, readVm } from './inventory.ts';

const plan = { deadlineMs: 20 * 60_000, firstMs: 500, capMs: 5000 };

/** Starts a VM and waits until it runs. Running already is done. @throws `life.source-not-started` */
export async function startVm(cloud: AzureCloud, vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
  const { vm } = await readVm(cloud, vmId, environment, signal);
  const { group, name } = parseResourceId(vm.id);
  const compute = await cloud.compute();
  let asked = false;
  await pollUntil(async (within) => {
    const seen = await cloud.find(`get VM ${name}`, (options) => compute.virtualMachines.get(group, name, { ...options, expand: 'instanceView' }), within);
    if (seen === undefined) throw new CausewayError('source.vm-not-found', `the subscription has no VM ${vmId}`);
    if (powerOf(seen) === 'running') return { done: true, value: undefined };
    if (!asked) await cloud.submit(`start VM ${name}`, (options) => compute.virtualMachines.start(group, name, options), within);
    asked = true;
    return { done: false, state: seen.instanceView?.statuses?.findLast((status) => status.code?.startsWith('PowerState/'))?.displayStatus ?? 'stopped' };
  }, { ...plan, firstMs: Math.min(plan.firstMs, cloud.timing.pollFirstMs) }, cloud.clock, signal, (state) => new CausewayError('life.source-not-started', `VM ${vmId} is still "${state}" after ${plan.deadlineMs / 1000} s`));
}
