import Box from '@mui/material/Box';
import LinearProgress from '@mui/material/LinearProgress';
import Typography from '@mui/material/Typography';
import type { Execution } from '../../../shared/model/execution.ts';
import { rateText } from '../quantities.ts';
import { text } from '../../text/text.ts';
import { percentOf } from './transfer-bar.tsx';
import { useProgress } from './use-progress.ts';

/** A run's progress where there is room for a line. */
export function RunLine({ execution }: { readonly execution: Execution }) {
  const total = useProgress(execution)?.total;
  if (total === undefined) return null;
  const percent = percentOf(total);
  return (
    <Box sx={{ minWidth: 160, mt: 0.5 }}>
      <LinearProgress
        variant="determinate"
        value={percent}
        aria-label={text.runs.barOf(text.runs.total)}
        sx={{ borderRadius: 4 }}
      />
      <Typography variant="caption" sx={{ color: 'text.secondary' }}>
        {text.runs.phases[total.phase]} · {percent} % · {rateText(total.rateBytesPerSecond)}
      </Typography>
    </Box>
  );
}
