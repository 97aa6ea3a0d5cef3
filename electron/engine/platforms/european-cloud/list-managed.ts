import type { ManagedResource } from '../../ports/destination-platform.ts';
import type { ResourceKind } from '../../ports/ledger.ts';
import type { Iaas } from './iaas/iaas.ts';
import { hasLabels, labelKeys, managedBy } from '../../cloud-destination/labels.ts';

interface Labelled {
  readonly id: string;
  readonly name?: string | undefined;
  readonly labels: Readonly<Record<string, unknown>>;
}

/** Everything in a project that carries our label. Rules have no labels: they go with their groups. */
export async function listManaged(iaas: Iaas, signal: AbortSignal): Promise<readonly ManagedResource[]> {
  const ours = { [labelKeys.managedBy]: managedBy };
  const lists: readonly (readonly [ResourceKind, readonly Labelled[]])[] = [
    ['server', await iaas.servers.list(ours, signal)],
    ['volume', await iaas.volumes.list(ours, signal)],
    ['volume-snapshot', await iaas.snapshots.list(ours, signal)],
    ['nic', await iaas.nics.list(ours, signal)],
    ['public-ip', await iaas.publicIps.list(ours, signal)],
    ['security-group', await iaas.securityGroups.list(ours, signal)],
  ];
  return lists.flatMap(([kind, resources]) =>
    resources
      .filter((resource) => hasLabels(resource, ours))
      .map((resource) => ({
        kind,
        id: resource.id,
        name: resource.name ?? resource.id,
        entryId: text(resource.labels[labelKeys.entry]) ?? '',
        replicaId: text(resource.labels[labelKeys.replica]),
      })),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
