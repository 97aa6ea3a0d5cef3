import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { chooseFolder, openFiles } from './dialogs.ts';
import type { ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'dialogs-'));
  await writeFile(join(folder, 'a.yaml'), 'größe: 1\n');
  await writeFile(join(folder, 'picture.yaml'), Buffer.from([0xff, 0xfe, 0xfd]));
});
afterAll(() => rm(folder, { recursive: true }));

const choose = (...filePaths: string[]): void => {
  electron.answers.open = { canceled: filePaths.length === 0, filePaths };
};

test('a folder that was chosen, or none', async () => {
  choose();
  expect(await chooseFolder(undefined)).toBeUndefined();
  choose(folder);
  expect(await chooseFolder(undefined)).toBe(folder);
  expect(electron.seen.openDialogs.at(-1)).toMatchObject({ properties: ['openDirectory', 'createDirectory'] });
});

test('the page gets a file\'s name and text, and no path', async () => {
  choose(join(folder, 'a.yaml'));
  expect(await openFiles(undefined, 'environment')).toEqual([{ name: 'a.yaml', text: 'größe: 1\n' }]);
  choose();
  expect(await openFiles(undefined, 'inventory')).toEqual([]);
});

test('what is no text is refused by name', async () => {
  choose(join(folder, 'picture.yaml'));
  await expect(openFiles(undefined, 'environment')).rejects.toMatchObject({ code: 'general.invalid-input', message: 'picture.yaml is no UTF-8 text' });
});
