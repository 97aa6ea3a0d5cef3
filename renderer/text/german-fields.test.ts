import { expect, test } from 'vitest';
import { errorCatalogue } from '../../shared/model/errors/catalogue.ts';
import { germanErrors } from './de/errors.ts';

type Words = Readonly<Record<string, string>>;

/** What stays as it is in every language: code, placeholders, names of parameters, numbers. */
function keptParts(words: Words): string[] {
  return [...new Set(Object.values(words).join('\n').match(/`[^`]+`|<[^>\s]+>|\{[^}]*\}|\w+_\w+|\d+(?:\.\d+)*/g))].toSorted();
}

function wordsOf(english: Words, german: Words): Words {
  return Object.fromEntries(Object.keys(german).map((key) => [key, english[key] ?? '']));
}

/** Entries in which another part is kept than in English, with those parts. */
function differing(english: Readonly<Record<string, Words>>, german: Readonly<Record<string, Words>>): string[] {
  return Object.entries(german).flatMap(([key, words]) => {
    const original = english[key];
    if (original === undefined) return [];
    const [here, there] = [keptParts(words), keptParts(wordsOf(original, words))];
    return here.join('\n') === there.join('\n') ? [] : [`${key}: ${here.join(' ')} instead of ${there.join(' ')}`];
  });
}

const englishErrors = Object.fromEntries(Object.entries(errorCatalogue).map(([code, { title, cause, remedy }]) => [code, { title, cause, remedy }]));
const germanErrorTexts = Object.fromEntries(Object.entries(germanErrors).map(([code, { title, cause, remedy }]) => [code, { title, cause, remedy }]));

test('every error code has German texts', () => {
  expect(Object.keys(englishErrors).filter((code) => !Object.hasOwn(germanErrors, code)), 'to be translated in de/errors-*.ts').toEqual([]);
});

test('every German error text belongs to an error code', () => {
  expect(Object.keys(germanErrors).filter((code) => !Object.hasOwn(englishErrors, code)), 'to be removed from de/errors-*.ts').toEqual([]);
});

test('German error texts are whole sentences and keep code, parameters and numbers', () => {
  expect(differing(englishErrors, germanErrorTexts)).toEqual([]);
  for (const { title, cause, remedy } of Object.values(germanErrors)) {
    expect(title).toMatch(/^.{8,}[^.\s]$/);
    for (const sentence of [cause, remedy]) expect(sentence).toMatch(/^.{8,}[.?]$/s);
  }
});
