import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const docs = join(import.meta.dirname, '../docs');
const rows = [...readFileSync(join(docs, 'promises.md'), 'utf8').matchAll(/^\| (?!Promise \|)(.+?) \| (.+) \|$/gm)].map(([, promise = '', held = '']) => ({
  promise, tests: [...held.matchAll(/\[(.+?)\]\(([^()\s]+)\)/g)].map(([, title = '', file = '']) => ({ title, file })),
}));

test('every promise names a test, and no promise is made twice', () => {
  expect(rows.length).toBeGreaterThan(50);
  expect(rows.filter(({ tests }) => tests.length === 0).map(({ promise }) => promise)).toEqual([]);
  expect(new Set(rows.map(({ promise }) => promise)).size).toBe(rows.length);
});

test('the tests that promises name exist', () => {
  const missing = rows.flatMap(({ tests }) => tests).filter(({ title, file }) => {
    const path = join(docs, file);
    return !existsSync(path) || !readFileSync(path, 'utf8').replaceAll("\\'", "'").includes(title);
  });
  expect(missing).toEqual([]);
});

test('they are tests that run: none is in a file that no suite takes', () => {
  for (const { file } of rows.flatMap(({ tests }) => tests)) expect(file).toMatch(/\.test\.tsx?$|\.spec\.ts$|\/test_\w+\.py$/);
});
