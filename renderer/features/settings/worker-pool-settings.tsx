import Box from '@mui/material/Box';
import Button from '@mui/material/Button';
import Link from '@mui/material/Link';
import Paper from '@mui/material/Paper';
import Table from '@mui/material/Table';
import TableBody from '@mui/material/TableBody';
import TableCell from '@mui/material/TableCell';
import TableHead from '@mui/material/TableHead';
import TableRow from '@mui/material/TableRow';
import TextField from '@mui/material/TextField';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import { workerPoolSettingsSchema, type WorkerPoolView } from '../../../shared/model/worker-pool.ts';
import { hrefOf, manualHref } from '../../app/route.ts';
import { useToast } from '../../app/toasts.tsx';
import { useAction } from '../../app/use-action.ts';
import { useLink, useQuery } from '../../app/workbench-context.tsx';
import { ErrorNotice } from '../../components/error-notice.tsx';
import { useRunQuery } from '../../components/executions/use-run-query.ts';
import { timeOfDayText } from '../../components/quantities.ts';
import { QueryView } from '../../components/query-view.tsx';
import { text } from '../../text/text.ts';

const words = text.settings.workers;

/** Whether executions of the open project share workers, and which of them are there. */
export function WorkerPoolSettings() {
  const pool = useRunQuery('workers.pool', {}, 'states');
  const fleet = useQuery('fleet.view', { queueLimit: 0 }, ['fleet.changed']);
  const isInFleet = fleet.data?.state === 'member';
  return (
    <Paper
      variant="outlined"
      component="section"
      aria-label={words.title}
      sx={{ p: 3, maxWidth: 560, display: 'flex', flexDirection: 'column', gap: 2 }}
    >
      <Typography variant="h6" component="h2">
        {words.title}
      </Typography>
      <Typography sx={{ color: 'text.secondary' }}>
        {words.lead} <Link href={manualHref('worker-pools')}>{text.manual.learnMore}</Link>
      </Typography>
      {isInFleet ? (
        <Typography>{words.inFleet}</Typography>
      ) : (
        <QueryView query={pool}>
          {(shown) => (
            <>
              <PoolForm key={`${shown.keep} ${shown.minutes}`} pool={shown} onChanged={pool.reload} />
              <PooledWorkers pool={shown} onChanged={pool.reload} />
            </>
          )}
        </QueryView>
      )}
    </Paper>
  );
}

interface Props {
  readonly pool: WorkerPoolView;
  readonly onChanged: () => void;
}

function PoolForm({ pool, onChanged }: Props) {
  const link = useLink();
  const toast = useToast();
  const [keep, setKeep] = useState(String(pool.keep));
  const [minutes, setMinutes] = useState(String(pool.minutes));
  const written = { keep: numberOf(keep), minutes: numberOf(minutes) };
  const isRight = {
    keep: workerPoolSettingsSchema.shape.keep.safeParse(written.keep).success,
    minutes: workerPoolSettingsSchema.shape.minutes.safeParse(written.minutes).success,
  };
  const save = useAction(async () => {
    await link.call('workers.setPool', written);
    onChanged();
    toast(words.saved);
  });
  const isChanged = written.keep !== pool.keep || written.minutes !== pool.minutes;
  return (
    <Box
      component="form"
      sx={{ display: 'flex', flexDirection: 'column', gap: 2 }}
      onSubmit={(event) => (event.preventDefault(), void save.run())}
    >
      {save.error !== undefined && <ErrorNotice error={save.error} onClose={save.clear} />}
      <TextField
        size="small"
        label={words.keep}
        helperText={words.keepHelp}
        value={keep}
        error={!isRight.keep}
        slotProps={{ htmlInput: { inputMode: 'numeric' } }}
        onChange={(event) => setKeep(event.target.value)}
      />
      {written.keep !== 0 && (
        <TextField
          size="small"
          label={words.minutes}
          helperText={words.minutesHelp}
          value={minutes}
          error={!isRight.minutes}
          slotProps={{ htmlInput: { inputMode: 'numeric' } }}
          onChange={(event) => setMinutes(event.target.value)}
        />
      )}
      <div>
        <Button
          type="submit"
          variant="outlined"
          disabled={!isChanged || !isRight.keep || !isRight.minutes || save.isBusy}
        >
          {words.save}
        </Button>
      </div>
    </Box>
  );
}

/** Empty text is no number, and neither is what only begins with one. */
function numberOf(written: string): number {
  return /^\d+$/.test(written.trim()) ? Number(written.trim()) : Number.NaN;
}

function PooledWorkers({ pool: { keep, workers }, onChanged }: Props) {
  const link = useLink();
  const toast = useToast();
  const endpoints = useQuery('endpoint.list', {}).data ?? [];
  const executions = useRunQuery('execution.list', { limit: 1000 }, 'states').data ?? [];
  const replicas = useRunQuery('replica.list', {}, 'states').data ?? [];
  const nameOf = (replicaId: string): string => replicas.find(({ id }) => id === replicaId)?.name ?? '?';
  const drain = useAction(async () => {
    await link.call('workers.drain', {});
    onChanged();
    toast(words.drained);
  });
  if (workers.length === 0)
    return keep === 0 ? null : <Typography sx={{ color: 'text.secondary' }}>{words.none}</Typography>;
  return (
    <>
      {drain.error !== undefined && <ErrorNotice error={drain.error} onClose={drain.clear} />}
      <Table size="small" aria-label={words.list}>
        <TableHead>
          <TableRow>
            {[words.destination, words.state, words.executions].map((title) => (
              <TableCell key={title}>{title}</TableCell>
            ))}
          </TableRow>
        </TableHead>
        <TableBody>
          {workers.map(({ id, endpointId, executionId, uses, idleSince, startedAt }) => {
            const execution = executions.find((one) => one.id === executionId);
            return (
              <TableRow key={id}>
                <TableCell>{endpoints.find((endpoint) => endpoint.id === endpointId)?.name ?? endpointId}</TableCell>
                <TableCell>
                  {executionId === undefined ? (
                    words.unused(timeOfDayText(idleSince ?? startedAt))
                  ) : (
                    <Link href={hrefOf('runs', executionId)}>
                      {execution === undefined
                        ? words.busy
                        : text.runs.title(execution.number, nameOf(execution.replicaId))}
                    </Link>
                  )}
                </TableCell>
                <TableCell>{uses}</TableCell>
              </TableRow>
            );
          })}
        </TableBody>
      </Table>
      <div>
        <Button
          variant="outlined"
          disabled={drain.isBusy || workers.every(({ executionId }) => executionId !== undefined)}
          onClick={() => void drain.run()}
        >
          {words.drain}
        </Button>
      </div>
    </>
  );
}
