import type { Finding } from '../schema/finding.ts';
import { fromPointer } from '../schema/json-pointer.ts';

/**
 * Sorts findings by their place: keys in the order of the document, a container before its members, missing keys behind
 * those that are there (by name). At the same place rules come by name, so that the order never depends on chance.
 */
export function inDocumentOrder(findings: readonly Finding[], document: unknown): Finding[] {
  const ranks = new Map<object, Map<string, number>>();
  const keyed = findings.map((finding) => ({ finding, ranks: ranksAlong(fromPointer(finding.path), document, ranks) }));
  keyed.sort((a, b) => compareRanks(a.ranks, b.ranks) || compareText(a.finding, b.finding));
  return keyed.map(({ finding }) => finding);
}

type Rank = number | string;

function ranksAlong(path: readonly string[], document: unknown, known: Map<object, Map<string, number>>): Rank[] {
  let container: unknown = document;
  return path.map((key) => {
    if (typeof container !== 'object' || container === null) return key;
    let members = known.get(container);
    if (members === undefined) {
      members = new Map(Object.keys(container).map((name, index) => [name, index]));
      known.set(container, members);
    }
    const rank = members.get(key);
    container = rank === undefined ? undefined : (container as Record<string, unknown>)[key];
    return rank ?? key;
  });
}

function compareRanks(a: readonly Rank[], b: readonly Rank[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const [left, right] = [a[index] as Rank, b[index] as Rank];
    if (left === right) continue;
    if (typeof left === 'number' && typeof right === 'number') return left - right;
    if (typeof left === 'number') return -1;
    if (typeof right === 'number') return 1;
    return left < right ? -1 : 1;
  }
  return a.length - b.length;
}

const severities = { error: 0, warning: 1, info: 2 } as const;

function compareText(a: Finding, b: Finding): number {
  if (a.severity !== b.severity) return severities[a.severity] - severities[b.severity];
  if (a.rule !== b.rule) return a.rule < b.rule ? -1 : 1;
  return a.message < b.message ? -1 : a.message > b.message ? 1 : 0;
}
