import type { Task } from '../../../shared/model/task.ts';
import { durationText } from '../quantities.ts';

/** How long a task took, or has been running; empty before it is started. */
export function taskTime({ startedAt, finishedAt, state }: Task, now: number): string {
  if (startedAt === undefined || (finishedAt === undefined && state !== 'running')) return '';
  const end = finishedAt === undefined ? now : Date.parse(finishedAt);
  return durationText((end - Date.parse(startedAt)) / 1000);
}
