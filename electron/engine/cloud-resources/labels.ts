import { createHash } from 'node:crypto';

/** Labels of resources: key and value of at most 63 characters of a small alphabet, which every cloud takes. */
export type Labels = Readonly<Record<string, string>>;

/** The labels that identify the resources that Causeway created. */
export const labelKeys = {
  managedBy: 'managed-by',
  entry: 'causeway-entry',
  replica: 'causeway-replica',
  execution: 'causeway-execution',
  vm: 'causeway-vm',
  disk: 'causeway-disk',
  role: 'causeway-role',
  /** The project data that the resource belongs to: see `Ownership`. */
  owner: 'causeway-owner',
} as const;

export const managedBy = 'causeway';

const labelText = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;

export function isLabelText(text: string): boolean {
  return text.length <= 63 && labelText.test(text);
}

/** A text as a label's value: as it is where it fits, and else by a digest, which still finds it. */
export function labelValue(text: string): string {
  return isLabelText(text) ? text : `sha256-${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
}

export function hasLabels(
  resource: { readonly labels?: Readonly<Record<string, unknown>> | undefined },
  wanted: Labels,
): boolean {
  return Object.entries(wanted).every(([key, value]) => resource.labels?.[key] === value);
}

/**
 * A name that servers, volumes, NICs and groups all accept: letters, digits and inner hyphens, at most 63 characters.
 * A name that has to be cut or changed gets a digest of the whole, so that two names stay two.
 */
export function resourceName(name: string): string {
  const plain = name
    .replaceAll(/[^A-Za-z0-9-]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  if (plain === name && plain.length <= 63 && plain !== '') return plain;
  const digest = createHash('sha256').update(name).digest('hex').slice(0, 10);
  const stem = plain.slice(0, 52).replaceAll(/-+$/g, '');
  return stem === '' ? `causeway-${digest}` : `${stem}-${digest}`;
}
