import type { Outcome } from './outcome.ts';

/** More failed tasks than this are no matter of chance: nothing is tried again. */
const mostTasks = 6;

/** A task to run again. */
export interface Attempt {
  readonly name: string;
  /** For unit tests, which are one task: the files to run again; none for all of them. */
  readonly files: readonly string[];
}

/**
 * The tasks that get a second attempt. A spec that depends on how busy the machine is fails beside others and passes alone; one that is
 * broken fails twice. Lint and types don't depend on the machine.
 */
export function secondAttempts(outcomes: readonly Outcome[]): Attempt[] {
  const failed = outcomes.filter(({ failed: count }) => count > 0);
  if (failed.length > mostTasks) return [];
  return failed
    .filter(({ group }) => group === 'unit' || group === 'specs')
    .map(({ name, group, failedFiles = [] }) => ({ name, files: group === 'unit' ? failedFiles : [] }));
}

/** One outcome of two attempts. What failed in the first is told, also when the second passed. */
export function withSecondAttempt(first: Outcome, second: Outcome): Outcome {
  const times = {
    wallSeconds: first.wallSeconds + second.wallSeconds,
    cpuSeconds:
      first.cpuSeconds === undefined || second.cpuSeconds === undefined
        ? undefined
        : first.cpuSeconds + second.cpuSeconds,
  };
  if (second.failed > 0 || second.passed === 0) return { ...first, ...times };
  // A second attempt of some unit tests tells nothing of those that passed before.
  const passed = first.group === 'unit' ? Math.max(first.passed + first.failed, second.passed) : second.passed;
  const skipped = first.group === 'unit' ? first.skipped : second.skipped;
  return {
    ...first,
    ...times,
    passed,
    skipped,
    failed: 0,
    failures: [],
    failedFiles: [],
    onlySecondTime: first.failures,
  };
}
