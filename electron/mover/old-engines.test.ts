import { mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { removeOldEngines } from './old-engines.ts';

const now = Date.parse('2026-03-01T12:00:00Z');
const hours = (count: number): number => now - count * 3_600_000;
let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'causeway-engines-'))));
afterEach(() => rmSync(folder, { recursive: true }));

function place(name: string, at: number, isFile = false): void {
  const path = join(folder, name);
  if (isFile) writeFileSync(path, '');
  else mkdirSync(join(path, 'bin'), { recursive: true });
  utimesSync(path, at / 1000, at / 1000);
}

test('only engines that nobody has asked for lately are removed, and uploads that were cut off a day ago', () => {
  const [own, old, recent] = ['a', 'b', 'c'].map((letter) => letter.repeat(64)) as [string, string, string];
  place(own, hours(100));
  place(old, hours(1));
  place(recent, hours(0.1));
  place(`${old}.0123.tar.gz`, hours(23), true);
  place(`${old}.4567.tar.gz`, hours(25), true);
  place(`${old}.4567.partial`, hours(25));
  removeOldEngines(own, now, folder);
  expect(readdirSync(folder).toSorted()).toEqual([own, `${old}.0123.tar.gz`, recent].toSorted());
});

test('without a folder there is nothing to remove', () => {
  removeOldEngines('a'.repeat(64), now, join(folder, 'missing'));
  expect(readdirSync(folder)).toEqual([]);
});
