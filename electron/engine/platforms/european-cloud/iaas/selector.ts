import type { Labels } from '../../../cloud-resources/labels.ts';

/** The query that picks resources with all of these labels; none given picks all. */
export function selectorQuery(labels: Labels | undefined): Readonly<Record<string, string>> {
  const pairs = Object.entries(labels ?? {}).map(([key, value]) => `${key}=${value}`);
  return pairs.length === 0 ? {} : { label_selector: pairs.join(',') };
}
