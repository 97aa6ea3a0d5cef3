import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { useAssign } from './use-assign.ts';

interface Props {
  /** Ids of replicas. */
  readonly replicas: readonly string[];
  readonly onAssigned: () => void;
  readonly onClose: () => void;
}

const words = text.waves;
/** Names may be anything; these can't be names, which are trimmed. */
const [newWave, noWave] = [' new', ' none'];

/** Moves replicas to a wave that there is, or that is made for them; the message offers to undo it. */
export function AssignWaveDialog({ replicas, onAssigned, onClose }: Props) {
  const link = useLink();
  const toast = useToast();
  const waves = useQuery('wave.list', {}).data;
  const assign = useAssign();
  const [chosen, setChosen] = useState<string>();
  const [typed, setTyped] = useState('');
  const target = chosen ?? waves?.[0]?.name ?? newWave;
  const name = typed.trim();
  const isTaken = waves?.some((wave) => wave.name === name) === true;
  const action = useAction(async () => {
    if (target === newWave) {
      await link.call('wave.create', { wave: name, replicas: [...replicas] });
      toast(words.assigned(replicas.length, name));
    } else await assign(replicas, target === noWave ? null : target);
    onAssigned();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.assignTitle(replicas.length)}
      confirm={words.assignButton(replicas.length)}
      isReady={target !== newWave || (name !== '' && !isTaken)}
      action={action}
      onClose={onClose}
    >
      <TextField
        select
        size="small"
        autoFocus
        label={words.assignField}
        value={waves === undefined ? '' : target}
        onChange={(event) => setChosen(event.target.value)}
        sx={{ mt: 1 }}
      >
        {waves?.map((wave) => (
          <MenuItem key={wave.name} value={wave.name}>
            {wave.name}
          </MenuItem>
        ))}
        <MenuItem value={newWave}>{words.assignNew}</MenuItem>
        <MenuItem value={noWave}>{words.assignNone}</MenuItem>
      </TextField>
      {waves !== undefined && target === newWave && (
        <TextField
          size="small"
          required
          label={words.name}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          error={isTaken}
          helperText={isTaken ? words.nameTaken : undefined}
          slotProps={{ htmlInput: { maxLength: 100 } }}
          onKeyDown={(event) => event.key === 'Enter' && name !== '' && !isTaken && !action.isBusy && void action.run()}
        />
      )}
    </ConfirmDialog>
  );
}
