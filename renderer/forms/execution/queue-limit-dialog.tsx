import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { AtOnceField, isAtOnce } from './at-once-field.tsx';
import { BandwidthField } from './bandwidth-field.tsx';
import { bandwidthText, readBandwidth } from './bandwidth.ts';

/** How many executions of this project run in parallel, and how fast all of them together may be. */
export function QueueLimitDialog({ onClose }: { readonly onClose: () => void }) {
  const link = useLink();
  const toast = useToast();
  const queue = useRunQuery('queue.show', {}, 'states').data;
  const [written, setWritten] = useState<string>();
  const value = written ?? (queue === undefined ? '' : String(queue.atOnce));
  const [writtenRate, setWrittenRate] = useState<string>();
  const rate = writtenRate ?? bandwidthText(queue ?? {});
  const read = readBandwidth(rate);
  const save = useAction(async () => {
    await link.call('queue.setLimit', { atOnce: Number(value) });
    if ('options' in read) await link.call('queue.setBandwidth', read.options);
    toast(text.runs.atOnceChanged(Number(value)));
    onClose();
  });
  return (
    <ConfirmDialog
      title={text.runs.atOnceTitle}
      confirm={text.endpoints.save}
      isReady={isAtOnce(value) && 'options' in read}
      action={save}
      onClose={onClose}
    >
      <Typography variant="body2" sx={{ mb: 1 }}>
        {text.runs.atOnceLead}
      </Typography>
      <AtOnceField value={value} onChange={setWritten} />
      {queue !== undefined && (
        <Typography variant="body2" sx={{ color: 'text.secondary' }}>
          {text.runs.queueNow(
            queue.executions.running + queue.deployments.running,
            queue.executions.waiting + queue.deployments.waiting,
          )}
        </Typography>
      )}
      <Typography variant="body2" sx={{ my: 1 }}>
        {text.runs.bandwidthOfAll}
      </Typography>
      <BandwidthField value={rate} onChange={setWrittenRate} />
    </ConfirmDialog>
  );
}
