/** Where a command stands in the desktop app's menu bar. */
export type CommandMenu = 'file' | 'view' | 'help';

interface Command {
  readonly label: string;
  readonly menu: CommandMenu;
  /** As Electron writes it; `CmdOrCtrl` is the command key on macOS and Ctrl elsewhere. */
  readonly accelerator?: string;
  /** Keys one after another that do it in the page, wherever nothing is being typed; browsers keep the accelerators to themselves. */
  readonly keys?: string;
}

/**
 * What the menu bar can ask of the page, by id. The menu, the command palette and the overview of shortcuts are all made
 * from this table.
 */
export const commands = {
  'project.new': { label: 'New Project…', menu: 'file', accelerator: 'CmdOrCtrl+N' },
  'project.open': { label: 'Open Project…', menu: 'file', accelerator: 'CmdOrCtrl+O' },
  'project.close': { label: 'Close Project', menu: 'file', accelerator: 'CmdOrCtrl+Shift+W' },
  'palette.open': { label: 'Command Palette…', menu: 'view', accelerator: 'CmdOrCtrl+K' },
  'go.home': { label: 'Project', menu: 'view', accelerator: 'CmdOrCtrl+1', keys: 'g p' },
  'go.endpoints': { label: 'Endpoints', menu: 'view', accelerator: 'CmdOrCtrl+2', keys: 'g e' },
  'go.inventory': { label: 'Inventory', menu: 'view', accelerator: 'CmdOrCtrl+3', keys: 'g i' },
  'go.defaults': { label: 'Defaults', menu: 'view', accelerator: 'CmdOrCtrl+7', keys: 'g d' },
  'go.replicas': { label: 'Replicas', menu: 'view', accelerator: 'CmdOrCtrl+4', keys: 'g r' },
  'go.waves': { label: 'Waves', menu: 'view', accelerator: 'CmdOrCtrl+9', keys: 'g w' },
  'go.fleet': { label: 'Fleet', menu: 'view', keys: 'g f' },
  'go.ledger': { label: 'Ledger', menu: 'view', accelerator: 'CmdOrCtrl+5', keys: 'g l' },
  'go.trust': { label: 'Trust', menu: 'view', accelerator: 'CmdOrCtrl+8', keys: 'g t' },
  'go.check': { label: 'Validate Files', menu: 'view', accelerator: 'CmdOrCtrl+6', keys: 'g c' },
  'go.settings': { label: 'Settings…', menu: 'file', accelerator: 'CmdOrCtrl+,', keys: 'g s' },
  'go.manual': { label: 'Manual', menu: 'help', accelerator: 'F1', keys: 'g m' },
  'help.shortcuts': { label: 'Keyboard Shortcuts', menu: 'help', accelerator: 'CmdOrCtrl+/', keys: '?' },
} as const satisfies Readonly<Record<string, Command>>;

export type CommandId = keyof typeof commands;
export const commandIds = Object.keys(commands) as readonly CommandId[];
