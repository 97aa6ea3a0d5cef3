import { useMemo, useState } from 'react';
import type { RateSample } from '../../../shared/model/progress.ts';
import { useQuery, useWorkbenchEvent } from '../../app/workbench-context.tsx';

/** More than this the page does not collect by itself: the engine has them averaged. */
const mostTold = 240;

/** How fast an execution was over time: what the engine kept, and what has come since. */
export function useRates(executionId: string): readonly RateSample[] {
  const query = useQuery('execution.rates', { execution: executionId });
  const [told, setTold] = useState<readonly RateSample[]>([]);
  useWorkbenchEvent('execution.progress', (progress) => {
    if (progress.executionId !== executionId) return;
    const at = Date.now();
    if (at - (told.at(-1)?.at ?? 0) < 1000) return;
    if (told.length >= mostTold) query.reload();
    setTold([...told, { at, bytesPerSecond: progress.total.rateBytesPerSecond }].slice(-mostTold));
  });
  const { data } = query;
  return useMemo(() => {
    const last = data?.at(-1)?.at ?? 0;
    return [...(data ?? []), ...told.filter(({ at }) => at > last)];
  }, [data, told]);
}
