import { expect, test } from 'vitest';
import { bytesText, durationText } from './quantities.ts';

test.each([
  [0, '0 B'],
  [1023, '1023 B'],
  [1024, '1 KiB'],
  [1536, '1.5 KiB'],
  [24 * 2 ** 20, '24 MiB'],
  [5.891 * 2 ** 20, '5.89 MiB'],
  [2 ** 40, '1 TiB'],
])('%d bytes are %s', (bytes, text) => expect(bytesText(bytes)).toBe(text));

test.each([
  [0, '0 s'],
  [59.6, '1 min'],
  [3725, '1 h 2 min'],
  [86_400, '1 d'],
  [-5, '0 s'],
])('%d seconds are %s', (seconds, text) => expect(durationText(seconds)).toBe(text));
