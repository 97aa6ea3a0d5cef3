import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { problemText } from './problem-text.ts';

const text = (code: string): string =>
  problemText({
    error: { code: code as ErrorCode, message: 'evidence', details: {}, retryable: false },
    leftBehind: 0,
  });

test('a problem is shown with its cause, its remedy and the command for it', () => {
  expect(text('secrets.no-vault')).toMatch(
    /: evidence\n {2}why: {4}.+\n {2}remedy: .+\n {2}here: {3}causeway vault init\n {2}\[secrets\.no-vault\]\n$/,
  );
});

test.each(['cloud.invented-later', 'constructor', '__proto__'])(
  'a code that this version does not know (%s) is shown all the same, without a command',
  (code) => {
    expect(text(code)).toMatch(/: evidence\n {2}why: {4}.+\n {2}remedy: .+\n {2}\[\w/);
  },
);
