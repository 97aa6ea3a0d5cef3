import type { PluginId } from '../../shared/model/plugin-id.ts';
import type { ErrorCode } from '../../shared/model/errors/catalogue.ts';
import type { ErrorText } from '../../shared/model/errors/error-text.ts';
import type { FieldMeta } from '../../shared/plugins/field-meta.ts';
import type { FindingText } from '../../shared/validation/finding-texts.ts';
import type { text as english } from './en/index.ts';

/** A text with any wording in the place of the English one; what it takes, and the names of its parts, stay the same. */
type Reworded<T> = T extends string
  ? string
  : T extends (...given: infer G) => infer R
    ? (...given: G) => Reworded<R>
    : { readonly [K in keyof T]: Reworded<T[K]> };

/** Any of the texts, and any part of those in groups. */
type PartOf<T> = T extends string
  ? string
  : T extends (...given: infer G) => infer R
    ? (...given: G) => Reworded<R>
    : { readonly [K in keyof T]?: PartOf<T[K]> };

/** Every text of the workbench. */
export type Texts = Reworded<typeof english>;
/** The texts that a translation has so far. */
export type TranslatedTexts = PartOf<typeof english>;
/** What people read of a field of an environment or a connection. */
export type FieldWords = Pick<FieldMeta, 'title' | 'help' | 'group'>;
/** What people read of an error code. */
export type ErrorWords = Pick<ErrorText, 'title' | 'cause' | 'remedy'>;
/** What people read of a finding's rule. */
export type FindingWords = FindingText;

/** One language of the workbench. */
export interface Language {
  readonly text: Texts;
  /**
   * Words of plugins, of the error catalogue and of findings, which are English where they are declared: the command line, documents and reports
   * read them as well. A language without them shows the English ones.
   *
   * @param field plugin, part and path of the key: `european-cloud/destination/network_map`
   */
  readonly pluginTitle?: (plugin: PluginId, english: string) => string;
  readonly fieldWords?: (field: string, english: FieldWords) => FieldWords;
  readonly errorWords?: (code: ErrorCode, english: ErrorWords) => ErrorWords;
  /** By the name of the rule, without its plugin or area. */
  readonly findingWords?: (name: string, english: FindingWords) => FindingWords;
}
