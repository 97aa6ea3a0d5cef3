import Typography from '@mui/material/Typography';
import { useEffect, useState } from 'react';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';

/** Asks before unsaved changes are left by a link of the page, and lets the browser ask when the page is closed. */
export function UnsavedGuard({ isDirty }: { readonly isDirty: boolean }) {
  const [target, setTarget] = useState<string>();
  useEffect(() => {
    if (!isDirty) return undefined;
    const onClick = (event: MouseEvent) => {
      const link = event.target instanceof Element ? event.target.closest('a[href^="#/"]') : null;
      const href = link?.getAttribute('href');
      if (href === null || href === undefined || event.defaultPrevented || href === location.hash) return;
      event.preventDefault();
      setTarget(href);
    };
    const onClose = (event: BeforeUnloadEvent) => event.preventDefault();
    document.addEventListener('click', onClick, true);
    addEventListener('beforeunload', onClose);
    return () => {
      document.removeEventListener('click', onClick, true);
      removeEventListener('beforeunload', onClose);
    };
  }, [isDirty]);
  if (target === undefined) return null;
  const leave = async (): Promise<void> => {
    location.hash = target;
    setTarget(undefined);
    return Promise.resolve();
  };
  return (
    <ConfirmDialog
      title={text.configure.leave.title}
      confirm={text.configure.leave.leave}
      dismiss={text.configure.leave.stay}
      isDestructive
      action={{ run: leave, isBusy: false, error: undefined }}
      onClose={() => setTarget(undefined)}
    >
      <Typography>{text.configure.leave.lead}</Typography>
    </ConfirmDialog>
  );
}
