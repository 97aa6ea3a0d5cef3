import { useCallback, useEffect, useRef, useState, type ReactNode } from 'react';
import type { CommandId } from '../../../shared/contract/commands.ts';
import { durationText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { CloseProject } from '../../features/home/open-project.tsx';
import { asCausewayError } from '../query-store.ts';
import { goTo } from '../route.ts';
import { useToast } from '../toasts.tsx';
import { useLink, useShell, useWorkbenchEvent } from '../workbench-context.tsx';
import type { WorkbenchLink } from '../workbench-link.ts';
import { CommandPalette } from './command-palette.tsx';
import { acceleratedCommand, isLeftToPage, sequenceCommand } from './shortcut-keys.ts';
import { ShortcutOverview } from './shortcut-overview.tsx';

type Open = 'palette' | 'shortcuts' | 'close' | undefined;

/** Keys one after another count together when they come within this time. */
const sequenceMs = 1200;

/**
 * Answers the menu bar and the keyboard, whatever screen is shown.
 *
 * @param children what runs commands by itself, drawn where this stands
 */
export function Commands({
  children,
}: {
  readonly children?: (run: (command: CommandId) => void, isMac: boolean) => ReactNode;
}) {
  const link = useLink();
  const toast = useToast();
  const shell = useShell();
  const isMac = shell?.platform === 'darwin' || /^Mac/.test(navigator.platform);
  const isDesktop = shell?.host === 'desktop';
  const hasProject = shell?.project !== undefined;
  const [open, setOpen] = useState<Open>();
  const run = useCallback(
    (command: CommandId) => {
      setOpen(dialogs[command]);
      if (command.startsWith('go.')) goTo(...(command === 'go.home' ? [] : [command.slice('go.'.length)]));
      // Both begin where projects are: with the system's dialog on the desktop, on the first screen elsewhere.
      if (command === 'project.new') goTo();
      if (command === 'project.open') {
        goTo();
        if (isDesktop) void openChosen(link).catch((error: unknown) => toast(asCausewayError(error).message));
      }
    },
    [link, isDesktop, toast],
  );
  useWorkbenchEvent('shell.command', ({ command }) => run(command));
  useWorkbenchEvent('shell.woke', ({ asleepMs }) => toast(text.commands.woke(durationText(asleepMs / 1000))));
  useShortcuts(isMac, run);
  return (
    <>
      {children?.(run, isMac)}
      {open === 'palette' && <CommandPalette isMac={isMac} onRun={run} onClose={() => setOpen(undefined)} />}
      {open === 'close' && hasProject && (
        <CloseProject
          {...(shell.project?.mover === undefined ? {} : { mover: shell.project.mover })}
          onClose={() => setOpen(undefined)}
        />
      )}
      {open === 'shortcuts' && <ShortcutOverview isMac={isMac} onClose={() => setOpen(undefined)} />}
    </>
  );
}

/** What opens a dialog of the page. */
const dialogs: Readonly<Partial<Record<CommandId, Open>>> = {
  'palette.open': 'palette',
  'help.shortcuts': 'shortcuts',
  'project.close': 'close',
};

/** Lets somebody choose a project's folder in the system's dialog, and opens it. */
async function openChosen(link: WorkbenchLink): Promise<void> {
  const { folder } = await link.call('project.chooseFolder', {});
  if (folder !== undefined) await link.call('project.open', { folder });
}

function useShortcuts(isMac: boolean, run: (command: CommandId) => void): void {
  const pressed = useRef<{ keys: string[]; at: number }>({ keys: [], at: 0 });
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const accelerated = acceleratedCommand(event, isMac);
      // The desktop's menu answers the others itself, and a browser keeps them.
      if (accelerated !== undefined && isLeftToPage(accelerated)) {
        event.preventDefault();
        run(accelerated);
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.key.length !== 1 || isTyping(event.target)) return;
      if (event.key === '/') {
        const search = document.querySelector<HTMLInputElement>('main input[type="search"]');
        if (search !== null) event.preventDefault();
        search?.focus();
        return;
      }
      const since = event.timeStamp - pressed.current.at;
      const keys = [...(since < sequenceMs ? pressed.current.keys : []), event.key];
      const { command, isBegun } = sequenceCommand(keys);
      pressed.current = { keys: isBegun ? keys : [], at: event.timeStamp };
      if (command === undefined) return;
      event.preventDefault();
      run(command);
    };
    addEventListener('keydown', onKey);
    return () => removeEventListener('keydown', onKey);
  }, [isMac, run]);
}

/** Letters belong to whoever types, and to lists that are open and search by them. */
function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof Element &&
    target.closest(
      'input, textarea, select, [contenteditable], [role="listbox"], [role="combobox"], [role="menu"], [role="dialog"]',
    ) !== null
  );
}
