import { expect, test, vi } from 'vitest';
import { chooseFolder } from './dialogs.ts';
import type { ElectronStandIn } from './testing/electron-stand-in.ts';

vi.mock('electron', async () => (await import('./testing/electron-stand-in.ts')).createElectron());
const electron = (await import('electron')) as unknown as ElectronStandIn;

const choose = (...filePaths: string[]): void => {
  electron.answers.open = { canceled: filePaths.length === 0, filePaths };
};

test('a folder that was chosen, or none', async () => {
  choose();
  expect(await chooseFolder(undefined)).toBeUndefined();
  choose('/projects/move');
  expect(await chooseFolder(undefined)).toBe('/projects/move');
  expect(electron.seen.openDialogs.at(-1)).toMatchObject({ properties: ['openDirectory', 'createDirectory'] });
});
