import { CausewayError, toErrorRecord } from '../../../../../shared/model/causeway-error.ts';
import { ourLabel } from '../../../cloud-resources/managed-resources.ts';
import { runChecks, type EndpointCheck } from '../../../endpoint-checks/run-checks.ts';
import type { CheckReport } from '../../../ports/platform-common.ts';
import type { AwsCloud } from '../client/aws-cloud.ts';
import { isAwsCode, isReason } from '../client/aws-error.ts';
import { fewestBlocks, listSnapshotBlocks } from '../client/blocks.ts';
import { asTags, listInstances, someSnapshots, tagFilters } from '../client/compute.ts';
import { featureActions } from './policy.ts';
import type { SourceContext } from './source-context.ts';

/** An id that no resource has. A permitted request for it is answered with "not found". */
const noSnapshot = 'snap-00000000000000000';
const noInstance = 'i-00000000000000000';
const noImage = 'ami-00000000000000000';

/** Signs in, then tries what replication needs. Requests that would change something are dry runs: the service only says whether they are permitted. */
export function checkSource({ cloud }: SourceContext, signal: AbortSignal): Promise<CheckReport> {
  const { allowUntrusted, diskAccess, region } = cloud.connection;
  let mayBeDirect = diskAccess !== 'worker';
  const check = (name: string, run: EndpointCheck['run'], essential = false): EndpointCheck => ({
    name,
    essential,
    run,
  });
  return runChecks(
    [
      ...(allowUntrusted
        ? [
            check('Verify certificates', async () => ({
              warning:
                'server certificates are NOT verified: anyone on the network path can read and change all data. Specify the certificate authority instead',
            })),
          ]
        : []),
      check(
        'Sign in',
        async (within) => {
          const { Account: account, Arn: arn } = await cloud.ask(
            'ask who is signed in',
            'sts:GetCallerIdentity',
            ({ sdk, sts }, options) => sts.send(new sdk.GetCallerIdentityCommand({}), options),
            within,
          );
          return `account ${account ?? 'unknown'} as ${arn ?? 'unknown'}, region ${region}`;
        },
        true,
      ),
      check('List VMs', async (within) => {
        const { length } = await listInstances(cloud, [], within);
        return length === 0 ? { warning: `no VM in region ${region}` } : `${length} ${length === 1 ? 'VM' : 'VMs'}`;
      }),
      check(featureActions.snapshots.feature, async (within) => {
        const instance = (await listInstances(cloud, [], within))[0]?.InstanceId ?? noInstance;
        // A policy may allow the removal of Causeway's own alone, as the one does that is made here.
        const own = (await someSnapshots(cloud, tagFilters(ourLabel), within))[0]?.SnapshotId;
        await permitted(
          cloud.ask(
            'create snapshots (dry run)',
            'ec2:CreateSnapshots',
            ({ sdk, ec2 }, options) =>
              ec2.send(
                new sdk.CreateSnapshotsCommand({
                  InstanceSpecification: { InstanceId: instance },
                  TagSpecifications: tagged('snapshot'),
                  DryRun: true,
                }),
                options,
              ),
            within,
          ),
        );
        if (own === undefined) return 'permitted; removing one is tried once there is a snapshot of Causeway';
        await permitted(
          cloud.ask(
            'delete a snapshot (dry run)',
            'ec2:DeleteSnapshot',
            ({ sdk, ec2 }, options) =>
              ec2.send(new sdk.DeleteSnapshotCommand({ SnapshotId: own, DryRun: true }), options),
            within,
          ),
        );
        return 'permitted';
      }),
      ...(diskAccess === 'worker'
        ? []
        : [
            check(featureActions.direct.feature, async (within) => {
              const seen = await orWarn(
                directAccess(cloud, within),
                diskAccess === 'auto'
                  ? 'disks are read by a worker instead, which needs migr_image_map'
                  : 'no disk can be read',
                within,
              );
              mayBeDirect = typeof seen === 'string';
              return seen;
            }),
          ]),
      ...(diskAccess === 'ebs_direct'
        ? []
        : [
            check(featureActions.worker.feature, async (within) => {
              if (mayBeDirect) return 'not needed, as the EBS direct APIs may be used';
              return orWarn(workerAccess(cloud, within), 'no disk can be read', within);
            }),
          ]),
      check(featureActions.shutdown.feature, async (within) => {
        const instance = (await listInstances(cloud, [], within))[0]?.InstanceId ?? noInstance;
        const asked = permitted(
          cloud.ask(
            'stop a VM (dry run)',
            'ec2:StopInstances',
            ({ sdk, ec2 }, options) =>
              ec2.send(new sdk.StopInstancesCommand({ InstanceIds: [instance], DryRun: true }), options),
            within,
          ),
        );
        return orWarn(
          asked.then(() => 'permitted'),
          'VMs must be stopped by hand',
          within,
        );
      }),
    ],
    signal,
  );
}

/** Creations carry tags, which have to be permitted as well. */
const tagged = (ResourceType: 'snapshot' | 'volume' | 'security-group' | 'instance') => [
  { ResourceType, Tags: asTags(ourLabel) },
];

/** Lists blocks of a snapshot that there is: the service has no dry run for it. */
async function directAccess(cloud: AwsCloud, signal: AbortSignal): Promise<string> {
  const snapshots = await someSnapshots(cloud, [{ Name: 'status', Values: ['completed'] }], signal);
  const id =
    snapshots.find(({ Encrypted: encrypted }) => encrypted !== true)?.SnapshotId ??
    snapshots[0]?.SnapshotId ??
    noSnapshot;
  await permitted(listSnapshotBlocks(cloud, id, { token: undefined, from: 0, most: fewestBlocks }, signal));
  return 'permitted';
}

/** Dry runs of what makes a worker, as it would be made for the first VM. */
async function workerAccess(cloud: AwsCloud, signal: AbortSignal): Promise<string> {
  const sample = (await listInstances(cloud, [], signal))[0];
  const { ImageId: image = noImage, SubnetId: subnet, VpcId: vpc, Placement: placement } = sample ?? {};
  const zone = placement?.AvailabilityZone ?? `${cloud.connection.region}a`;
  await permitted(
    cloud.ask(
      'create a volume (dry run)',
      'ec2:CreateVolume',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.CreateVolumeCommand({
            AvailabilityZone: zone,
            Size: 1,
            TagSpecifications: tagged('volume'),
            DryRun: true,
          }),
          options,
        ),
      signal,
    ),
  );
  await permitted(
    cloud.ask(
      'create a security group (dry run)',
      'ec2:CreateSecurityGroup',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.CreateSecurityGroupCommand({
            GroupName: 'causeway-check',
            Description: 'Dry run of Causeway',
            ...(vpc === undefined ? {} : { VpcId: vpc }),
            TagSpecifications: tagged('security-group'),
            DryRun: true,
          }),
          options,
        ),
      signal,
    ),
  );
  await permitted(
    cloud.ask(
      'start a worker (dry run)',
      'ec2:RunInstances',
      ({ sdk, ec2 }, options) =>
        ec2.send(
          new sdk.RunInstancesCommand({
            ImageId: image,
            InstanceType: 't3.medium',
            MinCount: 1,
            MaxCount: 1,
            ...(subnet === undefined ? {} : { SubnetId: subnet }),
            TagSpecifications: tagged('instance'),
            DryRun: true,
          }),
          options,
        ),
      signal,
    ),
  );
  return 'permitted';
}

/** A dry run that is permitted ends with an error that says so; and a permitted request may name what is not there. */
async function permitted(asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (isAwsCode(error, 'DryRunOperation') || (error instanceof CausewayError && error.code === 'cloud.not-found'))
      return;
    throw error;
  }
}

async function orWarn(
  asked: Promise<string>,
  consequence: string,
  signal: AbortSignal,
): Promise<string | { readonly warning: string }> {
  try {
    return await asked;
  } catch (error) {
    signal.throwIfAborted();
    return { warning: `${toErrorRecord(error).message}; ${consequence}` };
  }
}

/** Whether the EBS direct APIs may be used for a snapshot. Only a clear denial of them says no, not one of a role. */
export async function mayReadDirectly(cloud: AwsCloud, snapshotId: string, signal: AbortSignal): Promise<boolean> {
  try {
    await listSnapshotBlocks(cloud, snapshotId, { token: undefined, from: 0, most: fewestBlocks }, signal);
    return true;
  } catch (error) {
    // A key that may not be used is no reason for a worker, which cannot use it either: opening the disk names it.
    if (isReason(error, 'DEPENDENCY_ACCESS_DENIED', 'DEPENDENCY_RESOURCE_NOT_FOUND', 'INVALID_CUSTOMER_KEY'))
      return true;
    if (
      error instanceof CausewayError &&
      error.code === 'cloud.permission-denied' &&
      error.details['action'] === 'ebs:ListSnapshotBlocks'
    )
      return false;
    throw error;
  }
}
