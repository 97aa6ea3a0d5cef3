import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { DeploymentDetail } from '../../../shared/model/deployment.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';
import { ResourceList } from '../../components/resource-list.tsx';

const words = text.deployments;

interface Props {
  readonly deployment: DeploymentDetail;
  readonly onClose: () => void;
  readonly onDeleted: () => void;
}

/** A dry run says what would be deleted; then the name is asked for, because a running virtual machine goes. */
export function DeleteDeployment({ deployment, onClose, onDeleted }: Props) {
  const link = useLink();
  const toast = useToast();
  const [typed, setTyped] = useState('');
  const plan = useQuery('deployment.delete', { deployment: deployment.id, dryRun: true });
  const name = deployment.server?.name ?? deployment.replicaName;
  const remove = useAction(async () => {
    await link.call('deployment.delete', { deployment: deployment.id, dryRun: false });
    toast(words.deleted);
    onDeleted();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.deleteTitle(name)}
      confirm={words.deleteButton}
      isDestructive
      isReady={plan.data !== undefined && typed === name}
      action={remove}
      onClose={onClose}
    >
      <QueryView query={plan}>
        {(items) =>
          items.length === 0 ? (
            <Typography>{words.deleteLead(0)}</Typography>
          ) : (
            <ResourceList title={`${words.deleteLead(items.length)}:`} items={items} />
          )
        }
      </QueryView>
      <Typography>
        {deployment.options.inPlace === true && deployment.state === 'completed'
          ? words.deleteKeptInPlace
          : words.deleteKept}
      </Typography>
      <Typography sx={{ fontWeight: 600 }}>{words.deleteFinal}</Typography>
      <TextField
        size="small"
        label={words.deleteConfirm(name)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ConfirmDialog>
  );
}
