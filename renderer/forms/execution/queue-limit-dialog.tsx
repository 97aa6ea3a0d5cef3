import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { AtOnceField, isAtOnce } from './at-once-field.tsx';

/** How many runs of this project go on at the same time. */
export function QueueLimitDialog({ onClose }: { readonly onClose: () => void }) {
  const link = useLink();
  const toast = useToast();
  const queue = useRunQuery('queue.show', {}, 'states').data;
  const [written, setWritten] = useState<string>();
  const value = written ?? (queue === undefined ? '' : String(queue.atOnce));
  const save = useAction(async () => {
    await link.call('queue.setLimit', { atOnce: Number(value) });
    toast(text.runs.atOnceChanged(Number(value)));
    onClose();
  });
  return (
    <ConfirmDialog title={text.runs.atOnceTitle} confirm={text.endpoints.save} isReady={isAtOnce(value)} action={save} onClose={onClose}>
      <Typography variant="body2" sx={{ mb: 1 }}>
        {text.runs.atOnceLead}
      </Typography>
      <AtOnceField value={value} onChange={setWritten} />
      {queue !== undefined && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text.runs.queueNow(queue.executions.running + queue.deployments.running, queue.executions.waiting + queue.deployments.waiting)}
        </Typography>
      )}
    </ConfirmDialog>
  );
}
