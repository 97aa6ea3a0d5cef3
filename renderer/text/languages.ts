import type { Language } from './catalogue.ts';
import { german } from './de/index.ts';
import { text as english } from './en/index.ts';
import { pseudoLanguage } from './pseudo.ts';

declare global {
  interface ImportMeta {
    /** Put in by the build. */
    readonly env: { readonly MODE: string };
  }
}

/** Every language that somebody can choose, by its tag. The pseudo-language is in no build that people get: `--mode pseudo`. */
export const languages: Readonly<Record<string, Language>> = {
  en: { name: 'English', text: english },
  de: german,
  ...(import.meta.env.MODE === 'pseudo' ? { 'en-XA': pseudoLanguage() } : {}),
};
