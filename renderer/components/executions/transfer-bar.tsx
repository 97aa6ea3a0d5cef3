import WarningIcon from '@mui/icons-material/WarningAmberOutlined';
import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { TransferProgress } from '../../../shared/model/progress.ts';
import { bytesText, durationText, rateText } from '../quantities.ts';
import { text } from '../../text/text.ts';

/** Seconds without a byte after which it is said. */
const stalledAfter = 10;

export function percentOf({ bytesDone, bytesTotal, phase }: TransferProgress): number {
  if (phase === 'done') return 100;
  return bytesTotal === 0 ? 0 : Math.min(100, Math.floor((100 * bytesDone) / bytesTotal));
}

/** What happens to the bytes; of an execution that does not run, that it stopped there. */
export function phaseWords({ phase }: Pick<TransferProgress, 'phase'>, isRunning: boolean): string {
  return isRunning || phase === 'done' || phase === 'waiting' ? text.runs.phases[phase] : text.runs.stopped;
}

interface Props {
  readonly name: string;
  readonly transfer: TransferProgress;
  /** Whether its execution runs: what does not run has no rate and no time left. */
  readonly isRunning: boolean;
}

/** One bar with its numbers in words. */
export function TransferBar({ name, transfer, isRunning }: Props) {
  const percent = percentOf(transfer);
  const words = transferWords(transfer, isRunning);
  const phase = phaseWords(transfer, isRunning);
  const isStalled =
    isRunning &&
    transfer.stalledForSeconds >= stalledAfter &&
    transfer.phase !== 'done' &&
    transfer.phase !== 'waiting';
  return (
    <Box>
      <Box sx={{ display: 'flex', gap: 1, mb: 0.5, flexWrap: 'wrap' }}>
        <Typography variant="body2" sx={{ fontWeight: 600, flexGrow: 1, overflowWrap: 'anywhere' }}>
          {name}
        </Typography>
        <Typography variant="body2">
          {phase} · {percent} %
        </Typography>
      </Box>
      <LinearProgress
        variant="determinate"
        value={percent}
        color={isStalled ? 'warning' : transfer.phase === 'done' ? 'success' : 'info'}
        aria-label={text.runs.barOf(name)}
        aria-valuetext={`${phase}, ${percent} %, ${words}`}
        sx={{ height: 8, borderRadius: 4 }}
      />
      <Typography variant="caption" component="div" sx={{ color: 'text.secondary', mt: 0.5 }}>
        {words}
      </Typography>
      {isStalled && (
        <Typography
          variant="caption"
          component="div"
          sx={{ display: 'flex', gap: 0.5, alignItems: 'center', fontWeight: 600 }}
        >
          <WarningIcon fontSize="inherit" color="warning" />
          {text.runs.stalled(durationText(transfer.stalledForSeconds))}
        </Typography>
      )}
    </Box>
  );
}

function transferWords(
  { bytesDone, bytesTotal, bytesSent, rateBytesPerSecond, secondsLeft, phase }: TransferProgress,
  isRunning: boolean,
): string {
  const parts = [text.runs.bytes(bytesText(bytesDone), bytesText(bytesTotal)), text.runs.sent(bytesText(bytesSent))];
  if (!isRunning || phase === 'done') return parts.join(' · ');
  if (rateBytesPerSecond > 0) parts.push(rateText(rateBytesPerSecond));
  if (secondsLeft !== undefined) parts.push(text.runs.left(durationText(secondsLeft)));
  return parts.join(' · ');
}
