import { expect, test } from 'vitest';
import { text as english } from './en/index.ts';
import { pluralsOf } from './plurals.ts';
import { pseudoLanguage, pseudoText } from './pseudo.ts';

test('a text about a number has the form that its language chooses, and the number as it is written there', () => {
  expect([1, 2, 12_000].map((count) => pluralsOf('en')(count, { one: '# VM', other: '# VMs' }))).toEqual([
    '1 VM',
    '2 VMs',
    '12,000 VMs',
  ]);
  expect(
    [1, 3, 5].map((count) => pluralsOf('pl')(count, { one: '# maszyna', few: '# maszyny', other: '# maszyn' })),
  ).toEqual(['1 maszyna', '3 maszyny', '5 maszyn']);
});

test('the pseudo-language is longer, accented, in brackets once', () => {
  expect(pseudoText('Remove')).toBe('[Ŕémóvé~~~]');
  expect(pseudoText(pseudoText('Remove'))).toBe('[Ŕémóvé~~~]');
  expect(pseudoText('12 %')).toBe('12 %');
});

test('the pseudo-language has every text, those about numbers too, and leaves units alone', () => {
  const { text: words } = pseudoLanguage();
  expect(Object.keys(words)).toEqual(Object.keys(english));
  expect(words.replicas.chosen(2)).toBe('[2 šéléçtéd~~~~]');
  expect(words.home.steps.map(({ title }) => title)).toHaveLength(english.home.steps.length);
  expect(words.units.bytes).toEqual(english.units.bytes);
});
