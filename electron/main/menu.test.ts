import type { MenuItemConstructorOptions } from 'electron';
import { describe, expect, test } from 'vitest';
import { commandIds } from '../../shared/contract/commands.ts';
import { workbenchEvents } from '../../shared/contract/shell.ts';
import { menuTemplate } from './menu.ts';

const items = (template: readonly MenuItemConstructorOptions[]): MenuItemConstructorOptions[] =>
  template.flatMap((item) => [item, ...(Array.isArray(item.submenu) ? items(item.submenu) : [])]);

describe.each(['linux', 'win32', 'darwin'] as const)('the menu bar on %s', (platform) => {
  test('has every command of the table once, and each sends its own id', () => {
    const sent: string[] = [];
    const ours = items(menuTemplate((command) => sent.push(command), platform)).filter(({ id }) => id !== undefined);
    for (const { click } of ours) (click as () => void)();
    expect(ours.map(({ id }) => id).sort()).toEqual([...commandIds].sort());
    expect([...sent].sort()).toEqual([...commandIds].sort());
    for (const command of sent) expect(workbenchEvents['shell.command'].safeParse({ command }).success).toBe(true);
  });

  test('gives no accelerator twice', () => {
    // What the roles bring themselves: close, undo, cut, …, zoom, quit.
    const reserved = [
      'CmdOrCtrl+W',
      'CmdOrCtrl+Z',
      'CmdOrCtrl+X',
      'CmdOrCtrl+C',
      'CmdOrCtrl+V',
      'CmdOrCtrl+A',
      'CmdOrCtrl+M',
      'CmdOrCtrl+Q',
      'CmdOrCtrl+0',
      'CmdOrCtrl+Plus',
      'CmdOrCtrl+-',
    ];
    const given = items(menuTemplate(() => undefined, platform)).flatMap(({ accelerator }) =>
      typeof accelerator === 'string' ? [accelerator] : [],
    );
    expect(new Set([...given, ...reserved]).size).toBe(given.length + reserved.length);
  });

  test('lets nobody open the developer tools or reload the page by accident', () => {
    const roles = items(menuTemplate(() => undefined, platform)).map(({ role }) => role);
    expect(roles).not.toContain('toggleDevTools');
    expect(roles).not.toContain('reload');
    expect(roles).not.toContain('viewMenu');
    expect(roles).toEqual(
      expect.arrayContaining([
        'close',
        'editMenu',
        'windowMenu',
        'help',
        ...(platform === 'darwin' ? ['appMenu'] : ['quit']),
      ]),
    );
  });
});
