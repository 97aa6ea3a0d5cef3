import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { pollUntil } from '../../../time/poll.ts';
import { isAwsCode } from '../client/aws-error.ts';
import { findInstance } from '../client/compute.ts';
import { scalingGroupOf } from './inventory.ts';
import type { SourceContext } from './source-context.ts';

/** The service itself cuts the power some minutes after it asked the guest. */
const deadlineMs = 15 * 60_000;

/**
 * Asks the guest to shut down and waits until the VM is stopped. Stopped already is done.
 *
 * @throws `source.shutdown-refused` also for a VM of an Auto Scaling group, which would terminate it, and its volumes with it
 */
export async function shutDown(
  { cloud, clock, timing }: SourceContext,
  vmId: string,
  signal: AbortSignal,
): Promise<void> {
  let asked = false;
  await pollUntil(
    async (within) => {
      const instance = await findInstance(cloud, vmId, within);
      const state = instance?.State?.Name;
      if (instance === undefined || state === undefined || state === 'terminated')
        throw new CausewayError('source.vm-not-found', `region ${cloud.connection.region} has no VM ${vmId}`);
      if (state === 'stopped') return { done: true, value: undefined };
      if (!asked && state === 'running') {
        const group = scalingGroupOf(instance);
        if (group !== undefined) {
          throw new CausewayError(
            'source.shutdown-refused',
            `VM ${vmId} is in the Auto Scaling group ${group}, which terminates VMs that are stopped: detach it or put it in standby there first`,
            { details: { vmId, group } },
          );
        }
        await cloud
          .ask(
            `stop VM ${vmId}`,
            'ec2:StopInstances',
            ({ sdk, ec2 }, options) => ec2.send(new sdk.StopInstancesCommand({ InstanceIds: [vmId] }), options),
            within,
          )
          .catch((error: unknown) => {
            // Stop protection, or an instance of a kind that cannot be stopped.
            if (isAwsCode(error, 'OperationNotPermitted', 'UnsupportedOperation') && error instanceof CausewayError)
              throw new CausewayError('source.shutdown-refused', error.message, {
                details: error.details,
                cause: error,
              });
            throw error;
          });
        asked = true;
      }
      return { done: false, state };
    },
    { deadlineMs, firstMs: timing.pollFirstMs, capMs: timing.pollCapMs },
    clock,
    signal,
    (state) =>
      new CausewayError('source.shutdown-refused', `VM ${vmId} is still ${state} after ${deadlineMs / 1000} s`),
  );
}
