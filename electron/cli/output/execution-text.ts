import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { Execution, ExecutionDetail } from '../../../shared/model/execution.ts';
import { progressLines } from './progress-bars.ts';
import { duration, moment } from './quantities.ts';
import { pairs, table } from './table.ts';

/** An execution for people. */
export function executionText(execution: ExecutionDetail): string {
  const parts = [
    pairs({
      execution: execution.id,
      number: execution.number,
      state: execution.state,
      started: moment(execution.startedAt),
      ended: moment(execution.finishedAt),
      took: took(execution.startedAt, execution.finishedAt),
    }),
    table(['task', 'state', 'attempts', 'took'], execution.tasks.map((task) => [task.title, task.state, task.attempts, took(task.startedAt, task.finishedAt)])),
  ];
  if (execution.progress !== undefined) parts.push(progressLines(execution.progress, 200).map((line) => `${line}\n`).join(''));
  const problem = problemText(execution);
  if (problem !== '') parts.push(problem);
  return parts.join('\n');
}

/** What went wrong: what happened, with which evidence, and what to do. Empty when nothing did. */
export function problemText(execution: Execution): string {
  const lines: string[] = [];
  const { error } = execution;
  if (error !== undefined) {
    const { title, cause, remedy } = errorText(error.code);
    lines.push(`${title}: ${error.message}`, `  why:    ${cause}`, `  remedy: ${remedy}`, `  [${error.code}]`);
  }
  if (execution.leftBehind > 0) lines.push(`${execution.leftBehind} temporary resources were left behind: see causeway ledger orphans`);
  return lines.map((line) => `${line}\n`).join('');
}

function took(from: string | undefined, until: string | undefined): string | undefined {
  return from === undefined || until === undefined ? undefined : duration((Date.parse(until) - Date.parse(from)) / 1000);
}
