import type { EvidenceEntry, EvidenceKind } from '../../../shared/model/evidence.ts';
import { text } from '../../text/text.ts';

/** What an entry is about, in the page's language. */
export function kindWords(kind: EvidenceKind): string {
  const words: Readonly<Partial<Record<EvidenceKind, string>>> = { ...text.life.records, ...text.proof.evidence.kinds };
  return words[kind] ?? kind;
}

/** An execution or a deployment with its number and how it ended; anything else by its kind. */
export function entryWords({ kind, data }: Pick<EvidenceEntry, 'kind' | 'data'>): string {
  const { number, state } = data;
  if (typeof number !== 'number' || typeof state !== 'string') return kindWords(kind);
  const states: Readonly<Record<string, string>> = text.runs.states;
  return text.proof.evidence.withState(kindWords(kind), String(number), states[state] ?? state);
}
