import { expect, it } from 'vitest';
import { parseDiffLine } from './rbd-diff.ts';

it('reads the lines of a difference and skips its heading', () => {
  const lines = ['Offset     Length   Type', '16777216   65536    data', '0          4194304  zero', ''];
  expect(lines.map(parseDiffLine)).toEqual([
    undefined,
    { offset: 16_777_216, length: 65_536, kind: 'data' },
    { offset: 0, length: 4_194_304, kind: 'zero' },
    undefined,
  ]);
});
