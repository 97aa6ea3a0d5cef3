import type { Finding } from '../../shared/schema/finding.ts';
import { findingText, type FindingText } from '../../shared/validation/finding-texts.ts';
import { isEnglish, translatedFinding } from '../text/text.ts';

/** A finding of the page. */
export interface PageFinding extends Finding {
  /** The page found it, and its message is a text of the catalogue: it needs no other words. */
  readonly isTranslated?: boolean;
}

export interface FindingLine {
  readonly part: 'title' | 'message' | 'suggestion' | 'remedy';
  readonly words: string;
  /** Whether it is English in a page of another language. */
  readonly isEnglish: boolean;
}

type Told = Pick<PageFinding, 'rule' | 'message' | 'suggestion' | 'isTranslated'>;

/** What a page says of a finding, in its language: there the words of the rule come first, and the message, which is English, is the evidence. */
export function findingLines(finding: Told): FindingLine[] {
  return isEnglish
    ? lines({ message: finding.message, suggestion: finding.suggestion }, false)
    : linesWith(finding, translatedFinding(finding.rule));
}

/** The lines in another language than English; `translated` are its words for the rule, if it has any. */
export function linesWith(
  { rule, message, suggestion, isTranslated = false }: Told,
  translated: FindingText | undefined,
): FindingLine[] {
  if (isTranslated) return lines({ message, suggestion }, false);
  const isMore = suggestion !== undefined && !repeats(suggestion, findingText(rule)?.remedy ?? '');
  return [
    ...lines({ title: translated?.title }, false),
    ...lines({ message, suggestion: translated === undefined || isMore ? suggestion : undefined }, true),
    ...lines({ remedy: translated?.remedy }, false),
  ];
}

function lines(
  parts: { readonly [P in FindingLine['part']]?: string | undefined },
  isEnglishLine: boolean,
): FindingLine[] {
  return Object.entries(parts).flatMap(([part, words]) =>
    words === undefined ? [] : [{ part: part as FindingLine['part'], words, isEnglish: isEnglishLine }],
  );
}

/** Whether a suggestion names nothing that the remedy of every finding of the rule does not say as well. */
function repeats(suggestion: string, remedy: string): boolean {
  if (/["\d_<{[]/.test(suggestion)) return false;
  const said = new Set(wordsOf(remedy));
  return wordsOf(suggestion).every((word) => said.has(word));
}

/** Short words, such as "Use", "one" and "them", make no difference. */
function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\w-]{5,}/g) ?? [];
}
