import type { MenuItemConstructorOptions } from 'electron';
import { commandIds, commands, type CommandId, type CommandMenu } from '../../shared/contract/commands.ts';

/**
 * The menu bar: our commands from their one table, and what every desktop app has as Electron's roles (which bring
 * their own accelerators and translations).
 *
 * @param send hands a command to the page
 */
export function menuTemplate(
  send: (command: CommandId) => void,
  platform: NodeJS.Platform = process.platform,
): MenuItemConstructorOptions[] {
  const isMac = platform === 'darwin';
  const ours = (menu: CommandMenu): MenuItemConstructorOptions[] =>
    commandIds
      .filter((id) => commands[id].menu === menu)
      .map((id) => {
        const { label, ...command } = commands[id];
        return {
          id,
          label,
          ...('accelerator' in command ? { accelerator: command.accelerator } : {}),
          click: () => send(id),
        };
      });
  const line: MenuItemConstructorOptions = { type: 'separator' };
  return [
    ...(isMac ? [{ role: 'appMenu' } as const] : []),
    {
      label: '&File',
      submenu: [...ours('file'), line, { role: 'close' }, ...(isMac ? [] : [{ role: 'quit' } as const])],
    },
    { role: 'editMenu' },
    {
      label: '&View',
      submenu: [
        ...ours('view'),
        line,
        { role: 'resetZoom' },
        { role: 'zoomIn' },
        { role: 'zoomOut' },
        line,
        { role: 'togglefullscreen' },
      ],
    },
    { role: 'windowMenu' },
    { role: 'help', submenu: [...ours('help'), ...(isMac ? [] : [line, { role: 'about' } as const])] },
  ];
}
