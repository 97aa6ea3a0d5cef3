import { expect, test } from 'vitest';
import { parseLabelSelector } from './label-selector.ts';

const labels = { run: 'a1', tier: 'web', empty: '' };

test.each([
  ['', true],
  ['run=a1', true],
  ['run==a1,tier=web', true],
  ['run=a1,tier=db', false],
  ['run!=a2', true],
  ['other!=a2', true],
  ['run', true],
  ['other', false],
  ['!other', true],
  ['empty=', true],
  ['tier in (db, web)', true],
  ['tier notin (db, web),run', false],
])('the selector "%s" on labels gives %s', (selector, expected) => {
  expect(parseLabelSelector(selector)(labels)).toBe(expected);
});

test('a selector that is none is refused', () => {
  expect(() => parseLabelSelector('run=>a1')).toThrow('label selector is not valid');
});
