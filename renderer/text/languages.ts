import type { Language } from './catalogue.ts';
import { text as english } from './en/index.ts';
import { pseudoLanguage, pseudoText } from './pseudo.ts';

declare global {
  interface ImportMeta {
    /** Put in by the build. */
    readonly env: { readonly MODE: string };
  }
}

/** A language that somebody can choose. */
interface ChoosableLanguage {
  /** As people who speak it call it. */
  readonly name: string;
  /** The page loads the chosen one alone. */
  readonly load: () => Promise<Language>;
}

/** Every language that somebody can choose, by its tag. The pseudo-language is in no build that people get: `--mode pseudo`. */
export const languages: Readonly<Record<string, ChoosableLanguage>> = {
  en: { name: 'English', load: async () => ({ text: english }) },
  de: { name: 'Deutsch', load: async () => (await import('./de/index.ts')).german },
  ...(import.meta.env.MODE === 'pseudo'
    ? { 'en-XA': { name: pseudoText('Pseudo'), load: async () => pseudoLanguage() } }
    : {}),
};
