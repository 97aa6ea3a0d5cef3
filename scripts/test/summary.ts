import { availableParallelism } from 'node:os';
import { basename } from 'node:path';
import type { Outcome } from './outcome.ts';
import { reasonToSkip, type Tier } from './tiers.ts';

const groups = ['lint', 'types', 'unit', 'specs', 'electron', 'steady', 'clean'] as const;

/** One line of what a part came to. */
export function outcomeLine(outcome: Outcome): string {
  const { name, passed, failed, skipped } = outcome;
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped.length > 0 ? [`${skipped.length} skipped`] : []),
  ];
  return `${failed > 0 ? '✗' : '✓'} ${time(outcome)}  ${name}: ${counts.join(', ')}`;
}

export interface Summary {
  /** `N passed, N failed`. */
  readonly line: string;
  readonly failed: number;
}

/** Prints what the run came to, but for the last line. */
export function printSummary(
  all: readonly Outcome[],
  {
    tier,
    isRoot,
    startedAt,
    notSeen,
  }: { readonly tier: Tier; readonly isRoot: boolean; readonly startedAt: number; readonly notSeen: readonly string[] },
): Summary {
  const sum = (count: (outcome: Outcome) => number, of: readonly Outcome[] = all): number =>
    of.reduce((total, outcome) => total + count(outcome), 0);
  printTimes(all);
  const unexplained = printSkipped(all, tier, isRoot);
  const unsteady = all.filter(({ onlySecondTime }) => onlySecondTime !== undefined);
  if (unsteady.length > 0)
    console.log('\nUnsteady: failed beside others, passed alone. Each is a defect of the product or of its test:');
  for (const { onlySecondTime } of unsteady) console.log(`  ${onlySecondTime?.join('\n  ') ?? ''}`);
  if (notSeen.length > 0) console.log(`\nNot seen, because this machine lacks what it needs:\n${notSeen.join('\n')}`);
  console.log();
  for (const group of groups) {
    const of = all.filter((outcome) => outcome.group === group);
    if (of.length > 0)
      console.log(
        `${group.padEnd(8)} ${sum(({ passed }) => passed, of)} passed, ${sum(({ failed }) => failed, of)} failed, ${sum(({ skipped }) => skipped.length, of)} skipped`,
      );
  }
  const failures = [...all.flatMap((outcome) => outcome.failures), ...unexplained];
  // Again at the end: who reads a long log begins there.
  if (failures.length > 0) console.log(`\nFailed:\n${failures.join('\n')}\n`);
  const wall = (Date.now() - startedAt) / 1000;
  const cpu = sum(({ cpuSeconds = 0 }) => cpuSeconds);
  const processors = availableParallelism();
  console.log(
    `Took ${(wall / 60).toFixed(1)} minutes${cpu === 0 ? '' : `; ${cpu.toFixed(0)} s of processor time, ${((100 * cpu) / wall / processors).toFixed(0)} % of ${processors} processors`}.`,
  );
  const failed = sum((outcome) => outcome.failed) + unexplained.length;
  return { line: `${sum(({ passed }) => passed)} passed, ${failed} failed`, failed };
}

/** Where the time went. */
function printTimes(all: readonly Outcome[]): void {
  console.log('\nWhere the time went (parts run beside each other):');
  for (const group of groups) {
    const of = all.filter((outcome) => outcome.group === group);
    const total = (count: (outcome: Outcome) => number): number => of.reduce((sum, outcome) => sum + count(outcome), 0);
    if (of.length > 0)
      console.log(
        `  ${group.padEnd(8)} ${total(({ wallSeconds }) => wallSeconds).toFixed(0)} s, CPU ${total(({ cpuSeconds = 0 }) => cpuSeconds).toFixed(0)} s`,
      );
  }
  console.log('Slowest:');
  for (const outcome of all.toSorted((a, b) => b.wallSeconds - a.wallSeconds).slice(0, 10))
    console.log(`  ${time(outcome)}  ${outcome.name}`);
}

/** Answers with what was skipped for no known reason although this machine can run it: in the full tier that fails. */
function printSkipped(all: readonly Outcome[], tier: Tier, isRoot: boolean): string[] {
  const skipping = all.filter(({ skipped }) => skipped.length > 0);
  if (skipping.length > 0) console.log('\nSkipped:');
  const unexplained: string[] = [];
  for (const { name, group, skipped } of skipping) {
    const reason =
      reasonToSkip(basename(name)) ?? (group === 'unit' || tier === 'full' ? undefined : 'npm run test:full runs them');
    console.log(`  ${name}: ${skipped.length} (${reason ?? 'no reason known'})`);
    if (tier === 'full' && isRoot && reason === undefined)
      unexplained.push(...skipped.map((test) => `${name} > ${test}: skipped, although this machine can run it`));
  }
  return unexplained;
}

function time({ wallSeconds, cpuSeconds }: Outcome): string {
  return `${wallSeconds.toFixed(0).padStart(4)} s${cpuSeconds === undefined ? '' : ` (CPU ${cpuSeconds.toFixed(0).padStart(3)} s)`}`;
}
