import { labelKeys, type Labels } from '../../../cloud-resources/labels.ts';
import { resourceTags } from '../../../cloud-resources/ledgered-resource.ts';
import type { DestinationRun } from '../../../ports/destination-platform.ts';
import type { LedgerEntry } from '../../../ports/ledger.ts';

/**
 * Resources of the network service have no metadata; what other resources carry there is in their description, as
 * `key=value key=value`.
 */
export function tagText(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

/** The description of a created network resource. */
export function tagsOf(run: DestinationRun, entry: LedgerEntry): string {
  return tagText(resourceTags(run, entry));
}

export function readTags(description: string | null | undefined): Labels {
  const pairs = (description ?? '').split(' ').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([key, value, ...rest]) =>
      key !== undefined && key !== '' && value !== undefined && rest.length === 0 ? [[key, value]] : [],
    ),
  );
}

/** Whether a description is that of an entry's resource. */
export function isTaggedFor(description: string | null | undefined, entryLabel: Labels): boolean {
  return readTags(description)[labelKeys.entry] === entryLabel[labelKeys.entry];
}
