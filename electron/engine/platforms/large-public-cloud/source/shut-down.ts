import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import { findInstance } from '../client/compute.ts';
import type { SourceContext } from './source-context.ts';

/** The service itself cuts the power some minutes after it asked the guest. */
const deadlineMs = 15 * 60_000;

/** Asks the guest to shut down and waits until the VM is stopped. Stopped already is done. */
export async function shutDown({ cloud, clock, timing }: SourceContext, vmId: string, signal: AbortSignal): Promise<void> {
  let asked = false;
  await pollUntil(async (within) => {
    const state = (await findInstance(cloud, vmId, within))?.State?.Name;
    if (state === undefined || state === 'terminated') throw new CausewayError('source.vm-not-found', `region ${cloud.connection.region} has no VM ${vmId}`);
    if (state === 'stopped') return { done: true, value: undefined };
    if (!asked && state === 'running') {
      await cloud.ask(`stop VM ${vmId}`, 'ec2:StopInstances', ({ sdk, ec2 }, options) => ec2.send(new sdk.StopInstancesCommand({ InstanceIds: [vmId] }), options), within);
      asked = true;
    }
    return { done: false, state };
  }, { deadlineMs, firstMs: timing.pollFirstMs, capMs: timing.pollCapMs }, clock, signal,
  (state) => new CausewayError('source.shutdown-refused', `VM ${vmId} is still ${state} after ${deadlineMs / 1000} s`));
}
