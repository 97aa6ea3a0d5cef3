import CloseIcon from '@mui/icons-material/Close';
import Button from '@mui/material/Button';
import IconButton from '@mui/material/IconButton';
import Snackbar from '@mui/material/Snackbar';
import { createContext, use, useCallback, useMemo, useState, type ReactNode } from 'react';
import { text } from '../text/text.ts';
import { railWidth } from './navigation.tsx';
import { hrefOf } from './route.ts';
import { useQuery } from './workbench-context.tsx';

/** The one thing that is likely to be wanted next: a place to go to, or something to do, which the message alone offers. */
export type ToastAction =
  | { readonly label: string; readonly path: readonly string[] }
  | { readonly label: string; readonly run: () => void };

export interface Message {
  readonly text: string;
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly action?: ToastAction;
}

type Show = (message: string, action?: ToastAction) => void;

interface Messages {
  /** Newest first. */
  readonly kept: readonly Message[];
  readonly unseen: number;
  readonly markSeen: () => void;
}

const ToastContext = createContext<Show>(() => undefined);
const MessagesContext = createContext<Messages>({ kept: [], unseen: 0, markSeen: () => undefined });

/** More than this nobody reads again. */
const mostKept = 50;

/**
 * A short message at the bottom left of the sheet with at most one action, read out by screen readers, for as long as the settings
 * say; the next one replaces it. All are kept under the bell until the page is closed.
 */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [kept, setKept] = useState<readonly Message[]>([]);
  const [count, setCount] = useState(0);
  const [seen, setSeen] = useState(0);
  const [isOpen, setIsOpen] = useState(false);
  const { data: settings } = useQuery('shell.settings', {}, ['shell.changed']);
  const seconds = settings?.messageSeconds ?? 0;
  const close = () => setIsOpen(false);
  const show = useCallback<Show>((message, action) => {
    setKept((before) =>
      [{ text: message, at: Date.now(), ...(action === undefined ? {} : { action }) }, ...before].slice(0, mostKept),
    );
    setCount((before) => before + 1);
    setIsOpen(true);
  }, []);
  const messages = useMemo(
    (): Messages => ({ kept, unseen: count - seen, markSeen: () => setSeen(count) }),
    [kept, count, seen],
  );
  const newest = kept[0];
  return (
    <ToastContext value={show}>
      <MessagesContext value={messages}>{children}</MessagesContext>
      <Snackbar
        key={count}
        open={isOpen}
        message={newest?.text}
        // Clear of the rail.
        sx={{ left: { xs: railWidth.xs + 16, lg: railWidth.lg + 16 }, right: 'auto' }}
        autoHideDuration={seconds === 0 ? null : seconds * 1000}
        onClose={(_event, reason) => reason !== 'clickaway' && close()}
        action={
          <>
            {newest?.action !== undefined && 'run' in newest.action && (
              <RunButton action={newest.action} onDone={close} />
            )}
            {newest?.action !== undefined && 'path' in newest.action && (
              <Button size="small" href={hrefOf(...newest.action.path)} onClick={close}>
                {newest.action.label}
              </Button>
            )}
            <IconButton size="small" color="inherit" aria-label={text.app.closeMessage} onClick={close}>
              <CloseIcon fontSize="small" />
            </IconButton>
          </>
        }
      />
    </ToastContext>
  );
}

function RunButton({
  action,
  onDone,
}: {
  readonly action: { readonly label: string; readonly run: () => void };
  readonly onDone: () => void;
}) {
  const run = () => {
    onDone();
    action.run();
  };
  return (
    <Button size="small" onClick={run}>
      {action.label}
    </Button>
  );
}

export function useToast(): Show {
  return use(ToastContext);
}

export function useMessages(): Messages {
  return use(MessagesContext);
}
