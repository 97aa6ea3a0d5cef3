/** Where a command stands in the desktop app's menu bar. */
export type CommandMenu = 'file' | 'view' | 'help';

interface Command {
  readonly label: string;
  readonly menu: CommandMenu;
  /** As Electron writes it; `CmdOrCtrl` is the command key on macOS and Ctrl elsewhere. */
  readonly accelerator?: string;
}

/**
 * What the menu bar can ask of the page, by id. The menu is built from this table, and the page may build its command
 * palette and its overview of shortcuts from the same one.
 */
export const commands = {
  'project.new': { label: 'New Project…', menu: 'file', accelerator: 'CmdOrCtrl+N' },
  'project.open': { label: 'Open Project…', menu: 'file', accelerator: 'CmdOrCtrl+O' },
  'project.close': { label: 'Close Project', menu: 'file', accelerator: 'CmdOrCtrl+Shift+W' },
  'palette.open': { label: 'Command Palette…', menu: 'view', accelerator: 'CmdOrCtrl+K' },
  'go.home': { label: 'Project', menu: 'view', accelerator: 'CmdOrCtrl+1' },
  'go.endpoints': { label: 'Endpoints', menu: 'view', accelerator: 'CmdOrCtrl+2' },
  'go.inventory': { label: 'Inventory', menu: 'view', accelerator: 'CmdOrCtrl+3' },
  'go.replicas': { label: 'Replicas', menu: 'view', accelerator: 'CmdOrCtrl+4' },
  'go.ledger': { label: 'Ledger', menu: 'view', accelerator: 'CmdOrCtrl+5' },
  'go.check': { label: 'Check Documents', menu: 'view', accelerator: 'CmdOrCtrl+6' },
  'go.settings': { label: 'Settings…', menu: 'file', accelerator: 'CmdOrCtrl+,' },
  'help.shortcuts': { label: 'Keyboard Shortcuts', menu: 'help', accelerator: 'CmdOrCtrl+/' },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandId = keyof typeof commands;
export const commandIds = Object.keys(commands) as readonly CommandId[];
