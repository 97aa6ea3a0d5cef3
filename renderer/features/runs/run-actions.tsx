import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Execution } from '../../../shared/model/execution.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { parseBytes } from '../../components/quantities.ts';
import { text } from '../../text/en.ts';
import { isLimit, LimitField } from './limit-field.tsx';

/** What can be done with a run that is not over. */
export function RunActions({ execution }: { readonly execution: Execution }) {
  const [open, setOpen] = useState<'cancel' | 'limit'>();
  const close = () => setOpen(undefined);
  const isRunning = execution.state === 'running' || execution.state === 'pending';
  return (
    <>
      {execution.state === 'interrupted' && <ResumeButton execution={execution} />}
      {isRunning && <Button onClick={() => setOpen('limit')}>{text.runs.changeLimit}</Button>}
      {(isRunning || execution.state === 'cancelling') && (
        <Button color="error" variant="outlined" onClick={() => setOpen('cancel')}>
          {text.runs.cancel}
        </Button>
      )}
      {open === 'cancel' && <CancelDialog execution={execution} onClose={close} />}
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

function CancelDialog({ execution, onClose }: DialogProps) {
  const link = useLink();
  const toast = useToast();
  const [force, setForce] = useState(false);
  const cancel = useAction(async () => {
    await link.call('execution.cancel', { execution: execution.id, force });
    toast(text.runs.cancelled);
    onClose();
  });
  return (
    <ConfirmDialog title={text.runs.cancelTitle} confirm={text.runs.cancelButton} dismiss={text.runs.keepRunning} isDestructive action={cancel} onClose={onClose}>
      <Typography>{text.runs.cancelKept}</Typography>
      <Typography>{text.runs.cancelDeleted}</Typography>
      <div>
        <FormControlLabel control={<Checkbox checked={force} onChange={(event) => setForce(event.target.checked)} />} label={text.runs.cancelForce} />
        <FormHelperText>{text.runs.cancelForceHelp}</FormHelperText>
      </div>
    </ConfirmDialog>
  );
}

function LimitDialog({ execution, onClose }: DialogProps) {
  const link = useLink();
  const toast = useToast();
  const [limit, setLimit] = useState('');
  const change = useAction(async () => {
    const bandwidthLimit = parseBytes(limit);
    await link.call('execution.limit', { execution: execution.id, ...(bandwidthLimit === undefined ? {} : { bandwidthLimit }) });
    toast(text.runs.limitChanged);
    onClose();
  });
  return (
    <ConfirmDialog title={text.runs.changeLimitTitle} confirm={text.endpoints.save} isReady={isLimit(limit)} action={change} onClose={onClose}>
      <LimitField value={limit} onChange={setLimit} />
    </ConfirmDialog>
  );
}
