import { expect, test } from 'vitest';
import { canonicalise } from './accepted-spellings.ts';

test('another spelling is renamed in its place, warned about, and pointers lead back to it', () => {
  const { environment, faults, inDocument } = canonicalise({ a: 1, odd: { default: 5 }, z: 2 }, { odd: 'even' });
  expect(Object.entries(environment)).toEqual([
    ['a', 1],
    ['even', { default: 5 }],
    ['z', 2],
  ]);
  expect(faults).toMatchObject([
    { severity: 'warning', path: ['odd'], rule: 'other-spelling', suggestion: 'Write "even".' },
  ]);
  expect(inDocument(['even', 'default'])).toEqual(['odd', 'default']);
  expect(inDocument(['a'])).toEqual(['a']);
});

test('with both spellings the canonical one counts, and the odd one is an error', () => {
  const { environment, faults, inDocument } = canonicalise({ odd: 1, even: 2 }, { odd: 'even' });
  expect(environment).toEqual({ even: 2 });
  expect(faults).toMatchObject([{ severity: 'error', path: ['odd'], rule: 'two-spellings' }]);
  expect(inDocument(['even'])).toEqual(['even']);
});

test('nested keys are renamed too', () => {
  const { environment, inDocument } = canonicalise({ top: { odd: [1] } }, { 'top.odd': 'top.even' });
  expect(environment).toEqual({ top: { even: [1] } });
  expect(inDocument(['top', 'even', 0])).toEqual(['top', 'odd', 0]);
});

test('values of any type are left as they are', () => {
  for (const top of [null, 5, 'text', [{ odd: 1 }]]) {
    expect(canonicalise({ top }, { 'top.odd': 'top.even', odd: 'even' })).toMatchObject({
      environment: { top },
      faults: [],
    });
  }
});
