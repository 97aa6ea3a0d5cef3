import { commandIds, commands, type CommandId } from '../../../shared/contract/commands.ts';

interface TableEntry {
  readonly accelerator?: string;
  readonly keys?: string;
}

export function commandOf(id: CommandId): TableEntry {
  return commands[id];
}

/** A browser keeps most accelerators to itself; these it leaves to the page. */
const leftToPage: ReadonlySet<CommandId> = new Set(['palette.open', 'help.shortcuts', 'go.manual']);

/** Whether the page answers the accelerator itself, instead of the desktop's menu. */
export function isLeftToPage(id: CommandId): boolean {
  return leftToPage.has(id);
}

/** How a shortcut is written for people on this computer. */
export function acceleratorText(accelerator: string, isMac: boolean): string {
  return accelerator
    .split('+')
    .map((key) => (key === 'CmdOrCtrl' ? (isMac ? '⌘' : 'Ctrl') : key === 'Shift' && isMac ? '⇧' : key))
    .join(isMac ? '' : '+');
}

/** The command whose accelerator a key press is. */
export function acceleratedCommand(
  event: Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'shiftKey' | 'altKey'>,
  isMac: boolean,
): CommandId | undefined {
  const isCommand = isMac ? event.metaKey && !event.ctrlKey : event.ctrlKey && !event.metaKey;
  if (event.altKey || (!isCommand && (event.ctrlKey || event.metaKey))) return undefined;
  return commandIds.find((id) => {
    const parts = commandOf(id).accelerator?.split('+') ?? [];
    return (
      parts.at(-1)?.toLowerCase() === event.key.toLowerCase() &&
      parts.includes('CmdOrCtrl') === isCommand &&
      parts.includes('Shift') === event.shiftKey
    );
  });
}

/** Follows plain keys: which command a sequence is, and whether more may come. */
export function sequenceCommand(pressed: readonly string[]): {
  readonly command?: CommandId;
  readonly isBegun: boolean;
} {
  const typed = pressed.join(' ');
  const command = commandIds.find((id) => commandOf(id).keys === typed);
  return {
    ...(command === undefined ? {} : { command }),
    isBegun: commandIds.some((id) => commandOf(id).keys?.startsWith(`${typed} `) === true),
  };
}
