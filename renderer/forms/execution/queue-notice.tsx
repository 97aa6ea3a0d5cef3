import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import { useState } from 'react';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { QueueLimitDialog } from './queue-limit-dialog.tsx';

/** Says of a run that waits why it does, and lets more of them run at once. */
export function QueueNotice({ position }: { readonly position: number }) {
  const queue = useRunQuery('queue.show', {}, 'states').data;
  const [isOpen, setIsOpen] = useState(false);
  return (
    <>
      <Alert
        severity="info"
        action={
          <Button color="inherit" size="small" onClick={() => setIsOpen(true)} sx={{ whiteSpace: 'nowrap' }}>
            {text.runs.changeAtOnce}
          </Button>
        }
      >
        {text.runs.queued(position, queue?.atOnce ?? 1)}
      </Alert>
      {isOpen && <QueueLimitDialog onClose={() => setIsOpen(false)} />}
    </>
  );
}
