import { expect, test } from 'vitest';
import { promises } from './documents/promise-list.ts';
import { filesByTitle } from './documents/promises.ts';

const all = Object.values(promises).flat();

test('every promise names a test, and no promise is made twice', () => {
  expect(all.filter(({ tests }) => tests.length === 0).map(({ promise }) => promise)).toEqual([]);
  expect(new Set(all.map(({ promise }) => promise)).size).toBe(all.length);
});

test('the tests that promises name exist, each in one file', () => {
  expect([...filesByTitle()].filter(([, files]) => files.length !== 1)).toEqual([]);
});
