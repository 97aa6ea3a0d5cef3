import fc from 'fast-check';
import { expect, test } from 'vitest';
import { textEnd, textStart } from './cut-text.ts';

test('a text is cut between words and says that something is missing', () => {
  expect(textStart('The disk copy worker does not answer', 24)).toBe('The disk copy worker …');
  expect(textEnd('The disk copy worker does not answer', 20)).toBe('… does not answer');
  expect([textStart('short', 24), textEnd('short', 24)]).toEqual(['short', 'short']);
});

test('what is cut is never longer than was asked for', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'b', ' ', '\n'), maxLength: 80 }),
      fc.integer({ min: 10, max: 60 }),
      (text, longest) => {
        for (const cut of [textStart(text, longest), textEnd(text, longest)])
          expect(cut.length).toBeLessThanOrEqual(longest);
      },
    ),
  );
});
