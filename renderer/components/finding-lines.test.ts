import { expect, test } from 'vitest';
import { findingName, findingText } from '../../shared/validation/finding-texts.ts';
import { languages } from '../text/languages.ts';
import { findingLines, linesWith } from './finding-lines.ts';

const { findingWords } = await languages['de']!.load();
const germanOf = (rule: string) => {
  const english = findingText(rule);
  return english && findingWords?.(findingName(rule), english);
};
const german = germanOf('document/wrong-type')!;
const found = {
  rule: 'european-cloud/wrong-type',
  message: '"security_groups" must be a list, not a string.',
  suggestion: 'Write a list: ["web"].',
};

const told = (finding: Parameters<typeof linesWith>[0]) =>
  linesWith(finding, germanOf(finding.rule)).map(({ words, isEnglish }) => [words, isEnglish]);

test('English has the message and the suggestion alone', () => {
  expect(findingLines(found)).toEqual([
    { part: 'message', words: found.message, isEnglish: false },
    { part: 'suggestion', words: found.suggestion, isEnglish: false },
  ]);
});

test('another language has its title first, then the English message as evidence, then its remedy', () => {
  expect(told({ rule: found.rule, message: found.message })).toEqual([
    [german.title, false],
    [found.message, true],
    [german.remedy, false],
  ]);
});

test('a suggestion that names more than the remedy stays, as evidence', () => {
  expect(told(found)).toEqual([
    [german.title, false],
    [found.message, true],
    [found.suggestion, true],
    [german.remedy, false],
  ]);
  expect(told({ ...found, suggestion: 'Put the value in quotes.' })).toContainEqual(['Put the value in quotes.', true]);
});

test('a suggestion that the remedy says as well gives way to it', () => {
  const suggestions: readonly (readonly [name: string, suggestion: string])[] = [
    ['too-many-disks', 'Use a larger size.'],
    ['mapped-twice', 'Remove one of them.'],
  ];
  for (const [name, suggestion] of suggestions) {
    const words = germanOf(`x/${name}`)!;
    expect(told({ rule: `x/${name}`, message: 'M.', suggestion })).toEqual([
      [words.title, false],
      ['M.', true],
      [words.remedy, false],
    ]);
  }
});

test('a rule without words keeps its message and suggestion, and what the page itself found needs none', () => {
  expect(told({ rule: 'x/y', message: 'M.', suggestion: 'Use it.' })).toEqual([
    ['M.', true],
    ['Use it.', true],
  ]);
  expect(told({ ...found, message: 'Der Text ist fehlerhaft.', isTranslated: true })[0]).toEqual([
    'Der Text ist fehlerhaft.',
    false,
  ]);
});
