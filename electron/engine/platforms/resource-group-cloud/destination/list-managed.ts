import { managedOf } from '../../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import { diskType, snapshotType, vmType } from './cloud-calls.ts';
import { networkCalls, networkType, nicCalls, nicType, publicIpCalls, publicIpType, securityGroupCalls, securityGroupType } from './network-calls.ts';
import { workerNetworkKind } from './remove-resource.ts';
import { ownId, type AzureSession } from './session.ts';

/** Everything in a resource group that carries our tag. */
export async function listManaged(session: AzureSession, group: string, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  const { virtualMachines, disks, snapshots } = await session.compute();
  const labelled = (type: string) => ({ name, tags }: { readonly name?: string | undefined; readonly tags?: Readonly<Record<string, string>> | undefined }) =>
    ({ id: ownId(session, group, type, name), name, labels: tags ?? {} });
  return managedOf([
    ['server', (await session.list(`list VMs of ${group}`, (options) => virtualMachines.list(group, options), signal)).map(labelled(vmType))],
    ['volume', (await session.list(`list disks of ${group}`, (options) => disks.listByResourceGroup(group, options), signal)).map(labelled(diskType))],
    ['volume-snapshot', (await session.list(`list snapshots of ${group}`, (options) => snapshots.listByResourceGroup(group, options), signal)).map(labelled(snapshotType))],
    ['nic', (await nicCalls(session).list(group, signal)).map(labelled(nicType))],
    ['public-ip', (await publicIpCalls(session).list(group, signal)).map(labelled(publicIpType))],
    ['security-group', (await securityGroupCalls(session).list(group, signal)).map(labelled(securityGroupType))],
    [workerNetworkKind, (await networkCalls(session).list(group, signal)).map(labelled(networkType))],
  ], () => ({ resourceGroup: group }));
}
