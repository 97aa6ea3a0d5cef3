import { toErrorRecord } from '../../../shared/model/causeway-error.ts';
import { errorText } from '../../../shared/model/errors/catalogue.ts';
import type { CheckReport, CheckStep } from '../ports/platform-common.ts';

/** One thing that the check of an endpoint tries. */
export interface Trial {
  readonly name: string;
  /** Without it, nothing after it can be tried. */
  readonly essential: boolean;
  /** Tells what was seen; a warning when it starts with one. */
  readonly run: (signal: AbortSignal) => Promise<string | { readonly warning: string }>;
}

/** Tries one after the other; a failure says its title, what was seen, and the remedy. */
export async function runTrials(trials: readonly Trial[], signal: AbortSignal): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  let blocked = false;
  for (const trial of trials) {
    signal.throwIfAborted();
    if (blocked) {
      steps.push({ name: trial.name, outcome: 'skipped', evidence: 'an earlier step failed' });
      continue;
    }
    try {
      const seen = await trial.run(signal);
      steps.push(typeof seen === 'string' ? { name: trial.name, outcome: 'passed', evidence: seen } : { name: trial.name, outcome: 'warning', evidence: seen.warning });
    } catch (error) {
      signal.throwIfAborted();
      const record = toErrorRecord(error);
      const { title, remedy } = errorText(record.code);
      steps.push({ name: trial.name, outcome: 'failed', evidence: `${title} (${record.message}). ${remedy}` });
      blocked = trial.essential;
    }
  }
  return { passed: steps.every((step) => step.outcome === 'passed' || step.outcome === 'warning'), steps };
}

/** Lists something and tells how many there are. */
export function counted(name: string, list: (signal: AbortSignal) => Promise<readonly unknown[]>): Trial {
  return {
    name: `List ${name}`,
    essential: false,
    run: async (signal) => {
      const { length } = await list(signal);
      return `${length} found`;
    },
  };
}
