import { useMemo, useState } from 'react';
import type { Execution } from '../../../shared/model/execution.ts';
import type { RateSample } from '../../../shared/model/progress.ts';
import { rateNow } from '../../forms/execution/bandwidth.ts';
import { useQuery, useWorkbenchEvent } from '../../app/workbench-context.tsx';

/** More than this the page does not collect by itself: the engine has them averaged. */
const mostTold = 240;

/** How fast an execution was over time: what the engine kept, and what has come since. */
export function useRates({ id: executionId, options }: Pick<Execution, 'id' | 'options'>): readonly RateSample[] {
  const query = useQuery('execution.rates', { execution: executionId });
  const [told, setTold] = useState<readonly RateSample[]>([]);
  useWorkbenchEvent('execution.progress', (progress) => {
    if (progress.executionId !== executionId) return;
    const at = Date.now();
    if (at - (told.at(-1)?.at ?? 0) < 1000) return;
    if (told.length >= mostTold) query.reload();
    const { rateBytesPerSecond, sentPerSecond } = progress.total;
    setTold(
      [
        ...told,
        { at, bytesPerSecond: rateBytesPerSecond, sentPerSecond, limit: rateNow(options, new Date(at)) ?? null },
      ].slice(-mostTold),
    );
  });
  const { data } = query;
  return useMemo(() => {
    const last = data?.at(-1)?.at ?? 0;
    return [...(data ?? []), ...told.filter(({ at }) => at > last)];
  }, [data, told]);
}
