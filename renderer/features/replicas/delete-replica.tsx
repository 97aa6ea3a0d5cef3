import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { sideOf } from '../../../shared/model/ledger.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo } from '../../app/route.ts';
import { asCausewayError } from '../../app/query-store.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { ResourceList } from '../../components/resource-list.tsx';

/** Says what is deleted and what stays, and asks for the name. */
export function DeleteReplica({ replica, onClose }: { readonly replica: Replica; readonly onClose: () => void }) {
  const link = useLink();
  const toast = useToast();
  const [typed, setTyped] = useState('');
  const [sourceIsGone, setSourceIsGone] = useState(false);
  /** Offered once the source was asked in vain, and from then on. */
  const [mayBeGone, setMayBeGone] = useState(false);
  const ledger = useRunQuery('ledger.list', {}, 'states');
  const doomed =
    ledger.data?.filter(
      (item) =>
        item.replicaId === replica.id && item.lifetime !== 'deployment' && !(sourceIsGone && sideOf(item) === 'source'),
    ) ?? [];
  const deployed =
    useQuery('deployment.list', { replica: replica.id, limit: 100 }).data?.filter(
      ({ state, server }) => state === 'completed' && server !== undefined,
    ) ?? [];
  const remove = useAction(async () => {
    const { forgotten } = await link
      .call('replica.delete', { replica: replica.id, sourceIsGone })
      .catch((error: unknown) => {
        if (asCausewayError(error).code === 'engine.source-not-cleaned') setMayBeGone(true);
        // What is at the destination may be deleted already.
        ledger.reload();
        throw error;
      });
    toast(text.replicas.deleted(replica.name, forgotten));
    onClose();
    goTo('replicas');
  });
  return (
    <ConfirmDialog
      title={text.replicas.deleteTitle(replica.name)}
      confirm={text.replicas.deleteButton}
      isDestructive
      isReady={ledger.data !== undefined && typed === replica.name}
      action={remove}
      onClose={onClose}
    >
      {doomed.length === 0 ? (
        <Typography>{sourceIsGone ? text.replicas.deleteNothingThere : text.replicas.deleteNothing}</Typography>
      ) : (
        <ResourceList title={text.replicas.deleteResources(doomed.length)} items={doomed} />
      )}
      {!sourceIsGone && <Typography>{text.replicas.deleteBase}</Typography>}
      <Typography>{text.replicas.deleteKept}</Typography>
      {deployed.length > 0 && (
        <Typography>
          {text.replicas.deleteKeptMachines(deployed.map(({ server }) => server?.name ?? '').join(', '))}
        </Typography>
      )}
      <Typography sx={{ fontWeight: 600 }}>{text.replicas.deleteFinal}</Typography>
      {mayBeGone && (
        <FormControlLabel
          control={
            <Checkbox size="small" checked={sourceIsGone} onChange={(_event, checked) => setSourceIsGone(checked)} />
          }
          label={text.replicas.deleteSourceGone}
        />
      )}
      <TextField
        size="small"
        label={text.replicas.deleteConfirm(replica.name)}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
    </ConfirmDialog>
  );
}
