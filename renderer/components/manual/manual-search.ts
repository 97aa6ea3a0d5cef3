import { manualNames, manualPage, plainText, type ManualPage } from './manual-pages.ts';

export interface SearchResult {
  readonly page: string;
  readonly pageTitle: string;
  readonly anchor: string;
  readonly title: string;
  /** The text around the first word that was found. */
  readonly excerpt: string;
}

interface Entry extends Omit<SearchResult, 'excerpt'> {
  readonly body: string;
  readonly lowerTitle: string;
  readonly lowerBody: string;
}

let entries: readonly Entry[] | undefined;

/** Sections that hold every word, those with the words in their heading first. */
export function searchManual(typed: string): SearchResult[] {
  entries ??= manualNames.flatMap((name) => entriesOf(manualPage(name)!));
  return searchEntries(entries, typed);
}

export function entriesOf({ name, title, sections }: ManualPage): Entry[] {
  return sections.map((section) => {
    const body = plainText(section.blocks);
    const heading = section.title === '' ? title : section.title;
    return {
      page: name,
      pageTitle: title,
      anchor: section.anchor,
      title: heading,
      body,
      lowerTitle: heading.toLowerCase(),
      lowerBody: body.toLowerCase(),
    };
  });
}

export function searchEntries(all: readonly Entry[], typed: string): SearchResult[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0) return [];
  return all
    .map((entry) => ({ entry, score: scoreOf(entry, words) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score)
    .map(({ entry: { page, pageTitle, anchor, title, body, lowerBody } }) => ({
      page,
      pageTitle,
      anchor,
      title,
      excerpt: excerptOf(body, lowerBody, words),
    }));
}

/** 0 when a word is missing. A heading that is the word counts most, then one that begins with it, then one that holds it. */
function scoreOf({ lowerTitle, lowerBody, pageTitle }: Entry, words: readonly string[]): number {
  const page = pageTitle.toLowerCase();
  let score = 0;
  for (const word of words) {
    if (lowerTitle === word) score += 100;
    else if (lowerTitle.startsWith(word)) score += 40;
    else if (lowerTitle.includes(word)) score += 20;
    else if (lowerBody.includes(word)) score += 2;
    else if (page.includes(word)) score += 1;
    else return 0;
  }
  return score;
}

function excerptOf(body: string, lowerBody: string, words: readonly string[]): string {
  const at = Math.max(0, ...words.slice(0, 1).map((word) => lowerBody.indexOf(word)));
  const from = at < 60 ? 0 : body.indexOf(' ', at - 60) + 1;
  const cut = body
    .slice(from, from + 160)
    .replaceAll(/\s+/g, ' ')
    .trim();
  return `${from > 0 ? '… ' : ''}${cut}${from + 160 < body.length ? ' …' : ''}`;
}
