import { CausewayError } from '../../../shared/model/causeway-error.ts';

/** What a name stands for. */
export type Resolution<T> =
  | { readonly outcome: 'found'; readonly resource: T }
  | { readonly outcome: 'unknown'; readonly known: readonly string[] }
  | { readonly outcome: 'ambiguous'; readonly ids: readonly string[] };

interface Named {
  readonly id: string;
  readonly name: string;
}

/** By id first, then by name. The cloud lets two resources share a name, so that a name may be ambiguous. */
export function resolve<T extends Named>(resources: readonly T[], wanted: string): Resolution<T> {
  const byId = resources.find((each) => each.id === wanted);
  if (byId !== undefined) return { outcome: 'found', resource: byId };
  const byName = resources.filter((each) => each.name === wanted);
  if (byName.length > 1) return { outcome: 'ambiguous', ids: byName.map((each) => each.id) };
  const [only] = byName;
  return only === undefined
    ? { outcome: 'unknown', known: resources.map((each) => each.name) }
    : { outcome: 'found', resource: only };
}

export function resolveText(texts: readonly string[], wanted: string): Resolution<Named> {
  return resolve(
    texts.map((text) => ({ id: text, name: text })),
    wanted,
  );
}

/** One sentence for an unresolved name: in errors and in findings. */
export function unresolvedText(
  kind: string,
  wanted: string,
  resolution: Exclude<Resolution<unknown>, { outcome: 'found' }>,
): string {
  if (resolution.outcome === 'ambiguous') {
    return `${resolution.ids.length} resources of kind ${kind} are named "${wanted}"; use an id: ${resolution.ids.slice(0, 10).join(', ')}`;
  }
  const known = [...new Set(resolution.known)].sort();
  const some = known.slice(0, 10).join(', ');
  return `no ${kind} "${wanted}"; ${known.length === 0 ? 'none exist' : `available: ${some}${known.length > 10 ? `, and ${known.length - 10} more` : ''}`}`;
}

/** @throws `cloud.name-unknown`, `cloud.name-ambiguous` */
export function resolvedOrThrow<T>(kind: string, parameter: string, wanted: string, resolution: Resolution<T>): T {
  if (resolution.outcome === 'found') return resolution.resource;
  throw new CausewayError(
    resolution.outcome === 'ambiguous' ? 'cloud.name-ambiguous' : 'cloud.name-unknown',
    `${parameter}: ${unresolvedText(kind, wanted, resolution)}`,
    { details: { parameter, name: wanted } },
  );
}
