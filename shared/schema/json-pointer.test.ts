import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fromPointer, hasMember, toPointer, valueAt } from './json-pointer.ts';

test('tilde and slash inside keys are escaped, and an empty key is a key', () => {
  expect(toPointer(['a/b', 'c~d', '~1', '', 0])).toBe('/a~1b/c~0d/~01//0');
  expect(toPointer([])).toBe('');
});

test('any path comes back from its pointer', () => {
  fc.assert(
    fc.property(fc.array(fc.string()), (path) => {
      expect(fromPointer(toPointer(path))).toEqual(path);
    }),
  );
});

test('members are own members only', () => {
  expect(hasMember({}, 'constructor')).toBe(false);
  expect([hasMember(['a'], '0'), hasMember(['a'], '00'), hasMember(['a'], 'length'), hasMember(['a'], 1)]).toEqual([
    true,
    false,
    false,
    false,
  ]);
  expect(valueAt({ a: [{ 'b/c': 5 }] }, ['a', 0, 'b/c'])).toBe(5);
  expect(valueAt({ a: 'text' }, ['a', 'length'])).toBeUndefined();
});
