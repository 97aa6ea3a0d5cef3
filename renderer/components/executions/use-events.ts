import { useState } from 'react';
import type { Event } from '../../../shared/model/event.ts';
import { useQuery, useWorkbenchEvent, type Query } from '../../app/workbench-context.tsx';

const most = 10_000;

/** All events of an execution: those that were stored, and those that have come since. */
export function useExecutionEvents(executionId: string): Query<Event[]> {
  return useFollowed(
    useQuery('execution.events', { execution: executionId, limit: most }),
    (event) => event.executionId === executionId,
  );
}

/** The same for a deployment. */
export function useDeploymentEvents(deploymentId: string): Query<Event[]> {
  return useFollowed(
    useQuery('deployment.events', { deployment: deploymentId, limit: most }),
    (event) => event.deploymentId === deploymentId,
  );
}

function useFollowed(query: Query<Event[]>, belongs: (event: Event) => boolean): Query<Event[]> {
  const [told, setTold] = useState<readonly Event[]>([]);
  useWorkbenchEvent('execution.event', (event) => {
    if (belongs(event)) setTold((before) => [...before, event]);
  });
  if (query.data === undefined) return query;
  const last = query.data.at(-1)?.id ?? 0;
  return { ...query, data: [...query.data, ...told.filter(({ id }) => id > last)] };
}
