import type { ExecutionDetail } from '../../../shared/model/execution.ts';
import type { Task } from '../../../shared/model/task.ts';
import { problemText } from './problem-text.ts';
import { progressLines } from './progress-bars.ts';
import { duration, moment, pairs, table } from './print.ts';
import { runState } from './run-state.ts';

/** An execution for people. */
export function executionText(execution: ExecutionDetail): string {
  const parts = [
    pairs({
      execution: execution.id,
      number: execution.number,
      state: runState({ state: execution.state, member: execution.member }),
      started: moment(execution.startedAt),
      ended: moment(execution.finishedAt),
      took: took(execution.startedAt, execution.finishedAt),
    }),
    taskTable(execution.tasks),
  ];
  if (execution.progress !== undefined)
    parts.push(
      progressLines(execution.progress, 200)
        .map((line) => `${line}\n`)
        .join(''),
    );
  const problem = problemText(execution);
  if (problem !== '') parts.push(problem);
  return parts.join('\n');
}

/** The steps of a run, and how long each of them took. */
export function taskTable(tasks: readonly Task[]): string {
  return table(
    ['task', 'state', 'attempts', 'took'],
    tasks.map((task) => [task.title, task.state, task.attempts, took(task.startedAt, task.finishedAt)]),
  );
}

/** Undefined until it has ended. */
export function took(from: string | undefined, until: string | undefined): string | undefined {
  return from === undefined || until === undefined
    ? undefined
    : duration((Date.parse(until) - Date.parse(from)) / 1000);
}
