import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { keptWhileUnchanged } from './kept-while-unchanged.ts';

let root: string;
let path: string;
let reads: number;
const look = (): string => {
  reads += 1;
  return readFileSync(path, 'utf8');
};
/** A minute after the file was written, so that nothing of it is recent. */
const later = (): number => Date.now() + 60_000;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'causeway-kept-'));
  path = join(root, 'a.json');
  writeFileSync(path, 'one');
  reads = 0;
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

test('a file that is the very same is read once', () => {
  const files = keptWhileUnchanged<string>(later);
  expect([files.read(path, look), files.read(path, look), reads]).toEqual(['one', 'one', 1]);
});

test('a file of the same size that was put in its place, or written over and set back in time, is read again', async () => {
  const files = keptWhileUnchanged<string>(later);
  const before = statSync(path);
  files.read(path, look);
  writeFileSync(join(root, 'b.json'), 'two');
  renameSync(join(root, 'b.json'), path);
  utimesSync(path, before.atime, before.mtime);
  expect(files.read(path, look)).toBe('two');
  const { ctimeNs } = statSync(path, { bigint: true });
  // Until the file system's clock has ticked.
  while (statSync(path, { bigint: true }).ctimeNs === ctimeNs) writeFileSync(path, 'six');
  utimesSync(path, before.atime, before.mtime);
  expect(files.read(path, look)).toBe('six');
});

test('what was written just now may be written again within the same tick of the clock: it is not kept', () => {
  const files = keptWhileUnchanged<string>();
  files.read(path, look);
  files.read(path, look);
  expect(reads).toBe(2);
});

test('a file that is gone, and what can’t be read, are not kept', () => {
  const files = keptWhileUnchanged<string>(later);
  const fail = (): string => {
    reads += 1;
    throw new Error('not JSON');
  };
  expect(() => files.read(path, fail)).toThrow('not JSON');
  expect(files.read(path, look)).toBe('one');
  rmSync(path);
  expect(files.read(path, () => undefined)).toBeUndefined();
  expect(reads).toBe(2);
});
