import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { collectFiles } from './collect-files.ts';

let folder: string;
const write = (...names: string[]): void => {
  for (const name of names) writeFileSync(join(folder, name), '');
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'collect-'));
  for (const name of ['sub', '.hidden', 'node_modules', 'empty']) mkdirSync(join(folder, name));
  write(
    'b.yaml',
    'a.yml',
    'c.JSON',
    'readme.md',
    'sub/d.yaml',
    '.hidden/e.yaml',
    'node_modules/f.json',
    'provider.json',
  );
});
afterEach(() => rmSync(folder, { recursive: true }));

test('folders are searched in the order of names, each file counts once, inputs are no documents', async () => {
  const at = (name: string): string => join(folder, name);
  const { files, failures } = await collectFiles([at('readme.md'), folder, at('b.yaml')], [at('provider.json')]);
  expect(files).toEqual(['readme.md', 'a.yml', 'b.yaml', 'c.JSON', 'sub/d.yaml'].map(at));
  expect(failures).toEqual([]);
});

test('what is not there and folders without a document are told, and the rest is collected', async () => {
  const { files, failures } = await collectFiles([join(folder, 'nope'), join(folder, 'empty'), join(folder, 'a.yml')]);
  expect(files).toEqual([join(folder, 'a.yml')]);
  expect(failures).toEqual([
    `${join(folder, 'nope')}: file or folder not found`,
    `${join(folder, 'empty')}: this folder contains no .yaml, .yml or .json file`,
  ]);
});
