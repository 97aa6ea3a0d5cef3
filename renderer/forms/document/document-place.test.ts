import { expect, test } from 'vitest';
import { placesAt } from './document-place.ts';

const at = (marked: string) => placesAt(marked.replace('|', ''), 'yaml', marked.indexOf('|'));

test('the word at the cursor is what a completion replaces', () => {
  const [place] = at('destination:\n  plugin: european-cl|\n');
  expect(place).toMatchObject({
    kind: 'value',
    path: ['destination', 'plugin'],
    from: 'destination:\n  plugin: '.length,
    to: 'destination:\n  plugin: european-cl'.length,
  });
});

test('a value of a hundred thousand signs is left by its beginning, not by each of its signs', () => {
  const value = 'x'.repeat(100_000);
  expect(at(`user_data: ${value}|\n`)[0]).toMatchObject({
    kind: 'value',
    path: ['user_data'],
    from: 'user_data: '.length,
  });
  expect(placesAt(`{"user_data": "${value}"}`, 'json', `{"user_data": "${value}`.length)[0]).toMatchObject({
    kind: 'value',
    path: ['user_data'],
  });
});
