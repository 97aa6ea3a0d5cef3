import { expect, test } from 'vitest';
import { errorCatalogue } from '../../shared/model/errors/catalogue.ts';
import { plugins } from '../../shared/plugins/registry.ts';
import { fieldsOf } from '../../shared/plugins/schema-fields.ts';
import { findingAreas, findingText } from '../../shared/validation/finding-texts.ts';
import { germanErrors } from './de/errors.ts';
import { germanFieldGroups } from './de/field-groups.ts';
import { germanFields } from './de/fields.ts';
import { germanFindings } from './de/findings.ts';
import { german } from './de/index.ts';

type Words = Readonly<Record<string, string>>;

/** What stays as it is in every language: code, placeholders, names of parameters, numbers. */
function keptParts(words: Words): string[] {
  return [
    ...new Set(
      Object.values(words)
        .join('\n')
        .match(/`[^`]+`|<[^>\s]+>|\{[^}]*\}|\w+_\w+|\d+(?:\.\d+)*/g),
    ),
  ].toSorted();
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

const englishErrors = Object.fromEntries(
  Object.entries(errorCatalogue).map(([code, { title, cause, remedy }]) => [code, { title, cause, remedy }]),
);
/** Every field that has words of its own, by the name that the language gets. `*` of lists and mappings is not in that name. */
const englishFields = Object.fromEntries(
  Object.values(plugins).flatMap(({ id, connection, source, destination }) =>
    Object.entries({ connection, source: source?.schema, destination: destination?.schema }).flatMap(([part, schema]) =>
      (schema === undefined ? [] : fieldsOf(schema)).flatMap(({ path, meta: { title, help, group } }) =>
        title === undefined || help === undefined
          ? []
          : [
              [
                [id, part, ...path.filter((key) => key !== '*')].join('/'),
                { title, help, group: group ?? '' },
              ] as const,
            ],
      ),
    ),
  ),
);
const englishFindings: Readonly<Record<string, Words>> = Object.fromEntries(
  Object.values(findingAreas)
    .flatMap((rows) => Object.keys(rows))
    .map((name) => {
      const { title, cause, remedy } = findingText(name)!;
      return [name, { title, cause, remedy }];
    }),
);
const germanErrorTexts = Object.fromEntries(
  Object.entries(germanErrors).map(([code, { title, cause, remedy }]) => [code, { title, cause, remedy }]),
);

test('every error code has German texts', () => {
  expect(
    Object.keys(englishErrors).filter((code) => !Object.hasOwn(germanErrors, code)),
    'to be translated in de/errors-*.ts',
  ).toEqual([]);
});

test('every German error text belongs to an error code', () => {
  expect(
    Object.keys(germanErrors).filter((code) => !Object.hasOwn(englishErrors, code)),
    'to be removed from de/errors-*.ts',
  ).toEqual([]);
});

test('German error texts are whole sentences and keep code, parameters and numbers', () => {
  expect(differing(englishErrors, germanErrorTexts)).toEqual([]);
  for (const { title, cause, remedy } of Object.values(germanErrors)) {
    expect(title).toMatch(/^.{8,}[^.\s]$/);
    for (const sentence of [cause, remedy]) expect(sentence).toMatch(/^.{8,}[.?]$/s);
  }
});

test('every rule of findings has German texts', () => {
  expect(Object.keys(englishFindings).length).toBeGreaterThan(120);
  expect(
    Object.keys(englishFindings).filter((name) => !germanFindings.has(name)),
    'to be translated in de/findings-*.ts',
  ).toEqual([]);
});

test('every German finding text belongs to a rule', () => {
  expect(
    [...germanFindings.keys()].filter((name) => !Object.hasOwn(englishFindings, name)),
    'to be removed from de/findings-*.ts',
  ).toEqual([]);
});

test('German finding texts are whole sentences and keep code, parameters and numbers', () => {
  expect(
    differing(
      englishFindings,
      Object.fromEntries(
        [...germanFindings].map(([name, { title, cause, remedy }]) => [name, { title, cause, remedy }]),
      ),
    ),
  ).toEqual([]);
  for (const { title, cause, remedy } of germanFindings.values()) {
    expect(title).toMatch(/^.{8,}[^.\s]$/);
    for (const sentence of [cause, remedy]) expect(sentence).toMatch(/^.{8,}[.]$/);
  }
});

test('every field of every form has a German title and help', () => {
  expect(Object.keys(englishFields).length).toBeGreaterThan(300);
  expect(
    Object.entries(englishFields)
      .filter(([field]) => !Object.hasOwn(germanFields, field))
      .map(([field, { title }]) => `${field}: ${title}`),
    'to be translated in de/fields-*.ts',
  ).toEqual([]);
});

test('every German field text belongs to a field', () => {
  expect(
    Object.keys(germanFields).filter((field) => !Object.hasOwn(englishFields, field)),
    'to be removed from de/fields-*.ts',
  ).toEqual([]);
});

test('German field texts keep code, parameters, placeholders and numbers', () => {
  expect(differing(englishFields, germanFields)).toEqual([]);
  for (const { title, help } of Object.values(germanFields)) {
    expect(title).not.toMatch(/\.$/);
    expect(help).toMatch(/[.}]$/);
  }
});

test('every heading of a form is in German, and no other', () => {
  const groups = new Set(
    Object.values(englishFields)
      .map(({ group }) => group)
      .filter((group) => group !== ''),
  );
  expect(Object.keys(germanFieldGroups).toSorted(), 'headings in de/field-groups.ts').toEqual([...groups].toSorted());
});

test('the language gives its words for fields, errors and findings, and the English ones for what it does not have', () => {
  const english = { title: 'Title', help: 'Help.', group: 'Access' };
  expect(german.fieldWords?.('european-cloud/destination/network_map', english)).toEqual({
    ...germanFields['european-cloud/destination/network_map'],
    group: 'Zugriff',
  });
  expect(german.fieldWords?.('european-cloud/destination/no_such_key', english)).toEqual({
    ...english,
    group: 'Zugriff',
  });
  expect(german.errorWords?.('general.bug', { title: 'Title', cause: 'Cause.', remedy: 'Remedy.' }).title).toBe(
    'Unerwarteter interner Zustand',
  );
  const unknown = { title: 'Title', cause: 'Cause.', remedy: 'Remedy.' };
  expect(german.findingWords?.('no-disks', unknown).title).toBe('Die VM hat keine Datenträger');
  expect(german.findingWords?.('no-such-rule', unknown)).toEqual(unknown);
});
