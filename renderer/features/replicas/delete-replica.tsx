import Box from '@mui/material/Box';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { bytesText } from '../../components/quantities.ts';
import { text } from '../../text/en.ts';

/** Says what is deleted and what stays, and asks for the name. */
export function DeleteReplica({ replica, onClose }: { readonly replica: Replica; readonly onClose: () => void }) {
  const link = useLink();
  const toast = useToast();
  const [typed, setTyped] = useState('');
  const volumes = replica.disks.filter(({ volumeId }) => volumeId !== undefined);
  const remove = useAction(async () => {
    await link.call('replica.delete', { replica: replica.id });
    toast(text.replicas.deleted(replica.name));
    onClose();
    goTo('replicas');
  });
  return (
    <ConfirmDialog
      title={text.replicas.deleteTitle(replica.name)}
      confirm={text.replicas.deleteButton}
      isDestructive
      isReady={typed === replica.name}
      action={remove}
      onClose={onClose}
    >
      <div>
        <Typography>{text.replicas.deleteVolumes(volumes.length)}</Typography>
        {volumes.length > 0 && (
          <Box component="ul" sx={{ my: 1, maxHeight: 160, overflow: 'auto' }}>
            {volumes.map(({ diskId, volumeId, sizeBytes }) => (
              <Typography component="li" variant="body2" key={diskId} sx={{ overflowWrap: 'anywhere' }}>
                {diskId}, {bytesText(sizeBytes)}: <code>{volumeId}</code>
              </Typography>
            ))}
          </Box>
        )}
      </div>
      <Typography>{text.replicas.deleteBase}</Typography>
      <Typography>{text.replicas.deleteKept}</Typography>
      <Typography sx={{ fontWeight: 600 }}>{text.replicas.deleteFinal}</Typography>
      <TextField size="small" label={text.replicas.deleteConfirm(replica.name)} value={typed} onChange={(event) => setTyped(event.target.value)} />
    </ConfirmDialog>
  );
}
