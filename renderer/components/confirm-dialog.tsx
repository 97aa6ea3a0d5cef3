import Button from '@mui/material/Button';
import Dialog from '@mui/material/Dialog';
import DialogActions from '@mui/material/DialogActions';
import DialogContent from '@mui/material/DialogContent';
import DialogTitle from '@mui/material/DialogTitle';
import { useId, type ReactNode } from 'react';
import type { Action } from '../app/use-action.ts';
import { text } from '../text/text.ts';
import { ErrorNotice } from './error-notice.tsx';

interface Props {
  readonly title: string;
  /** What happens: what is kept, what is deleted. */
  readonly children: ReactNode;
  readonly confirm: string;
  /** What the button is called that changes nothing. */
  readonly dismiss?: string;
  readonly isDestructive?: boolean;
  readonly isReady?: boolean;
  readonly width?: 'sm' | 'md';
  readonly action: Pick<Action<[]>, 'run' | 'isBusy' | 'error'>;
  readonly onClose: () => void;
}

/** Asks before something is done. It stays open with the error when that fails; the one who opened it closes it on success. */
export function ConfirmDialog({
  title,
  children,
  confirm,
  dismiss = text.app.cancel,
  isDestructive = false,
  isReady = true,
  width = 'sm',
  action,
  onClose,
}: Props) {
  const id = useId();
  return (
    <Dialog open onClose={onClose} aria-labelledby={id} maxWidth={width} fullWidth>
      <DialogTitle id={id}>{title}</DialogTitle>
      <DialogContent sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}>
        {children}
        {action.error !== undefined && <ErrorNotice error={action.error} />}
      </DialogContent>
      <DialogActions>
        <Button onClick={onClose} autoFocus={isDestructive}>
          {dismiss}
        </Button>
        <Button
          variant="contained"
          color={isDestructive ? 'error' : 'primary'}
          autoFocus={!isDestructive}
          disabled={action.isBusy || !isReady}
          onClick={() => void action.run()}
        >
          {confirm}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
