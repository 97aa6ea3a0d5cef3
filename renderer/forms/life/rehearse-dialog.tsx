import TextField from '@mui/material/TextField';
import { useState } from 'react';
import { defaultRehearsalMinutes } from '../../../shared/model/machine-life.ts';
import { useToast } from '../../app/toasts.tsx';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';
import { DeployingFields, deployingOptions, usualDeploying } from './deploying-fields.tsx';
import { Consequences, Failures, NamesOf, useEach, whatOf, type LifeDialogProps } from './life-parts.tsx';
import { NetworkField } from './network-field.tsx';

const words = text.life.rehearsal;

/** A copy of VMs in a network where nobody meets them, for some hours. */
export function RehearseDialog(props: LifeDialogProps) {
  const { lives, onClose } = props;
  const link = useLink();
  const toast = useToast();
  const replica = useQuery('replica.show', { replica: lives[0]?.replicaId ?? '' }).data;
  const [network, setNetwork] = useState('');
  const [hours, setHours] = useState(String(defaultRehearsalMinutes / 60));
  const [deploying, setDeploying] = useState(usualDeploying);
  const keepMinutes = Math.round(Number(hours) * 60);
  const isSound = network.trim() !== '' && keepMinutes >= 1 && keepMinutes <= 60 * 24 * 30;
  const what = whatOf(lives);
  const { action, failures } = useEach(
    props,
    ({ replicaId }) =>
      link.call('deployment.create', {
        replica: replicaId,
        options: {
          ...deployingOptions(deploying),
          purpose: 'rehearsal',
          rehearsal: { network: network.trim(), keepMinutes },
        },
      }),
    () => toast(words.started(what)),
  );
  return (
    <ConfirmDialog
      title={words.title(what)}
      confirm={words.confirm}
      isReady={isSound}
      action={action}
      onClose={onClose}
    >
      <NamesOf lives={lives} />
      <Consequences steps={words.steps} stays={words.stays} />
      {replica !== undefined && (
        <NetworkField
          autoFocus
          label={words.network}
          help={words.networkHelp}
          destinationId={replica.destinationEndpointId}
          value={network}
          onChange={setNetwork}
        />
      )}
      <TextField
        type="number"
        size="small"
        label={words.keep}
        value={hours}
        onChange={(event) => setHours(event.target.value)}
        slotProps={{ htmlInput: { min: 0.5, max: 720, step: 0.5 } }}
        sx={{ width: 180 }}
      />
      <DeployingFields value={deploying} onChange={setDeploying} />
      <Failures failures={failures} />
    </ConfirmDialog>
  );
}
