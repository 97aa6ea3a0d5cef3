import type { Language } from './catalogue.ts';
import { text as english } from './en/index.ts';
import { languages } from './languages.ts';

const storedAs = 'causeway-language';

/** The tag of the page's language: the one that somebody chose, else the first of the browser's that there is, else English. */
export const language: string = tagOfChoice();
let loaded: Language = { text: english };

/** Loads the page's language. Texts are plain values wherever they are used, so that it comes before every module that uses one. */
export async function loadChosenLanguage(): Promise<void> {
  loaded = await languages[language]!.load();
}

/** English until another one is loaded. */
export function chosenLanguage(): Language {
  return loaded;
}

/** Keeps the choice in this browser and loads the page again with it. */
export function chooseLanguage(tag: string): void {
  localStorage.setItem(storedAs, tag);
  location.reload();
}

/** The browser's languages, the one that is liked best first. */
export function languageWishes(): readonly string[] {
  return globalThis.navigator?.languages ?? [];
}

function tagOfChoice(): string {
  const stored = globalThis.localStorage?.getItem(storedAs);
  if (stored !== null && stored !== undefined && Object.hasOwn(languages, stored)) return stored;
  const tags = Object.keys(languages);
  return (
    languageWishes()
      .map((wish) => tags.find((tag) => tag === wish || tag === wish.split('-')[0]))
      .find((tag) => tag !== undefined) ?? 'en'
  );
}
