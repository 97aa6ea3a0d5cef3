import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hrefOf, parseRoute } from './route.ts';

test('an address leads to the parts that it was made of, whatever they hold', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ minLength: 1, unit: 'grapheme' })), (parts) => {
      expect(parseRoute(hrefOf(...parts))).toEqual(parts);
    }),
  );
});

test('an address that nobody can read leads home', () => {
  expect(parseRoute('#/%zz')).toEqual([]);
});
