import TuneIcon from '@mui/icons-material/TuneOutlined';
import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Checkbox from '@mui/material/Checkbox';
import FormControlLabel from '@mui/material/FormControlLabel';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { formatRate } from '../../../shared/model/bandwidth-profile.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { text } from '../../text/text.ts';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { StartDeploymentDialog } from '../../forms/deployment/start-deployment-dialog.tsx';
import type { BandwidthOptions } from '../../forms/execution/bandwidth.ts';
import { QueueLimitDialog } from '../../forms/execution/queue-limit-dialog.tsx';
import { AssignWaveDialog } from '../../forms/waves/assign-wave-dialog.tsx';
import { StartRunDialog } from '../../forms/execution/start-run-dialog.tsx';
import { isIdle, type ReplicaStatus } from '../../components/replicas/replica-status.ts';

export interface ChosenReplica {
  readonly replica: Replica;
  readonly life: ReplicaStatus;
}

interface Opened {
  readonly dialog: 'run' | 'deploy' | 'limit' | 'assign';
  readonly replicas: readonly Replica[];
}

interface Props {
  readonly chosen: readonly ChosenReplica[];
  /** Those in the table that may be chosen. */
  readonly shown: readonly ChosenReplica[];
  readonly onChoose: (replicas: readonly ChosenReplica[]) => void;
}

/** What can be done with several replicas at once, and how many runs go on at the same time. */
/** Beside the count, where all executions together are limited. */
function limitWords(limits: BandwidthOptions): string {
  if (limits.bandwidthLimit === undefined)
    return limits.bandwidthProfile === undefined ? '' : ` · ${text.runs.limitByTime}`;
  return ` · ${limits.bandwidthLimit === 0 ? text.runs.pausedNow : formatRate(limits.bandwidthLimit)}`;
}

export function ChosenReplicas({ chosen, shown, onChoose }: Props) {
  // Those that were meant when the dialog was opened: what is started does not drop out of it.
  const [open, setOpen] = useState<Opened>();
  const queue = useRunQuery('queue.show', {}, 'states');
  const ready = chosen.filter(({ life }) => isIdle(life));
  const deployable = ready.filter(({ replica }) => replica.lastSuccess !== undefined);
  const close = () => {
    setOpen(undefined);
    queue.reload();
  };
  const ids = new Set(chosen.map(({ replica }) => replica.id));
  const areAll = shown.length > 0 && shown.every(({ replica }) => ids.has(replica.id));
  return (
    <Box sx={{ display: 'flex', gap: 1.5, alignItems: 'center' }}>
      <Box
        sx={{
          display: 'flex',
          columnGap: 1.5,
          alignItems: 'center',
          flexWrap: 'wrap',
          minHeight: 42,
          flexGrow: 1,
          minWidth: 0,
        }}
      >
        <FormControlLabel
          control={
            <Checkbox
              size="small"
              checked={areAll}
              indeterminate={!areAll && chosen.length > 0}
              disabled={shown.length === 0}
              onChange={(event) => onChoose(event.target.checked ? shown : [])}
            />
          }
          label={text.replicas.chooseAll}
        />
        {chosen.length > 0 && (
          <>
            <Typography role="status" sx={{ fontWeight: 600 }}>
              {text.replicas.chosen(chosen.length)}
            </Typography>
            <Button
              size="small"
              variant="contained"
              disabled={ready.length === 0}
              aria-label={text.replicas.runChosenOf(ready.length)}
              onClick={() => setOpen({ dialog: 'run', replicas: ready.map(({ replica }) => replica) })}
            >
              {text.replicas.runChosen}
            </Button>
            <Button
              size="small"
              variant="outlined"
              disabled={deployable.length === 0}
              aria-label={text.replicas.deployChosenOf(deployable.length)}
              onClick={() => setOpen({ dialog: 'deploy', replicas: deployable.map(({ replica }) => replica) })}
            >
              {text.replicas.deployChosen}
            </Button>
            <Button
              size="small"
              variant="outlined"
              disabled={ready.length === 0}
              aria-label={text.waves.assignOf(ready.length)}
              onClick={() => setOpen({ dialog: 'assign', replicas: ready.map(({ replica }) => replica) })}
            >
              {text.waves.assign}
            </Button>
            <Button size="small" color="inherit" onClick={() => onChoose([])}>
              {text.replicas.clearChosen}
            </Button>
            {deployable.length < ready.length && (
              <Typography variant="caption" sx={{ color: 'text.secondary' }}>
                {text.replicas.notDeployable(ready.length - deployable.length)}
              </Typography>
            )}
          </>
        )}
      </Box>
      {queue.data !== undefined && (
        <Button
          size="small"
          startIcon={<TuneIcon />}
          sx={{ flexShrink: 0, alignSelf: 'flex-start', mt: 0.75 }}
          onClick={() => setOpen({ dialog: 'limit', replicas: [] })}
        >
          {text.runs.atOnce}: {queue.data.atOnce}
          {limitWords(queue.data)}
        </Button>
      )}
      {open?.dialog === 'run' && (
        <StartRunDialog replicas={open.replicas} onStarted={() => onChoose([])} onClose={close} />
      )}
      {open?.dialog === 'deploy' && (
        <StartDeploymentDialog replicas={open.replicas} onStarted={() => onChoose([])} onClose={close} />
      )}
      {open?.dialog === 'assign' && (
        <AssignWaveDialog
          replicas={open.replicas.map(({ id }) => id)}
          onAssigned={() => onChoose([])}
          onClose={close}
        />
      )}
      {open?.dialog === 'limit' && <QueueLimitDialog onClose={close} />}
    </Box>
  );
}
