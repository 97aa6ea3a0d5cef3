import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { pollUntil } from '../../../time/poll.ts';
import type { AzureCloud } from '../client/open-azure.ts';
import { parseResourceId } from '../client/resource-id.ts';
import { findVm, powerOf } from './inventory.ts';

/** The guest has minutes to shut down; the cloud then cuts the power. */
const plan = { deadlineMs: 20 * 60_000, firstMs: 500, capMs: 5000 };

/** How a VM gets to a state: the vendor's call, its name in messages, and the error when the state is not reached. */
const ways = {
  stopped: { call: 'deallocate', tooLate: 'source.shutdown-refused' },
  running: { call: 'start', tooLate: 'life.source-not-started' },
} as const;

/** Deallocates the VM, which shuts its guest down first, and waits until it is off. Off already is done. @throws `source.shutdown-refused` */
export function shutDown(cloud: AzureCloud, vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
  return bringTo('stopped', cloud, vmId, environment, signal);
}

/** Starts the VM and waits until it runs. Running already is done. @throws `life.source-not-started` */
export function startVm(cloud: AzureCloud, vmId: string, environment: JsonObject, signal: AbortSignal): Promise<void> {
  return bringTo('running', cloud, vmId, environment, signal);
}

async function bringTo(
  power: keyof typeof ways,
  cloud: AzureCloud,
  vmId: string,
  environment: JsonObject,
  signal: AbortSignal,
): Promise<void> {
  const { call, tooLate } = ways[power];
  const vm = await findVm(cloud, vmId, environment, signal);
  const { group, name } = parseResourceId(vm.id);
  const { virtualMachines } = await cloud.compute();
  let asked = false;
  await pollUntil(
    async (within) => {
      const seen = await cloud.find(
        `get VM ${name}`,
        (options) => virtualMachines.get(group, name, { ...options, expand: 'instanceView' }),
        within,
      );
      if (seen === undefined) throw new CausewayError('source.vm-not-found', `the subscription has no VM ${vmId}`);
      if (powerOf(seen) === power) return { done: true, value: undefined };
      if (!asked)
        await cloud.submit(`${call} VM ${name}`, (options) => virtualMachines[call](group, name, options), within);
      asked = true;
      return {
        done: false,
        state:
          seen.instanceView?.statuses?.findLast((status) => status.code?.startsWith('PowerState/'))?.displayStatus ??
          'of unknown power',
      };
    },
    { ...plan, firstMs: Math.min(plan.firstMs, cloud.timing.pollFirstMs) },
    cloud.clock,
    signal,
    (state) => new CausewayError(tooLate, `VM ${vmId} is still "${state}" after ${plan.deadlineMs / 1000} s`),
  );
}
