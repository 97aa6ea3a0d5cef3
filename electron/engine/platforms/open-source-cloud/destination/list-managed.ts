import { hasLabels, labelKeys, managedBy } from '../../../cloud-destination/labels.ts';
import type { ManagedResource } from '../../../ports/destination-platform.ts';
import type { ResourceKind } from '../../../ports/ledger.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import { readMarks } from './marks.ts';

interface Marked {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly labels: Readonly<Record<string, unknown>>;
}

/** Everything in the project that carries our mark. Rules are left out: they go with their groups. */
export async function listManaged(cloud: OpenStackCloud, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  const ours = { [labelKeys.managedBy]: managedBy };
  const { projectId } = await cloud.identity(signal);
  const byMetadata = (list: readonly { readonly id: string; readonly name?: string | null | undefined; readonly metadata: Readonly<Record<string, unknown>> }[]): Marked[] =>
    list.map(({ id, name, metadata }) => ({ id, name, labels: metadata }));
  const byDescription = (list: readonly { readonly id: string; readonly name?: unknown; readonly description?: string | null | undefined }[]): Marked[] =>
    list.map(({ id, name, description }) => ({ id, name: typeof name === 'string' ? name : undefined, labels: readMarks(description) }));
  const lists: readonly (readonly [ResourceKind, readonly Marked[]])[] = [
    ['server', byMetadata(await cloud.compute.servers.list({}, signal))],
    ['volume', byMetadata(await cloud.volume.volumes.list({ metadata: ours }, signal))],
    ['volume-snapshot', byMetadata(await cloud.volume.snapshots.list({ metadata: ours }, signal))],
    ['nic', byDescription(await cloud.network.ports({ projectId }, signal))],
    ['public-ip', byDescription(await cloud.network.floatingIps({}, signal))],
    ['security-group', byDescription(await cloud.network.securityGroups({ projectId }, signal))],
  ];
  return lists.flatMap(([kind, resources]) =>
    resources
      .filter((resource) => hasLabels(resource, ours))
      .map(({ id, name, labels }) => ({
        kind, id, name: name ?? id, entryId: text(labels[labelKeys.entry]) ?? '', replicaId: text(labels[labelKeys.replica]),
      })));
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
