import { managedOf, ourLabel } from '../../../cloud-resources/managed-resources.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import { readTags } from './description-tags.ts';

interface Named {
  readonly id: string;
  readonly name?: string | null | undefined;
}

/** Everything in the project that carries our mark. Rules are left out: they go with their groups. */
export async function listManaged(cloud: OpenStackCloud, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  const { projectId } = await cloud.identity(signal);
  const byMetadata = (list: readonly (Named & { readonly metadata: Readonly<Record<string, unknown>> })[]) =>
    list.map(({ id, name, metadata }) => ({ id, name, labels: metadata }));
  const byDescription = (list: readonly (Named & { readonly description?: string | null | undefined })[]) =>
    list.map(({ id, name, description }) => ({ id, name, labels: readTags(description) }));
  const floatingIps = await cloud.network.floatingIps({}, signal);
  return managedOf([
    ['server', byMetadata(await cloud.compute.servers.list({}, signal))],
    ['volume', byMetadata(await cloud.volume.volumes.list({ metadata: ourLabel }, signal))],
    ['volume-snapshot', byMetadata(await cloud.volume.snapshots.list({ metadata: ourLabel }, signal))],
    ['nic', byDescription(await cloud.network.ports({ projectId }, signal))],
    ['public-ip', byDescription(floatingIps.map(({ id, description }) => ({ id, description })))],
    ['security-group', byDescription(await cloud.network.securityGroups({ projectId }, signal))],
  ]);
}
