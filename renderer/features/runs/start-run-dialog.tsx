import Checkbox from '@mui/material/Checkbox';
import FormControl from '@mui/material/FormControl';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import FormLabel from '@mui/material/FormLabel';
import Radio from '@mui/material/Radio';
import RadioGroup from '@mui/material/RadioGroup';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useId, useState } from 'react';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo } from '../../app/route.ts';
import { useAction } from '../../app/use-action.ts';
import { useLink } from '../../app/workbench-context.tsx';
import { ConfirmDialog } from '../../components/confirm-dialog.tsx';
import { parseBytes } from '../../components/quantities.ts';
import { text } from '../../text/en.ts';
import { isLimit, LimitField } from './limit-field.tsx';

type VerifyMode = keyof typeof text.runs.verifyModes;

/** How a run is to be, and its start. */
export function StartRunDialog({ replica, onClose }: { readonly replica: Replica; readonly onClose: () => void }) {
  const link = useLink();
  const id = useId();
  const [verify, setVerify] = useState<VerifyMode>('written');
  const [shutdownVm, setShutdownVm] = useState(false);
  const [limit, setLimit] = useState('');
  const [parallel, setParallel] = useState('');
  const disks = Number(parallel);
  const isParallelRight = parallel === '' || (Number.isInteger(disks) && disks >= 1 && disks <= 16);
  const start = useAction(async () => {
    const bandwidthLimit = parseBytes(limit);
    const execution = await link.call('replica.execute', {
      replica: replica.id,
      options: {
        verify,
        ...(shutdownVm ? { shutdownVm } : {}),
        ...(bandwidthLimit === undefined ? {} : { bandwidthLimit }),
        ...(parallel === '' ? {} : { parallelDisks: disks }),
      },
    });
    onClose();
    goTo('runs', execution.id);
  });
  return (
    <ConfirmDialog
      title={text.runs.startTitle(replica.name)}
      confirm={text.runs.start}
      isReady={isParallelRight && isLimit(limit)}
      action={start}
      onClose={onClose}
    >
      <Typography>{text.runs.startLead}</Typography>
      <FormControl>
        <FormLabel id={id}>{text.runs.verify}</FormLabel>
        <RadioGroup aria-labelledby={id} value={verify} onChange={(event) => setVerify(event.target.value as VerifyMode)}>
          {(Object.keys(text.runs.verifyModes) as VerifyMode[]).map((mode) => (
            <FormControlLabel
              key={mode}
              value={mode}
              control={<Radio size="small" />}
              label={
                <>
                  {text.runs.verifyModes[mode].label}
                  <Typography variant="caption" component="div" sx={{ color: 'text.secondary' }}>
                    {text.runs.verifyModes[mode].help}
                  </Typography>
                </>
              }
            />
          ))}
        </RadioGroup>
      </FormControl>
      <div>
        <FormControlLabel control={<Checkbox checked={shutdownVm} onChange={(event) => setShutdownVm(event.target.checked)} />} label={text.runs.shutdown} />
        <FormHelperText>{text.runs.shutdownHelp}</FormHelperText>
      </div>
      <LimitField value={limit} onChange={setLimit} />
      <TextField
        size="small"
        label={text.runs.parallel}
        value={parallel}
        error={!isParallelRight}
        helperText={text.runs.parallelHelp}
        onChange={(event) => setParallel(event.target.value)}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      />
    </ConfirmDialog>
  );
}
