import CloseIcon from '@mui/icons-material/Close';
import IconButton from '@mui/material/IconButton';
import Snackbar from '@mui/material/Snackbar';
import { createContext, use, useCallback, useState, type ReactNode } from 'react';
import { text } from '../text/text.ts';
import { railWidth } from './navigation.tsx';
import { useQuery } from './workbench-context.tsx';

const ToastContext = createContext<(message: string) => void>(() => undefined);

/** A short message at the bottom edge, read out by screen readers, for as long as the settings say; the next one replaces it. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toast, setToast] = useState<{ readonly message: string; readonly number: number }>();
  const [isOpen, setIsOpen] = useState(false);
  const { data: settings } = useQuery('shell.settings', {}, ['shell.changed']);
  const seconds = settings?.messageSeconds ?? 0;
  const close = () => setIsOpen(false);
  const show = useCallback((message: string) => {
    setToast((before) => ({ message, number: (before?.number ?? 0) + 1 }));
    setIsOpen(true);
  }, []);
  return (
    <ToastContext value={show}>
      {children}
      <Snackbar
        key={toast?.number ?? 0}
        open={isOpen}
        message={toast?.message}
        // At the bottom left of the screen's sheet, clear of the rail.
        sx={{ left: { xs: railWidth.xs + 16, md: railWidth.md + 16 }, right: 'auto' }}
        autoHideDuration={seconds === 0 ? null : seconds * 1000}
        onClose={(_event, reason) => reason !== 'clickaway' && close()}
        action={
          <IconButton size="small" color="inherit" aria-label={text.app.closeMessage} onClick={close}>
            <CloseIcon fontSize="small" />
          </IconButton>
        }
      />
    </ToastContext>
  );
}

export function useToast(): (message: string) => void {
  return use(ToastContext);
}
