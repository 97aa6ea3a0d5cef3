import { useState } from 'react';
import type { Event } from '../../../shared/model/event.ts';
import { useQuery, useWorkbenchEvent, type Query } from '../../app/workbench-context.tsx';

/** All events of an execution: those that were stored, and those that have come since. */
export function useEvents(executionId: string): Query<Event[]> {
  const query = useQuery('execution.events', { execution: executionId, limit: 10_000 });
  const [told, setTold] = useState<readonly Event[]>([]);
  useWorkbenchEvent('execution.event', (event) => {
    if (event.executionId === executionId) setTold((before) => [...before, event]);
  });
  if (query.data === undefined) return query;
  const last = query.data.at(-1)?.id ?? 0;
  return { ...query, data: [...query.data, ...told.filter(({ id }) => id > last)] };
}
