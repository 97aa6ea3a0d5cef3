import { useEffect, useRef } from 'react';
import type { Event, EventType } from '../../../shared/model/event.ts';
import { useQuery, useWorkbenchEvent, type Query } from '../../app/workbench-context.tsx';
import type { WorkbenchCallName, WorkbenchInput, WorkbenchOutput } from '../../app/workbench-link.ts';

/** What an answer depends on: on the states of runs, or also on their steps. */
export type RunChange = 'states' | 'steps';

const states: ReadonlySet<EventType> = new Set([
  'execution.created',
  'execution.state',
  'execution.left-behind',
  'deployment.created',
  'deployment.state',
  'deployment.left-behind',
  'disk.done',
  'wave.state',
  'wave.member',
]);
const steps: ReadonlySet<EventType> = new Set([...states, 'task.state', 'task.retry', 'note']);

/** Long enough that a list of a thousand is not read at every step of many runs, short enough for a person. */
const pauseMs: Readonly<Record<RunChange, number>> = { states: 400, steps: 150 };

/**
 * What a call answers, asked again when runs change. Lines of a guest's log, which come by the hundred, change nothing
 * but the log.
 */
export function useRunQuery<N extends WorkbenchCallName>(
  name: N,
  input: WorkbenchInput<N>,
  change: RunChange,
): Query<WorkbenchOutput<N>> {
  const query = useQuery(name, input);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const reloadSoon = (): void => {
    timer.current ??= setTimeout(() => {
      timer.current = undefined;
      query.reload();
    }, pauseMs[change]);
  };
  useWorkbenchEvent('execution.event', (event) => {
    if (matters(event, change)) reloadSoon();
  });
  useWorkbenchEvent('fleet.changed', reloadSoon);
  useEffect(() => () => clearTimeout(timer.current), []);
  return query;
}

export function matters({ type }: Pick<Event, 'type'>, change: RunChange): boolean {
  return (change === 'states' ? states : steps).has(type);
}
