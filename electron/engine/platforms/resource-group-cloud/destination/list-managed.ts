import { managedOf, ourLabel } from '../../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import { diskType, snapshotType, vmType } from './cloud-calls.ts';
import type { JsonObject } from '../../../../../shared/model/json.ts';
import { BlobContainer, usualContainer } from './page-blobs.ts';
import {
  networkCalls,
  networkType,
  nicCalls,
  nicType,
  publicIpCalls,
  publicIpType,
  securityGroupCalls,
  securityGroupType,
} from './network-calls.ts';
import { workerNetworkKind } from './remove-resource.ts';
import { ownId, type AzureSession } from './session.ts';

/** Everything in a resource group that carries our tag. */
export async function listManaged(
  session: AzureSession,
  group: string,
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const { virtualMachines, disks, snapshots } = await session.compute();
  const labelled =
    (type: string) =>
    ({
      name,
      tags,
    }: {
      readonly name?: string | undefined;
      readonly tags?: Readonly<Record<string, string>> | undefined;
    }) => ({ id: ownId(session, group, type, name), name, labels: tags ?? {} });
  return managedOf(
    [
      [
        'server',
        (await session.list(`list VMs of ${group}`, (options) => virtualMachines.list(group, options), signal)).map(
          labelled(vmType),
        ),
      ],
      [
        'volume',
        (
          await session.list(`list disks of ${group}`, (options) => disks.listByResourceGroup(group, options), signal)
        ).map(labelled(diskType)),
      ],
      [
        'volume-snapshot',
        (
          await session.list(
            `list snapshots of ${group}`,
            (options) => snapshots.listByResourceGroup(group, options),
            signal,
          )
        ).map(labelled(snapshotType)),
      ],
      ['nic', (await nicCalls(session).list(group, signal)).map(labelled(nicType))],
      ['public-ip', (await publicIpCalls(session).list(group, signal)).map(labelled(publicIpType))],
      ['security-group', (await securityGroupCalls(session).list(group, signal)).map(labelled(securityGroupType))],
      [workerNetworkKind, (await networkCalls(session).list(group, signal)).map(labelled(networkType))],
    ],
    () => ({ resourceGroup: group }),
  );
}

/** Page blobs with our marks in the containers that environments, or entries of the ledger, name. */
export async function listManagedBlobs(
  session: AzureSession,
  within: readonly JsonObject[],
  signal: AbortSignal,
): Promise<readonly ManagedResource[]> {
  const text = (value: unknown): string | undefined => (typeof value === 'string' && value !== '' ? value : undefined);
  const places = new Map(
    within.flatMap((each) => {
      const group =
        text(each['resource_group']) ?? text(each['resourceGroup']) ?? session.connection.defaultResourceGroup;
      const account = text(each['storage_account_name']) ?? text(each['storageAccount']);
      const container = text(each['storage_container_name']) ?? text(each['storageContainer']) ?? usualContainer;
      return group === undefined || account === undefined
        ? []
        : [[[group, account, container].join(' ').toLowerCase(), { group, account, container }] as const];
    }),
  );
  const found: ManagedResource[] = [];
  for (const { group, account, container } of places.values()) {
    const blobs = new BlobContainer(session, { group, location: '' }, { account, container });
    const listed = async (isSnapshot: boolean) =>
      (await blobs.items(ourLabel, isSnapshot, signal)).map(({ name, labels, blob }) => ({
        id: blob.url,
        name,
        labels,
      }));
    found.push(
      ...managedOf(
        [
          ['volume', await listed(false)],
          ['volume-snapshot', await listed(true)],
        ],
        () => ({ resourceGroup: group, storageAccount: account, storageContainer: container }),
      ),
    );
  }
  return found;
}
