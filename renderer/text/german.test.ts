import { describe, expect, test } from 'vitest';
import { text as germanTexts } from './de/index.ts';
import { text as englishTexts } from './en/index.ts';
import { languages } from './languages.ts';
import { overEnglish } from './over-english.ts';

type Text = string | ((...given: unknown[]) => unknown);

/** Texts that say in words what English repeats as it was given. */
const inOtherWords: readonly string[] = ['replicas.otherPlugin'];

/** Every text by its path: `replicas.steps.open`. */
function textsOf(words: unknown, path: readonly string[] = []): Map<string, Text> {
  if (typeof words === 'string' || typeof words === 'function') return new Map([[path.join('.'), words as Text]]);
  return new Map(Object.entries(words as object).flatMap(([key, value]) => [...textsOf(value, [...path, key])]));
}

const values: readonly ((place: number) => unknown)[] = [
  (place) => 11 + place,
  (place) => `‹${11 + place}›`,
  (place) => [`‹${11 + place}›`, `‹${21 + place}›`],
  () => true,
];

/** Parameters that a text can be given: by trial, because their types do not exist when it is called. */
function parametersFor(text: (...given: unknown[]) => unknown): readonly unknown[] | undefined {
  const choices = (count: number): unknown[][] =>
    count === 0 ? [[]] : choices(count - 1).flatMap((before) => values.map((value) => [...before, value(count - 1)]));
  return choices(text.length).find((given) => {
    try {
      return !/NaN|undefined|\[object/.test([text(...given)].flat().join(' '));
    } catch {
      return false;
    }
  });
}

/** The numbers and given words in a text, which are the same in every language. */
const fixed = (written: unknown): string =>
  [
    ...new Set(
      [written]
        .flat()
        .join(' ')
        .match(/\d+|‹\d+›/g) ?? [],
    ),
  ]
    .toSorted()
    .join(' ');

function difference(english: Text, german: Text): string | undefined {
  if (typeof english === 'string' || typeof german === 'string') {
    if (typeof english !== typeof german) return 'takes parameters in one language only';
    return fixed(english) === fixed(german) ? undefined : `numbers: ${fixed(english)}; in German: ${fixed(german)}`;
  }
  if (english.length !== german.length) return `parameters: ${english.length}; in German: ${german.length}`;
  const given = parametersFor(english);
  if (given === undefined) return 'no parameters found that it can be called with';
  const [written, translated] = [fixed(english(...given)), fixed(german(...given))];
  return written === translated ? undefined : `says ${written}; in German: ${translated}`;
}

describe('the German texts', () => {
  const english = textsOf(englishTexts);
  const german = textsOf(germanTexts);

  test('exist for every English text', () => {
    expect([...english.keys()].filter((path) => !german.has(path))).toEqual([]);
  });

  test('exist for nothing else', () => {
    expect([...german.keys()].filter((path) => !english.has(path))).toEqual([]);
  });

  test('take the same parameters, and say the same numbers and names', () => {
    const wrong = [...english].flatMap(([path, written]) => {
      const translated = german.get(path);
      const found =
        translated === undefined || inOtherWords.includes(path) ? undefined : difference(written, translated);
      return found === undefined ? [] : [`${path}: ${found}`];
    });
    expect(wrong).toEqual([]);
  });

  test('are not empty where the English ones are not, and have no spaces around them', () => {
    expect(
      [...german]
        .filter(([, words]) => typeof words === 'string' && (words === '' || words.trim() !== words))
        .map(([path]) => path),
    ).toEqual([]);
  });

  test('address people formally', () => {
    expect(
      [...german].filter(([, words]) => /\b(du|dein\w*|dir|dich)\b/i.test(String(words))).map(([path]) => path),
    ).toEqual([]);
  });
});

test('German can be chosen, with German plurals and numbers', async () => {
  const { name, load } = languages['de']!;
  expect(name).toBe('Deutsch');
  const { text } = await load();
  expect([0, 1, 2, 12_000].map((count) => text.topBar.rateOf(count))).toEqual([
    '0 Ausführungen',
    '1 Ausführung',
    '2 Ausführungen',
    '12.000 Ausführungen',
  ]);
  expect(text.home.steps.map(({ title }) => title)).toEqual(germanTexts.home.steps.map(({ title }) => title));
});

test('a text without translation is English, in groups and lists too', () => {
  const { app, replicas, home } = overEnglish({
    app: { cancel: 'Abbrechen' },
    replicas: { steps: { open: 'VM anzeigen' } },
    home: { steps: [{ title: 'Tresor erstellen' }] },
  });
  expect([app.cancel, app.close]).toEqual(['Abbrechen', englishTexts.app.close]);
  expect([replicas.steps.open, replicas.steps.deploy, replicas.chosen(2)]).toEqual([
    'VM anzeigen',
    englishTexts.replicas.steps.deploy,
    '2 selected',
  ]);
  expect(home.steps.map(({ title, lead }) => [title, lead])).toEqual(
    englishTexts.home.steps.map(({ title, lead }, index) => [index === 0 ? 'Tresor erstellen' : title, lead]),
  );
});
