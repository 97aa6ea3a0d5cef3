import Snackbar from '@mui/material/Snackbar';
import { createContext, use, useCallback, useState, type ReactNode } from 'react';

const ToastContext = createContext<(message: string) => void>(() => undefined);

/** A short message at the bottom edge, read out by screen readers; the next one replaces it. */
export function ToastProvider({ children }: { readonly children: ReactNode }) {
  const [toast, setToast] = useState<{ readonly message: string; readonly number: number }>();
  const [isOpen, setIsOpen] = useState(false);
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
        autoHideDuration={5000}
        onClose={(_event, reason) => reason !== 'clickaway' && setIsOpen(false)}
      />
    </ToastContext>
  );
}

export function useToast(): (message: string) => void {
  return use(ToastContext);
}
