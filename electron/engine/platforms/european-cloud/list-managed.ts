import { managedOf, ourLabel } from '../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../ports/destination-platform.ts';
import type { Iaas } from './iaas/iaas.ts';

/** Everything in a project that carries our label. Rules have no labels: they go with their groups. */
export async function listManaged(iaas: Iaas, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  return managedOf(
    [
      ['server', await iaas.servers.list(ourLabel, signal)],
      ['volume', await iaas.volumes.list(ourLabel, signal)],
      ['volume-snapshot', await iaas.snapshots.list(ourLabel, signal)],
      ['nic', await iaas.nics.list(ourLabel, signal)],
      ['public-ip', await iaas.publicIps.list(ourLabel, signal)],
      ['security-group', await iaas.securityGroups.list(ourLabel, signal)],
    ],
    (resource) => ({
      project: iaas.projectId,
      ...('networkId' in resource && typeof resource.networkId === 'string' ? { networkId: resource.networkId } : {}),
    }),
  );
}
