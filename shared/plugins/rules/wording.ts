import type { Finding } from '../../schema/finding.ts';
import { nearestSpelling } from '../../schema/spelling.ts';

/** A value in quotes, cut to what a line takes. */
export function quoted(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  const cut = text.length > 80 ? `${text.slice(0, 77)}...` : text;
  return typeof value === 'string' ? JSON.stringify(cut) : cut;
}

/** A document may be hostile: longer lists are not searched, and no more than so many words of it are looked for. */
const mostCandidates = 5000;
const mostLookups = 50;

/** Looks for the nearest spelling among candidates, a bounded number of times. */
export function spellingsOf(candidates: readonly string[]): (word: string) => string | undefined {
  let lookups = 0;
  return (word) =>
    candidates.length > mostCandidates || ++lookups > mostLookups ? undefined : nearestSpelling(word, candidates);
}

/** For a value that was misspelt. */
export const didYouMean = (nearest: string | undefined): Pick<Finding, 'suggestion' | 'fix'> =>
  nearest === undefined
    ? {}
    : { suggestion: `Did you mean ${quoted(nearest)}?`, fix: { kind: 'set-value', value: nearest } };
