import Alert from '@mui/material/Alert';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { Failures, NamesOf, useEach, whatOf, WhoField, type LifeDialogProps } from './life-parts.tsx';
import { useWho } from './use-who.ts';

const { approval: words, withdrawal, note: noteLabel, noteHelp } = text.life;

/** A person lets VMs be cut over with the settings as they are. */
export function ApproveDialog(props: LifeDialogProps) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const { who, setWho, by } = useWho();
  const [note, setNote] = useState('');
  const unrehearsed = lives.filter(({ rehearsal }) => rehearsal?.outcome !== 'passed').length;
  const what = whatOf(lives);
  const { action, failures } = useEach(
    props,
    ({ replicaId }) =>
      link.call('replica.approve', { replica: replicaId, ...by, ...(note.trim() === '' ? {} : { note: note.trim() }) }),
    () => toast(words.done(what)),
  );
  return (
    <ConfirmDialog title={words.title(what)} confirm={words.confirm} action={action} onClose={onClose}>
      <NamesOf lives={lives} />
      <Typography>{words.lead}</Typography>
      {unrehearsed > 0 && (
        <Alert severity="warning">{lives.length === 1 ? words.notRehearsedOne : words.notRehearsed(unrehearsed)}</Alert>
      )}
      <WhoField who={who} onChange={setWho} />
      <TextField
        size="small"
        label={noteLabel}
        value={note}
        helperText={noteHelp}
        onChange={(event) => setNote(event.target.value)}
        slotProps={{ htmlInput: { maxLength: 1000 } }}
      />
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}

export function WithdrawDialog(props: LifeDialogProps) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const { who, setWho, by } = useWho();
  const what = whatOf(lives);
  const { action, failures } = useEach(
    props,
    ({ replicaId }) => link.call('replica.withdrawApproval', { replica: replicaId, ...by }),
    () => toast(withdrawal.done(what)),
  );
  return (
    <ConfirmDialog title={withdrawal.title(what)} confirm={withdrawal.confirm} action={action} onClose={onClose}>
      <NamesOf lives={lives} />
      <Typography>{withdrawal.lead}</Typography>
      <WhoField who={who} onChange={setWho} />
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}
