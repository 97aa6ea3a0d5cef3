import Alert from '@mui/material/Alert';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import { useState } from 'react';
import { useToast } from '../../app/toasts.tsx';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { timeText } from '../../components/quantities.ts';
import { text } from '../../text/text.ts';
import { Consequences, Failures, NamesOf, useEach, whatOf, WhoField, type LifeDialogProps } from './life-parts.tsx';
import { useWho } from './use-who.ts';

const words = text.life.rollBack;

/** Takes cut-overs back: the source runs again. */
export function RollBackDialog(props: LifeDialogProps) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const { who, setWho, by } = useWho();
  const [byHand, setByHand] = useState(false);
  const what = whatOf(lives);
  const { action, failures } = useEach(
    props,
    ({ replicaId }) => link.call('replica.rollBack', { replica: replicaId, sourceStartedByHand: byHand, ...by }),
    () => toast(words.done(what)),
  );
  const [first] = lives;
  const since = lives.length === 1 && first?.state === 'running-at-destination' ? first.since : undefined;
  const wasStopped = lives.some(({ cutOver }) => cutOver?.sourceStopped === true);
  return (
    <ConfirmDialog title={words.title(what)} confirm={words.confirm} isDestructive action={action} onClose={onClose}>
      <NamesOf lives={lives} />
      <Consequences steps={wasStopped ? words.steps : words.stepsNotStopped} stays={words.stays} />
      {since !== undefined && <Alert severity="warning">{words.lost(timeText(since))}</Alert>}
      {wasStopped && (
        <div>
          <FormControlLabel
            control={<Checkbox size="small" checked={byHand} onChange={(event) => setByHand(event.target.checked)} />}
            label={words.byHand}
          />
          <FormHelperText sx={{ mt: -0.5, ml: 3.75 }}>{words.byHandHelp}</FormHelperText>
        </div>
      )}
      <WhoField who={who} onChange={setWho} />
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}
