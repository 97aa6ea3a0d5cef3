import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import FormHelperText from '@mui/material/FormHelperText';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { ExecutionOptions } from '../../../shared/model/execution.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { goTo } from '../../app/route.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { text } from '../../text/text.ts';
import { ChoiceGroup } from '../deployment/choice-group.tsx';
import { readBandwidth } from './bandwidth.ts';
import { BandwidthField } from './bandwidth-field.tsx';
import { StartManyDialog } from './start-many-dialog.tsx';

type VerifyMode = keyof typeof text.runs.verifyModes;

interface Props {
  readonly replicas: readonly Replica[];
  /** All of them were started. */
  readonly onStarted?: () => void;
  readonly onClose: () => void;
}

/** How runs are to be, and their start: of one replica or of several with the same options. */
export function StartRunDialog({ replicas, onStarted, onClose }: Props) {
  const link = useLink();
  const [verify, setVerify] = useState<VerifyMode>('written');
  const [shutdownVm, setShutdownVm] = useState(false);
  const [limit, setLimit] = useState('');
  const [parallel, setParallel] = useState('');
  const isInFleet = useQuery('fleet.view', { queueLimit: 0 }).data?.state === 'member';
  const [inFleet, setInFleet] = useState(false);
  const [urgent, setUrgent] = useState(false);
  const disks = Number(parallel);
  const isParallelRight = parallel === '' || (Number.isInteger(disks) && disks >= 1 && disks <= 16);
  const bandwidth = readBandwidth(limit);
  const options: ExecutionOptions = {
    verify,
    ...(shutdownVm ? { shutdownVm } : {}),
    ...('options' in bandwidth ? bandwidth.options : {}),
    ...(parallel === '' ? {} : { parallelDisks: disks }),
    ...(inFleet && urgent ? { placement: { urgent } } : {}),
  };
  const [first] = replicas;
  return (
    <StartManyDialog
      title={
        replicas.length === 1 && first !== undefined
          ? text.runs.startTitle(first.name)
          : text.runs.startManyTitle(replicas.length)
      }
      confirm={text.runs.start}
      isReady={isParallelRight && 'options' in bandwidth}
      replicas={replicas}
      startedWords={text.runs.startedMany}
      start={async (replica) => (await link.call('replica.execute', { replica: replica.id, options, inFleet })).id}
      onStarted={(ids) => {
        if (ids.length === 1) goTo('runs', ids[0]!);
        onStarted?.();
      }}
      onClose={onClose}
    >
      <Typography>{text.runs.startLead}</Typography>
      <ChoiceGroup label={text.runs.verify} value={verify} options={text.runs.verifyModes} onChange={setVerify} />
      <div>
        <FormControlLabel
          control={<Checkbox checked={shutdownVm} onChange={(event) => setShutdownVm(event.target.checked)} />}
          label={text.runs.shutdown}
        />
        <FormHelperText>{text.runs.shutdownHelp}</FormHelperText>
      </div>
      {isInFleet && (
        <div>
          <FormControlLabel
            control={<Checkbox checked={inFleet} onChange={(event) => setInFleet(event.target.checked)} />}
            label={text.fleet.start.inFleet}
          />
          <FormHelperText>{text.fleet.start.inFleetHelp}</FormHelperText>
          {inFleet && (
            <FormControlLabel
              control={<Checkbox checked={urgent} onChange={(event) => setUrgent(event.target.checked)} />}
              label={text.fleet.start.urgent}
            />
          )}
        </div>
      )}
      <BandwidthField value={limit} onChange={setLimit} />
      <TextField
        size="small"
        label={text.runs.parallel}
        value={parallel}
        error={!isParallelRight}
        helperText={text.runs.parallelHelp}
        onChange={(event) => setParallel(event.target.value)}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
      />
    </StartManyDialog>
  );
}
