import { managedOf, ourLabel } from '../../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { AwsCloud } from '../client/aws-cloud.ts';
import { labelsOf, listInstances, listSnapshots, listVolumes, nameTag, tagFilters } from '../client/compute.ts';
import { listSecurityGroups } from '../client/worker-calls.ts';

/** Everything in the region that carries our tag, whether a ledger knows it or not. */
export async function listManaged(cloud: AwsCloud, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  const ours = tagFilters(ourLabel);
  const [snapshots, volumes, instances, groups] = await Promise.all([
    listSnapshots(cloud, ours, signal),
    listVolumes(cloud, ours, signal),
    listInstances(cloud, ours, signal),
    listSecurityGroups(cloud, ours, signal),
  ]);
  return managedOf([
    [
      'volume-snapshot',
      snapshots.map(({ SnapshotId: id, Tags: tags }) => ({
        id: id ?? '',
        name: nameTag(tags),
        labels: labelsOf(tags),
      })),
    ],
    [
      'security-group',
      groups.map(({ GroupId: id, GroupName: name, Tags: tags }) => ({ id: id ?? '', name, labels: labelsOf(tags) })),
    ],
    [
      'volume',
      volumes.map(({ VolumeId: id, Tags: tags }) => ({ id: id ?? '', name: nameTag(tags), labels: labelsOf(tags) })),
    ],
    [
      'server',
      instances.map(({ InstanceId: id, Tags: tags }) => ({
        id: id ?? '',
        name: nameTag(tags),
        labels: labelsOf(tags),
      })),
    ],
  ]);
}
