import type { Labels } from '../../../cloud-resources/labels.ts';

/** The name that the ledger gives what Causeway creates: it has the id of its entry. */
export const ledgerName = /^causeway-(res-[a-z0-9]+)$/;

/** Objects have no tags; what other platforms carry there is in their description, as `key=value key=value`. */
export function tagText(labels: Labels): string {
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(' ');
}

export function readTags(description: string | null | undefined): Labels {
  const pairs = (description ?? '').split(' ').map((pair) => pair.split('='));
  return Object.fromEntries(
    pairs.flatMap(([key, value, ...rest]) =>
      key !== undefined && key !== '' && value !== undefined && rest.length === 0 ? [[key, value]] : [],
    ),
  );
}
