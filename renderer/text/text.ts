import { errorText, type ErrorCode } from '../../shared/model/errors/catalogue.ts';
import type { PluginId } from '../../shared/model/plugin-id.ts';
import { platformLabel as labelOf, type PluginDefinition } from '../../shared/plugins/plugin-definition.ts';
import type { ErrorWords, FieldWords, Language, Texts } from './catalogue.ts';
import { languages } from './languages.ts';

const storedAs = 'causeway-language';

/**
 * The tag of the page's language: the one that somebody chose, else the first of the browser's that there is, else English. It is
 * read once, as the page loads: texts are plain values wherever they are used.
 */
export const language: string = chosenLanguage();
const { text: words, fieldWords: wordsOfField, errorWords: wordsOfError, pluginTitle: titleOfPlugin }: Language = languages[language]!;

/** Every text of the workbench in the page's language. */
export const text: Texts = words;

/** The browser's variant of the page's language, for dates and numbers: English of a British browser writes British dates. */
export const locale: string = languageWishes().find((tag) => sameLanguage(tag, language)) ?? language;

function chosenLanguage(): string {
  const stored = globalThis.localStorage?.getItem(storedAs);
  if (stored !== null && stored !== undefined && Object.hasOwn(languages, stored)) return stored;
  const tags = Object.keys(languages);
  return languageWishes().map((wish) => tags.find((tag) => tag === wish || tag === wish.split('-')[0])).find((tag) => tag !== undefined) ?? 'en';
}

function languageWishes(): readonly string[] {
  return globalThis.navigator?.languages ?? [];
}

function sameLanguage(one: string, other: string): boolean {
  return one.split('-')[0] === other.split('-')[0];
}

/** Keeps the choice in this browser and loads the page again with it. */
export function chooseLanguage(tag: string): void {
  localStorage.setItem(storedAs, tag);
  location.reload();
}

export function fieldWords(field: string, english: FieldWords): FieldWords {
  return wordsOfField?.(field, english) ?? english;
}

/** The name of a platform, in the page's language. */
export function pluginTitle({ id, title }: { readonly id: PluginId; readonly title: string }): string {
  return titleOfPlugin?.(id, title) ?? title;
}

/** A platform in the page's language, with its product. */
export function platformLabel(plugin: Pick<PluginDefinition, 'id' | 'title' | 'productName'>): string {
  return labelOf({ ...plugin, title: pluginTitle(plugin) });
}

/** What people read of an error code, in the page's language. */
export function errorWords(code: ErrorCode): ErrorWords {
  return wordsOfError?.(code, errorText(code)) ?? errorText(code);
}
