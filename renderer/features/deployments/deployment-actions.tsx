import Button from '@mui/material/Button';
import { useState } from 'react';
import { isTerminalDeployment, type DeploymentDetail } from '../../../shared/model/deployment.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { text } from '../../text/text.ts';
import { CancelRunDialog } from '../../components/executions/cancel-run-dialog.tsx';
import { DeleteDeployment } from './delete-deployment.tsx';
import { optionsForAgain } from './options-for-again.ts';
import { StartDeploymentDialog } from '../../forms/deployment/start-deployment-dialog.tsx';

const words = text.deployments;

interface Props {
  readonly deployment: DeploymentDetail;
  readonly replicaExists: boolean;
  readonly onChanged: () => void;
}

/** What can be done with a deployment as it stands. */
export function DeploymentActions({ deployment, replicaExists, onChanged }: Props) {
  const link = useLink();
  const [open, setOpen] = useState<'cancel' | 'delete' | 'again'>();
  const close = () => setOpen(undefined);
  const resume = useAction(() => link.call('deployment.resume', { deployment: deployment.id }));
  const { state } = deployment;
  const isOver = isTerminalDeployment(state);
  return (
    <>
      {state === 'interrupted' && (
        <Button variant="contained" disabled={resume.isBusy} onClick={() => void resume.run()}>
          {words.resume}
        </Button>
      )}
      {isOver && replicaExists && (
        <Button
          variant={state === 'failed' || state === 'cancelled' ? 'contained' : 'text'}
          onClick={() => setOpen('again')}
        >
          {words.again}
        </Button>
      )}
      {!isOver && (
        <Button color="error" variant="outlined" onClick={() => setOpen('cancel')}>
          {words.cancel}
        </Button>
      )}
      {isOver && state !== 'deleted' && (state === 'completed' || deployment.resources.length > 0) && (
        <Button color="error" onClick={() => setOpen('delete')}>
          {words.delete}
        </Button>
      )}
      {resume.error !== undefined && <ErrorNotice error={resume.error} onClose={resume.clear} />}
      {open === 'again' && (
        <StartDeploymentDialog
          replicas={[{ id: deployment.replicaId, name: deployment.replicaName }]}
          initial={optionsForAgain(deployment)}
          onClose={close}
        />
      )}
      {open === 'delete' && <DeleteDeployment deployment={deployment} onClose={close} onDeleted={onChanged} />}
      {open === 'cancel' && (
        <CancelRunDialog
          runId={deployment.id}
          title={words.cancelTitle}
          kept={words.cancelKept}
          deleted={deployment.options.inPlace === true ? words.cancelDeletedInPlace : words.cancelDeleted}
          confirm={words.cancelButton}
          isCancelling={state === 'cancelling'}
          cancel={(force) => link.call('deployment.cancel', { deployment: deployment.id, force })}
          onClose={close}
        />
      )}
    </>
  );
}
