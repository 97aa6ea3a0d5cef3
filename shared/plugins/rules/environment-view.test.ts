import { describe, expect, test } from 'vitest';
import { expand, isOn, placeInDocument, textAt } from './environment-view.ts';

test('a pattern finds every element of lists and every entry of mappings, and nothing where the shape differs', () => {
  const value = { map: { a: { id: 1 }, 'b.c': { id: 2 }, d: 'x' }, list: [{ id: 3 }, 4] };
  expect(expand(value, ['map', '*', 'id'])).toEqual([
    { path: ['map', 'a', 'id'], value: 1 },
    { path: ['map', 'b.c', 'id'], value: 2 },
  ]);
  expect(expand(value, ['list', '*', 'id'])).toEqual([{ path: ['list', 0, 'id'], value: 3 }]);
  expect(expand(value, ['constructor', 'name'])).toEqual([]);
  expect(expand(null, ['map'])).toEqual([]);
});

test('a blank text is none, and only true is on', () => {
  expect(textAt({ a: ' ' }, ['a'])).toBeUndefined();
  expect(textAt({ a: 'x' }, ['a'])).toBe('x');
  expect(isOn({ a: 'true' }, ['a'])).toBe(false);
});

describe('a value of the effective environment stands in the document', () => {
  const document = { groups: ['web'], map: { linux: 'a' } };

  test.each([
    ['at its own place', { path: ['map', 'linux'], value: 'a' }, ['map', 'linux']],
    ['at its place in the list that was joined', { path: ['groups', 1], value: 'web' }, ['groups', 0]],
    ['as the list, when the configuration gave the element', { path: ['groups', 0], value: 'default' }, ['groups']],
    ['where it would stand, when the configuration gave the key', { path: ['zone'], value: 'z' }, ['zone']],
    ['as the key, when the configuration gave the whole list', { path: ['others', 0], value: 'x' }, ['others']],
    ['as the entry that is missing', { path: ['map', 'windows'], value: 'b' }, ['map', 'windows']],
  ] as const)('%s', (_, found, place) => expect(placeInDocument(document, found)).toEqual(place));
});
