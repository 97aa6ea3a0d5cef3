import type { Language, Texts } from './catalogue.ts';
import { text as english } from './en/index.ts';

// Nothing here is made as the file loads: builds that nobody chooses it in leave it out.
const letters = 'aceinorsuyACEINORSUY';
const accented = 'áçéíñóŕšúýÁÇÉÍÑÓŔŠÚÝ';

/** Part of the catalogue that stays as it is: units belong to their numbers. */
const kept = 'units';

/** English that shows what is not translated and what has too little room: accents, 40 % longer, in brackets. */
export function pseudoText(written: string): string {
  if (!/\p{L}/u.test(written)) return written;
  // What a text was given may be in brackets already: only the outer ones stay.
  const inner = written.replaceAll(/[[\]~]/gu, '');
  return `[${inner.replaceAll(/[a-zA-Z]/g, (letter) => accented[letters.indexOf(letter)] ?? letter)}${'~'.repeat(Math.ceil(inner.length * 0.4)).replaceAll(/.{8}(?=.)/g, '$& ')}]`;
}

function pseudoOf<T>(words: T): T {
  if (typeof words === 'string') return pseudoText(words) as T;
  if (typeof words === 'function')
    return ((...given: unknown[]) => pseudoOf((words as (...all: unknown[]) => unknown)(...given))) as T;
  if (Array.isArray(words)) return words.map(pseudoOf) as T;
  return Object.fromEntries(
    Object.entries(words as object).map(([key, value]) => [key, key === kept ? value : pseudoOf(value)]),
  ) as T;
}

/** Made from English; no one speaks it. */
export function pseudoLanguage(): Language {
  return {
    text: pseudoOf<Texts>(english),
    pluginTitle: (_plugin, title) => pseudoText(title),
    fieldWords: (_field, { title, help, group }) => ({
      title: pseudoText(title),
      help: pseudoText(help),
      group: pseudoText(group),
    }),
    errorWords: (_code, { title, cause, remedy }) => ({
      title: pseudoText(title),
      cause: pseudoText(cause),
      remedy: pseudoText(remedy),
    }),
    findingWords: (_name, { title, cause, remedy }) => ({
      title: pseudoText(title),
      cause: pseudoText(cause),
      remedy: pseudoText(remedy),
    }),
  };
}
