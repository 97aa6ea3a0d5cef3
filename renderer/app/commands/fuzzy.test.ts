import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fit } from './fuzzy.ts';

const best = (typed: string, ...texts: string[]) =>
  texts
    .map((text) => ({ text, score: fit(text, typed) }))
    .filter(({ score }) => score !== undefined)
    .sort((a, b) => b.score! - a.score!)
    .map(({ text }) => text);

test('first letters of words and beginnings go first', () => {
  expect(best('cw', 'Configure web-01', 'Command palette', 'Crew')).toEqual(['Configure web-01', 'Crew']);
  expect(best('web', 'Configure web-01', 'web', 'Warehouse bar')[0]).toBe('web');
  expect(best('repl', 'Replicas', 'Reopen a parallel')[0]).toBe('Replicas');
});

test('what misses a letter does not fit', () => {
  expect(fit('Endpoints', 'endx')).toBeUndefined();
});

test('a text always fits itself, and any letters left out of it', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'abc -_') }), (text) => {
      expect(fit(text, text)).toBeDefined();
    }),
  );
});
