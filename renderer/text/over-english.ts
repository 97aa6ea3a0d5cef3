import type { Texts, TranslatedTexts } from './catalogue.ts';
import { text as english } from './en/index.ts';

/** The texts of a translation, and the English ones where it has none yet. */
export function overEnglish(translated: TranslatedTexts): Texts {
  return merged<Texts>(english, translated);
}

function merged<T>(written: T, translated: unknown): T {
  if (translated === undefined || typeof translated !== typeof written) return written;
  if (typeof written !== 'object' || written === null) return translated as T;
  const own = translated as Readonly<Record<string, unknown>>;
  if (Array.isArray(written)) return written.map((one: unknown, index) => merged(one, own[index])) as T;
  return Object.fromEntries(
    Object.entries(written).map(([key, value]) => [
      key,
      merged<unknown>(value, Object.hasOwn(own, key) ? own[key] : undefined),
    ]),
  ) as T;
}
