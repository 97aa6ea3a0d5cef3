import Box from '@mui/material/Box';
import Paper from '@mui/material/Paper';
import Stack from '@mui/material/Stack';
import Typography from '@mui/material/Typography';
import { lazy, Suspense } from 'react';
import { isTerminalExecution, type Execution } from '../../../shared/model/execution.ts';
import type { TransferProgress } from '../../../shared/model/progress.ts';
import { useNow } from '../../components/use-now.ts';
import { text } from '../../text/text.ts';
import { rateNow } from '../../forms/execution/bandwidth.ts';
import { percentOf, phaseWords, TransferBar } from '../../components/executions/transfer-bar.tsx';
import { useProgress } from '../../components/executions/use-progress.ts';
import { useRates } from './use-rates.ts';

/** Loaded with the first execution that somebody opens, so that the page starts without the library for charts. */
const RateChart = lazy(async () => ({ default: (await import('./rate-chart.tsx')).RateChart }));

/** How far every disk is, and how fast it went. */
export function ProgressCard({ execution }: { readonly execution: Execution }) {
  const progress = useProgress(execution);
  const rates = useRates(execution);
  const now = useNow(15_000);
  const isRunning = execution.state === 'running' || execution.state === 'cancelling';
  const limit = !isRunning ? undefined : rateNow(execution.options, new Date(now));
  return (
    <Paper component="section" variant="outlined" aria-label={text.runs.progress} sx={{ p: 2.5 }}>
      <Typography variant="h6" component="h2" sx={{ mb: 1.5 }}>
        {text.runs.progress}
      </Typography>
      {progress === undefined ? (
        <Typography sx={{ color: 'text.secondary' }}>
          {isTerminalExecution(execution.state) ? text.runs.nothingSent : text.runs.noProgress}
        </Typography>
      ) : (
        <Stack spacing={2}>
          {progress.disks.length !== 1 && (
            <TransferBar name={text.runs.total} transfer={progress.total} isRunning={isRunning} />
          )}
          {progress.disks.map((disk) => (
            <TransferBar key={disk.diskId} name={disk.diskId} transfer={disk} isRunning={isRunning} />
          ))}
          {rates.length > 1 && (
            <Suspense>
              <RateChart
                samples={rates}
                limit={limit}
                secondsLeft={
                  progress.total.phase === 'copying' && execution.state === 'running'
                    ? progress.total.secondsLeft
                    : undefined
                }
              />
            </Suspense>
          )}
          <Announcement total={progress.total} isRunning={isRunning} />
        </Stack>
      )}
    </Paper>
  );
}

/** Read out when the phase changes and every tenth, not at every number. */
function Announcement({ total, isRunning }: { readonly total: TransferProgress; readonly isRunning: boolean }) {
  const tenth = Math.floor(percentOf(total) / 10) * 10;
  return (
    <Box
      role="status"
      aria-live="polite"
      sx={{ position: 'absolute', width: '1px', height: '1px', overflow: 'hidden', clipPath: 'inset(50%)' }}
    >
      {text.runs.announce(phaseWords(total, isRunning), tenth)}
    </Box>
  );
}
