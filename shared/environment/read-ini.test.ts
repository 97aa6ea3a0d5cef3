import { expect, test } from 'vitest';
import { readIni } from './read-ini.ts';

test('keys, comments, continuation lines and quotes are read with their lines', () => {
  const text =
    '\ufeff'.slice(1) +
    '# top\r\n[one]\r\na = 1\r\n  b: http://x:80/#y;z\r\n; note\r\nlist = a,\r\n    b,\r\n    # not this\r\n    c\r\nq = "x y"\r\n\r\n[t.w]\r\nempty =\r\n';
  expect(readIni(text)).toEqual({
    sections: [
      {
        name: 'one',
        location: { line: 2, column: 1 },
        entries: [
          { key: 'a', value: '1 b: http://x:80/#y;z', location: { line: 3, column: 1 } },
          { key: 'list', value: 'a, b, c', location: { line: 6, column: 1 } },
          { key: 'q', value: 'x y', location: { line: 10, column: 1 } },
        ],
      },
      {
        name: 't.w',
        location: { line: 12, column: 1 },
        entries: [{ key: 'empty', value: '', location: { line: 13, column: 1 } }],
      },
    ],
    faults: [],
  });
});

test('lines that are none of these are reported, and the rest is read', () => {
  const { sections, faults } = readIni('lost = 1\n[a\n[ok]\nnonsense\nx = 1\n= 2\n');
  expect(faults.map(({ location }) => location.line)).toEqual([1, 2, 4, 6]);
  expect(sections).toMatchObject([{ name: 'ok', entries: [{ key: 'x', value: '1' }] }]);
});
