import { expect, test } from 'vitest';
import { foldedFileName, isDeviceName, isPortableFileName } from './file-names.ts';

test.each(['web-01.json', 'Überführung 1.yaml', 'com.json', 'console.yaml', '.hidden', 'a..b.json', 'ein Name.json'])(
  '%j can be a file everywhere',
  (name) => {
    expect(isPortableFileName(name)).toBe(true);
  },
);

test.each([
  // A stream of the file `a`, a drive, devices with any extension, and names of which Windows drops the end.
  'a:b.json',
  'c:web.json',
  'web.json::$DATA',
  'NUL.json',
  'con',
  'Com1.yaml',
  'lpt¹.json',
  'aux .json',
  'conin$',
  'web.json.',
  'web.json ',
  ' web.json',
  'a<b.json',
  'a>b.json',
  'a"b.json',
  'a|b.json',
  'a?b.json',
  'a*b.json',
  'a/b.json',
  'a\\b.json',
  'a\nb.json',
  'a\u0000b.json',
  'a\u0085b.json',
  '',
  `${'ü'.repeat(126)}.json`,
])('%j can not', (name) => {
  expect(isPortableFileName(name)).toBe(false);
});

test('a device is told from a name that begins like one', () => {
  expect(['NUL', 'nul.txt', 'COM9', 'nulls', 'com', 'com10', 'a.nul'].map(isDeviceName)).toEqual([
    true,
    true,
    true,
    false,
    false,
    false,
    false,
  ]);
});

test('names are one where a file system takes them for one', () => {
  expect(foldedFileName('Ü.JSON')).toBe(foldedFileName('u\u0308.json'));
  expect(foldedFileName('u.json')).not.toBe(foldedFileName('ü.json'));
});
