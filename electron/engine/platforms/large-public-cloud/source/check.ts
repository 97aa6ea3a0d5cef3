import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import type { AwsCloud } from '../client/aws-cloud.ts';
import { isAwsCode } from '../client/aws-error.ts';
import { fewestBlocks, listSnapshotBlocks } from '../client/blocks.ts';
import { listInstances, listSnapshots } from '../client/compute.ts';
import { featureActions } from './policy.ts';
import type { SourceContext } from './source-context.ts';

/** An id that no resource has. A permitted request for it is answered with "not found". */
const noSnapshot = 'snap-00000000000000000';
const noInstance = 'i-00000000000000000';

/** Signs in, then tries what replication needs. Requests that would change something are dry runs: the service only says whether they are permitted. */
export function checkSource({ cloud }: SourceContext, signal: AbortSignal): Promise<CheckReport> {
  const { allowUntrusted, diskAccess, region } = cloud.connection;
  const check = (name: string, run: EndpointCheck['run'], essential = false): EndpointCheck => ({ name, essential, run });
  return runChecks([
    ...(allowUntrusted ? [check('Verify certificates', async () => ({ warning: 'server certificates are NOT verified: anyone on the network path can read and change all data. Specify the certificate authority instead' }))] : []),
    check('Sign in', async (within) => {
      const { Account: account, Arn: arn } = await cloud.ask('ask who is signed in', 'sts:GetCallerIdentity', ({ sdk, sts }, options) => sts.send(new sdk.GetCallerIdentityCommand({}), options), within);
      return `account ${account ?? 'unknown'} as ${arn ?? 'unknown'}, region ${region}`;
    }, true),
    check('List VMs', async (within) => {
      const { length } = await listInstances(cloud, [], within);
      return length === 0 ? { warning: `no VM in region ${region}` } : `${length} VMs`;
    }),
    check(featureActions.snapshots.feature, async (within) => {
      const instance = (await listInstances(cloud, [], within))[0]?.InstanceId ?? noInstance;
      const snapshot = (await listSnapshots(cloud, [], within))[0]?.SnapshotId ?? noSnapshot;
      await permitted(cloud.ask('create snapshots (dry run)', 'ec2:CreateSnapshots', ({ sdk, ec2 }, options) => ec2.send(new sdk.CreateSnapshotsCommand({
        InstanceSpecification: { InstanceId: instance }, TagSpecifications: [{ ResourceType: 'snapshot', Tags: [{ Key: 'managed-by', Value: 'causeway' }] }], DryRun: true,
      }), options), within));
      await permitted(cloud.ask('delete a snapshot (dry run)', 'ec2:DeleteSnapshot', ({ sdk, ec2 }, options) => ec2.send(new sdk.DeleteSnapshotCommand({ SnapshotId: snapshot, DryRun: true }), options), within));
      return 'permitted';
    }),
    ...(diskAccess === 'worker' ? [] : [check(featureActions.direct.feature, (within) => orWarn(directAccess(cloud, within), diskAccess === 'auto'
      ? 'disks are read by a worker instead, which needs migr_image_map'
      : 'no disk can be read', within))]),
    check(featureActions.shutdown.feature, async (within) => {
      const instance = (await listInstances(cloud, [], within))[0]?.InstanceId ?? noInstance;
      const asked = permitted(cloud.ask('stop a VM (dry run)', 'ec2:StopInstances', ({ sdk, ec2 }, options) => ec2.send(new sdk.StopInstancesCommand({ InstanceIds: [instance], DryRun: true }), options), within));
      return orWarn(asked.then(() => 'permitted'), 'VMs must be stopped by hand', within);
    }),
  ], signal);
}

/** Lists blocks of a snapshot that there is: the service has no dry run for it. */
async function directAccess(cloud: AwsCloud, signal: AbortSignal): Promise<string> {
  const snapshots = await listSnapshots(cloud, [{ Name: 'status', Values: ['completed'] }], signal);
  const id = snapshots.find(({ Encrypted: encrypted }) => encrypted !== true)?.SnapshotId ?? snapshots[0]?.SnapshotId ?? noSnapshot;
  await permitted(listSnapshotBlocks(cloud, id, { token: undefined, from: 0, most: fewestBlocks }, signal));
  return 'permitted';
}

/** A dry run that is permitted ends with an error that says so; and a permitted request may name what is not there. */
async function permitted(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (isAwsCode(error, 'DryRunOperation') || (error instanceof CausewayError && error.code === 'cloud.not-found')) return;
    throw error;
  }
}

async function orWarn(asked: Promise<string>, consequence: string, signal: AbortSignal): Promise<string | { readonly warning: string }> {
  try {
    return await asked;
  } catch (error) {
    signal.throwIfAborted();
    return { warning: `${toErrorRecord(error).message}; ${consequence}` };
  }
}

/** Whether the EBS direct APIs may be used for a snapshot. Only a clear denial says no. */
export async function mayReadDirectly(cloud: AwsCloud, snapshotId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await listSnapshotBlocks(cloud, snapshotId, { token: undefined, from: 0, most: fewestBlocks }, signal);
    return true;
  } catch (error) {
    if (error instanceof CausewayError && error.code === 'cloud.permission-denied') return false;
    throw error;
  }
}
