import Box from '@mui/material/Box';
import Typography from '@mui/material/Typography';
import { useState } from 'react';
import type { ExecutionState } from '../../shared/model/execution.ts';
import { rateText } from '../components/quantities.ts';
import { useNow } from '../components/use-now.ts';
import { text } from '../text/text.ts';
import { shade } from './theme.ts';
import { useWorkbenchEvent } from './workbench-context.tsx';

interface Told {
  readonly at: number;
  readonly perSecond: number;
}

const active: ReadonlySet<string> = new Set(['pending', 'running', 'cancelling'] satisfies readonly ExecutionState[]);

/** An execution that says nothing for so long sends nothing. */
const staleMs = 5000;

/** At the foot of the rail: what all executions send together, while there are any. */
export function RateFoot() {
  const [told, setTold] = useState<ReadonlyMap<string, Told>>(new Map());
  useWorkbenchEvent('execution.progress', ({ executionId, total }) => {
    const at = Date.now();
    setTold((before) => {
      const others = [...before].filter(([id, one]) => id !== executionId && at - one.at < staleMs);
      return new Map(
        total.phase === 'done'
          ? others
          : [...others, [executionId, { at, perSecond: total.sentPerSecond ?? total.rateBytesPerSecond }]],
      );
    });
  });
  // What has ended sends nothing more.
  useWorkbenchEvent('execution.event', ({ type, executionId, details }) => {
    if (type === 'execution.state' && executionId !== undefined && !active.has(String(details['state'])))
      setTold((before) => new Map([...before].filter(([id]) => id !== executionId)));
  });
  const now = useNow(1000);
  const current = [...told.values()].filter(({ at }) => now - at < staleMs);
  if (current.length === 0) return null;
  return (
    <Box sx={{ px: 2, pb: 1.5, fontSize: 11, lineHeight: '16px', color: shade('text3') }}>
      {text.topBar.rate}
      <Typography sx={{ color: 'text.secondary' }}>
        <Box component="b" sx={{ color: 'text.primary', fontWeight: 600, fontVariantNumeric: 'tabular-nums' }}>
          {rateText(current.reduce((sum, { perSecond }) => sum + perSecond, 0))}
        </Box>
        {' · '}
        {text.topBar.rateOf(current.length)}
      </Typography>
    </Box>
  );
}
