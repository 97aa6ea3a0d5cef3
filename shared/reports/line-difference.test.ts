import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { lineDifference } from './line-difference.ts';

const shown = (before: string, after: string): string[] =>
  lineDifference(before, after).map(({ sign, line }) => `${sign}${line}`);

describe('the difference of two texts', () => {
  it('has the lines that were removed and added, between those that are the same', () => {
    expect(shown('name: web\nwave: first\nvm: a\n', 'name: web\nwave: second\nnew: 1\nvm: a\n')).toEqual([
      ' name: web',
      '-wave: first',
      '+wave: second',
      '+new: 1',
      ' vm: a',
    ]);
    expect([shown('', 'a\n'), shown('a\n', ''), shown('a', 'a\n')]).toEqual([['+a'], ['-a'], [' a']]);
  });

  it('of whatever texts gives both of them again, and no line twice that is the same', () => {
    const text = fc
      .array(fc.constantFrom('a', 'b', 'c', ''), { maxLength: 12 })
      .map((lines) => lines.map((line) => `${line}\n`).join(''));
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = lineDifference(before, after);
        const side = (sign: '-' | '+'): string =>
          lines
            .filter((line) => line.sign === ' ' || line.sign === sign)
            .map(({ line }) => `${line}\n`)
            .join('');
        expect([side('-'), side('+')]).toEqual([before, after]);
        if (before === after) expect(lines.every(({ sign }) => sign === ' ')).toBe(true);
      }),
    );
  });

  it('of long texts is found without comparing every pair of lines', () => {
    const lines = Array.from({ length: 10_000 }, (_, index) => `${index}\n`);
    const after = [...lines];
    after[5000] = 'changed\n';
    expect(shown(lines.join(''), after.join('')).filter((line) => !line.startsWith(' '))).toEqual([
      '-5000',
      '+changed',
    ]);
  });
});
