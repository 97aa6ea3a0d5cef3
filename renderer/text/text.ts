import { errorText, type ErrorCode } from '../../shared/model/errors/catalogue.ts';
import type { PluginId } from '../../shared/model/plugin-id.ts';
import { platformLabel as labelOf, type PluginDefinition } from '../../shared/plugins/plugin-definition.ts';
import { findingName, findingText } from '../../shared/validation/finding-texts.ts';
import type { ErrorWords, FieldWords, FindingWords, Texts } from './catalogue.ts';
import { chosenLanguage, language, languageWishes } from './chosen-language.ts';

const {
  text: words,
  fieldWords: wordsOfField,
  errorWords: wordsOfError,
  findingWords: wordsOfFinding,
  pluginTitle: titleOfPlugin,
} = chosenLanguage();

/** Every text of the workbench in the page's language. */
export const text: Texts = words;

/** The browser's variant of the page's language, for dates and numbers: English of a British browser writes British dates. */
export const locale: string = languageWishes().find((tag) => sameLanguage(tag, language)) ?? language;

function sameLanguage(one: string, other: string): boolean {
  return one.split('-')[0] === other.split('-')[0];
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

/** What people read of a finding's rule, in the page's language; undefined for a rule without texts. */
export function findingWords(rule: string): FindingWords | undefined {
  const english = findingText(rule);
  return english === undefined ? undefined : (wordsOfFinding?.(findingName(rule), english) ?? english);
}

/** Whether the page speaks the language of what is stored: messages of errors, findings and guests. */
export const isEnglish: boolean = language === 'en';

/** Words to show beside a finding's message: none in English, where the message says it all. */
export function translatedFinding(rule: string): FindingWords | undefined {
  return isEnglish ? undefined : findingWords(rule);
}
