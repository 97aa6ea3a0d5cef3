import { commandIds, commands, type CommandId } from '../../../shared/contract/commands.ts';

export const commandTexts = {
  /** As in the desktop app's menu, which reads the same table. */
  labels: Object.fromEntries(commandIds.map((id) => [id, commands[id].label])) as Readonly<Record<CommandId, string>>,
  palette: 'Command palette',
  search: 'Search for a page, endpoint, replica or command',
  none: 'No results',
  kinds: {
    command: 'Command',
    endpoint: 'Endpoint',
    replica: 'Replica',
    list: 'Inventory',
    wave: 'Wave',
    run: 'Execution',
  },
  configure: (replica: string) => `Configure ${replica}`,
  open: (replica: string) => `Open ${replica}`,
  check: (endpoint: string) => `Endpoint ${endpoint}`,
  list: (name: string) => `Inventory ${name}`,
  wave: (name: string) => `Wave ${name}`,
  run: (number: number, replica: string) => `Execution ${number} of ${replica}`,
  shortcuts: 'Keyboard shortcuts',
  shortcutsLead:
    'Press keys separated by a space one after the other. Shortcuts do not apply while you type in a field.',
  what: 'Action',
  keys: 'Keys',
  close: 'Close',
  more: {
    search: 'Search on this page',
    nextFinding: 'Next finding (Shift: previous finding)',
    save: 'Save the form',
    leave: 'Close the open dialog or menu',
  },
  then: 'then',
  woke: (minutes: string) => `The computer slept for ${minutes}. Executions resume where they stopped.`,
} as const;
