import type { JsonObject } from '../../../shared/model/json.ts';
import type { ManagedResource } from '../ports/destination-platform.ts';
import type { ResourceKind } from '../ports/ledger.ts';
import { hasLabels, labelKeys, managedBy } from './labels.ts';

/** The label of every resource that Causeway created. */
export const ourLabel = { [labelKeys.managedBy]: managedBy } as const;

interface Labelled {
  readonly id: string;
  readonly name?: string | null | undefined;
  readonly labels: Readonly<Record<string, unknown>>;
}

/** Those of the resources that carry our label, each with the entry and the replica that it says it is for. */
export function managedOf(
  lists: readonly (readonly [ResourceKind, readonly Labelled[]])[],
  details: (resource: Labelled) => JsonObject = () => ({}),
): readonly ManagedResource[] {
  return lists.flatMap(([kind, resources]) =>
    resources
      .filter((resource) => hasLabels(resource, ourLabel))
      .map((resource) => ({
        kind,
        id: resource.id,
        name: resource.name ?? resource.id,
        entryId: text(resource.labels[labelKeys.entry]) ?? '',
        replicaId: text(resource.labels[labelKeys.replica]),
        owner: text(resource.labels[labelKeys.owner]),
        details: details(resource),
      })),
  );
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}
