import Alert from '@mui/material/Alert';
import Button from '@mui/material/Button';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Execution } from '../../../shared/model/execution.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { bandwidthText, readBandwidth } from '../../forms/execution/bandwidth.ts';
import { BandwidthField } from '../../forms/execution/bandwidth-field.tsx';
import { CancelRunDialog } from '../../components/executions/cancel-run-dialog.tsx';

/** What can be done with a run that is not over. */
export function RunActions({ execution }: { readonly execution: Execution }) {
  const [open, setOpen] = useState<'cancel' | 'limit'>();
  const close = () => setOpen(undefined);
  const isRunning = execution.state === 'running' || execution.state === 'pending';
  return (
    <>
      {execution.state === 'interrupted' && <ResumeButton execution={execution} />}
      {isRunning && <Button onClick={() => setOpen('limit')}>{text.runs.changeLimit}</Button>}
      {(isRunning || execution.state === 'cancelling' || execution.state === 'interrupted') && (
        <Button color="error" variant="outlined" onClick={() => setOpen('cancel')}>
          {text.runs.cancel}
        </Button>
      )}
      {open === 'cancel' && <CancelExecution execution={execution} onClose={close} />}
      {open === 'limit' && <LimitDialog execution={execution} onClose={close} />}
    </>
  );
}

function ResumeButton({ execution }: { readonly execution: Execution }) {
  const link = useLink();
  const resume = useAction(() => link.call('execution.resume', { execution: execution.id }));
  return (
    <>
      <Button variant="contained" disabled={resume.isBusy} onClick={() => void resume.run()}>
        {text.runs.resume}
      </Button>
      {resume.error !== undefined && <ErrorNotice error={resume.error} onClose={resume.clear} />}
    </>
  );
}

interface DialogProps {
  readonly execution: Execution;
  readonly onClose: () => void;
}

function CancelExecution({ execution, onClose }: DialogProps) {
  const link = useLink();
  return (
    <CancelRunDialog
      runId={execution.id}
      title={text.runs.cancelTitle}
      kept={text.runs.cancelKept}
      deleted={text.runs.cancelDeleted}
      confirm={text.runs.cancelButton}
      isCancelling={execution.state === 'cancelling'}
      cancel={(force) => link.call('execution.cancel', { execution: execution.id, force })}
      onClose={onClose}
    />
  );
}

function LimitDialog({ execution, onClose }: DialogProps) {
  const link = useLink();
  const toast = useToast();
  const [written, setWritten] = useState(() => bandwidthText(execution.options));
  const read = readBandwidth(written);
  const change = useAction(async () => {
    if ('error' in read) return;
    await link.call('execution.limit', { execution: execution.id, ...read.options });
    toast(text.runs.limitChanged);
    onClose();
  });
  return (
    <ConfirmDialog
      title={text.runs.changeLimitTitle}
      confirm={text.endpoints.save}
      isReady={!('error' in read)}
      action={change}
      onClose={onClose}
    >
      <Typography variant="body2" sx={{ mb: 1 }}>
        {text.runs.changeLimitLead}
      </Typography>
      <BandwidthField value={written} onChange={setWritten} autoFocus />
      {'profile' in read && (
        <Alert severity="info">{text.runs.localTime(Intl.DateTimeFormat().resolvedOptions().timeZone)}</Alert>
      )}
    </ConfirmDialog>
  );
}
