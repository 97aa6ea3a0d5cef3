import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { ConfirmDialog } from '../confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { useRunQuery } from './use-run-query.ts';
import { ResourceList } from '../resource-list.tsx';

interface Props {
  /** Execution or deployment. */
  readonly runId: string;
  readonly title: string;
  readonly kept: string;
  readonly deleted: string;
  /** What the button says. */
  readonly confirm: string;
  readonly isCancelling: boolean;
  readonly cancel: (force: boolean) => Promise<unknown>;
  readonly onClose: () => void;
}

/** Says what a cancel keeps and what it deletes, by name, before it is asked for. */
export function CancelRunDialog({ runId, title, kept, deleted, confirm, isCancelling, cancel, onClose }: Props) {
  const toast = useToast();
  const [force, setForce] = useState(isCancelling);
  const ledger = useRunQuery('ledger.list', {}, 'steps');
  const doomed = ledger.data?.filter((item) => item.executionId === runId && item.lifetime !== 'replica') ?? [];
  const action = useAction(async () => {
    await cancel(force);
    toast(text.runs.cancelled);
    onClose();
  });
  return (
    <ConfirmDialog
      title={title}
      confirm={confirm}
      dismiss={text.runs.keepRunning}
      isDestructive
      action={action}
      onClose={onClose}
    >
      <Typography>{kept}</Typography>
      <Typography>{deleted}</Typography>
      {doomed.length > 0 && (
        <ResourceList
          title={force ? text.runs.cancelStays(doomed.length) : text.runs.cancelNow(doomed.length)}
          items={doomed}
        />
      )}
      <div>
        <FormControlLabel
          control={<Checkbox checked={force} onChange={(event) => setForce(event.target.checked)} />}
          label={text.runs.cancelForce}
        />
        <FormHelperText>{text.runs.cancelForceHelp}</FormHelperText>
      </div>
    </ConfirmDialog>
  );
}
