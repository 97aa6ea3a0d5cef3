import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import MenuItem from '@mui/material/MenuItem';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { bootCheckModes } from '../../../shared/model/deployment.ts';
import { waveActions, type WaveAction } from '../../../shared/model/wave-action.ts';
import type { WaveDetail } from '../../../shared/model/wave.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { text } from '../../text/text.ts';

const words = text.waves;

interface Props {
  readonly wave: WaveDetail;
  readonly first: WaveAction;
  readonly onStarted: () => void;
  readonly onClose: () => void;
}

/** What is started on all members, how many of them in parallel, and with which options. */
export function StartWaveDialog({ wave, first, onStarted, onClose }: Props) {
  const link = useLink();
  const [action, setAction] = useState(first);
  const [atOnce, setAtOnce] = useState(String(wave.plan?.atOnce ?? 4));
  const [prepares, setPrepares] = useState(true);
  const [bootCheck, setBootCheck] = useState<(typeof bootCheckModes)[number]>('auto');
  const [network, setNetwork] = useState(wave.plan?.rehearsalNetwork ?? '');
  const number = Number(atOnce);
  const isNumber = Number.isInteger(number) && number >= 1 && number <= 32;
  const start = useAction(async () => {
    const rehearsal = action === 'rehearse' ? { rehearsal: { network: network.trim() } } : {};
    const deployment = {
      ...(prepares ? {} : { skipMorphing: true }),
      ...(bootCheck === 'auto' ? {} : { bootCheck: { mode: bootCheck } }),
      ...rehearsal,
    };
    await link.call('wave.start', {
      wave: wave.name,
      action,
      atOnce: number,
      options: action === 'synchronise' ? {} : { deployment },
    });
    onStarted();
    onClose();
  });
  return (
    <ConfirmDialog
      title={words.startTitle(wave.name)}
      confirm={words.startButton}
      isReady={isNumber && (action !== 'rehearse' || network.trim() !== '')}
      action={start}
      onClose={onClose}
    >
      <TextField
        select
        size="small"
        label={words.action}
        value={action}
        onChange={(event) => setAction(event.target.value as WaveAction)}
        helperText={words.actionLeads[action]}
        sx={{ mt: 1 }}
      >
        {waveActions.map((one) => (
          <MenuItem key={one} value={one}>
            {words.actions[one]}
          </MenuItem>
        ))}
      </TextField>
      <TextField
        type="number"
        size="small"
        label={words.atOnce}
        value={atOnce}
        error={!isNumber}
        onChange={(event) => setAtOnce(event.target.value)}
        slotProps={{ htmlInput: { min: 1, max: 32 } }}
        sx={{ width: 180 }}
      />
      <Typography sx={{ color: 'text.secondary' }}>{words.order(wave.groups.length)}</Typography>
      {wave.memberList.some(({ errors }) => errors > 0) && (
        <Typography>{words.notReady(wave.memberList.filter(({ errors }) => errors > 0).length)}</Typography>
      )}
      {action === 'rehearse' && (
        <TextField
          size="small"
          label={words.rehearsalNetwork}
          value={network}
          onChange={(event) => setNetwork(event.target.value)}
          helperText={network.trim() === '' ? words.noRehearsalNetwork : words.rehearsalNetworkHelp}
          slotProps={{ htmlInput: { spellCheck: false } }}
        />
      )}
      {action !== 'synchronise' && (
        <>
          <FormControlLabel
            control={
              <Checkbox size="small" checked={prepares} onChange={(event) => setPrepares(event.target.checked)} />
            }
            label={text.deployments.prepare}
          />
          <TextField
            select
            size="small"
            label={text.deployments.bootMode}
            value={bootCheck}
            onChange={(event) => setBootCheck(event.target.value as typeof bootCheck)}
          >
            {bootCheckModes.map((mode) => (
              <MenuItem key={mode} value={mode}>
                {text.deployments.bootModes[mode]}
              </MenuItem>
            ))}
          </TextField>
        </>
      )}
    </ConfirmDialog>
  );
}
