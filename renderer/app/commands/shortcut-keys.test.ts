import { expect, test } from 'vitest';
import { commandIds } from '../../../shared/contract/commands.ts';
import { paletteEntries } from './palette-entries.ts';
import { acceleratedCommand, acceleratorText, commandOf, sequenceCommand } from './shortcut-keys.ts';

const press = (key: string, more: Partial<KeyboardEvent> = {}) => ({
  key,
  ctrlKey: false,
  metaKey: false,
  shiftKey: false,
  altKey: false,
  ...more,
});

test('accelerators are known by the command key of the system', () => {
  expect(acceleratedCommand(press('k', { ctrlKey: true }), false)).toBe('palette.open');
  expect(acceleratedCommand(press('K', { metaKey: true }), true)).toBe('palette.open');
  expect(acceleratedCommand(press('k', { metaKey: true }), false)).toBeUndefined();
  expect(acceleratedCommand(press('w', { ctrlKey: true }), false)).toBeUndefined();
  expect(acceleratedCommand(press('W', { ctrlKey: true, shiftKey: true }), false)).toBe('project.close');
  expect(acceleratedCommand(press('F1'), false)).toBe('go.manual');
  expect(acceleratedCommand(press('F1', { ctrlKey: true }), false)).toBeUndefined();
  expect(acceleratedCommand(press('k'), false)).toBeUndefined();
});

test('a browser is offered no shortcut that it keeps to itself', () => {
  const shortcuts = (isDesktop: boolean) =>
    Object.fromEntries(
      paletteEntries({ endpoints: [], replicas: [], lists: [], waves: [], runs: [] }, { isMac: false, isDesktop }).map(
        ({ id, shortcut }) => [id, shortcut],
      ),
    );
  expect([
    shortcuts(true)['project.close'],
    shortcuts(false)['project.close'],
    shortcuts(false)['go.replicas'],
  ]).toEqual(['Ctrl+Shift+W', undefined, 'g r']);
});

test('keys one after another', () => {
  expect(sequenceCommand(['g'])).toEqual({ isBegun: true });
  expect(sequenceCommand(['g', 'r'])).toMatchObject({ command: 'go.replicas' });
  expect(sequenceCommand(['x'])).toEqual({ isBegun: false });
  expect(sequenceCommand(['?'])).toMatchObject({ command: 'help.shortcuts' });
});

test('no two commands share a shortcut, and none is the beginning of another', () => {
  for (const part of ['accelerator', 'keys'] as const) {
    const all = commandIds.map((id) => commandOf(id)[part]).filter((one) => one !== undefined);
    expect(new Set(all).size).toBe(all.length);
  }
  for (const id of commandIds) {
    const keys = commandOf(id).keys;
    if (keys !== undefined) expect(sequenceCommand(keys.split(' ')).isBegun, keys).toBe(false);
  }
});

test('shortcuts are written as people know them', () => {
  expect(acceleratorText('CmdOrCtrl+Shift+W', false)).toBe('Ctrl+Shift+W');
  expect(acceleratorText('CmdOrCtrl+Shift+W', true)).toBe('⌘⇧W');
});
