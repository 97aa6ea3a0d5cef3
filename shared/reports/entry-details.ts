import type { EvidenceEntry } from '../model/evidence.ts';
import { isJsonObject, type JsonValue } from '../model/json.ts';

/** How facts of an entry are told; reports and the command line have them in English. */
export interface DetailWords {
  readonly steps: Readonly<Record<string, string>>;
  readonly step: (step: string) => string;
  readonly note: (note: string) => string;
  readonly why: (why: string) => string;
  readonly reasons: Readonly<Record<string, string>>;
  readonly source: (state: string) => string;
  readonly remaining: (count: string) => string;
  readonly byHand: string;
  readonly approved: string;
  readonly notApproved: string;
  readonly enteredBy: (who: string) => string;
  readonly problems: (problems: string) => string;
}

export const detailWords = {
  steps: {
    execute: 'execute once more',
    'go-no-go': 'go/no-go',
    'cut-over': 'cut over',
    confirm: 'application owner confirms',
    'roll-back': 'roll back',
    finalise: 'finalise',
  },
  step: (step: string) => `Step: ${step}`,
  note: (note: string) => `Note: ${note}`,
  why: (why: string) => `Reason: ${why}`,
  reasons: { expired: 'its time was over', asked: 'on request' },
  source: (state: string) => `Source ${state}`,
  remaining: (count: string) => `Not released: ${count}`,
  byHand: 'Started by hand',
  approved: 'Approved before',
  notApproved: 'Not approved before',
  enteredBy: (who: string) => `Entered by ${who}`,
  problems: (problems: string) => `Problems: ${problems}`,
} as const satisfies DetailWords;

/** The facts of an entry that people read first. */
export function detailText(
  { kind, data }: Pick<EvidenceEntry, 'kind' | 'data'>,
  words: DetailWords = detailWords,
): string {
  const { error, checks, step, note, why, source, remaining, byHand, approved, enteredBy, problems } = data;
  if (isJsonObject(error) && error['code'] !== undefined) return `${plain(error['code'])}: ${plain(error['message'])}`;
  if (kind === 'deployment')
    return (Array.isArray(checks) ? (checks as readonly JsonValue[]) : [])
      .filter(isJsonObject)
      .map((check) => `${plain(check['name'])}: ${plain(check['outcome'])}`)
      .join('; ');
  const told = (value: JsonValue | undefined, say: (value: string) => string): string[] =>
    value === undefined ? [] : [say(plain(value))];
  return [
    ...told(step, (id) => words.step(words.steps[id] ?? id)),
    ...told(note, words.note),
    ...told(why, (id) => words.why(words.reasons[id] ?? id)),
    ...told(source, words.source),
    ...told(remaining, words.remaining),
    ...(byHand === true ? [words.byHand] : []),
    ...(approved === undefined ? [] : [approved === true ? words.approved : words.notApproved]),
    ...told(enteredBy, words.enteredBy),
    ...told(problems, words.problems),
  ].join('; ');
}

function plain(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(plain).join(', ');
  return value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value);
}
