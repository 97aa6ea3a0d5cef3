import { toErrorRecord } from '../../../shared/model/causeway-error.ts';
import { errorText, type ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import type { CheckReport, CheckStep } from '../ports/platform-common.ts';

/** One step of an endpoint check. */
export interface EndpointCheck {
  readonly name: string;
  /** Later steps depend on it. */
  readonly essential: boolean;
  /** Returns what it found, or a warning. */
  readonly run: (signal: AbortSignal) => Promise<string | { readonly warning: string }>;
}

const noConnection: ReadonlySet<ErrorCode> = new Set<ErrorCode>([
  'cloud.unreachable',
  'cloud.no-answer',
  'cloud.certificate-not-trusted',
  'cloud.insecure-address',
]);

/** Runs the checks in order; a failure names its title, evidence and remedy. */
export async function runChecks(checks: readonly EndpointCheck[], signal: AbortSignal): Promise<CheckReport> {
  const steps: CheckStep[] = [];
  let blocked = false;
  for (const check of checks) {
    signal.throwIfAborted();
    if (blocked) break;
    try {
      const seen = await check.run(signal);
      steps.push(
        typeof seen === 'string'
          ? { name: check.name, outcome: 'passed', evidence: seen }
          : { name: check.name, outcome: 'warning', evidence: seen.warning },
      );
    } catch (error) {
      signal.throwIfAborted();
      const record = toErrorRecord(error);
      const { title, remedy } = errorText(record.code);
      steps.push({
        name: check.name,
        outcome: 'failed',
        evidence: `${title} (${record.message}). ${remedy}`,
        code: record.code,
      });
      blocked = check.essential;
      const rest = checks.length - steps.length;
      if (blocked && rest > 0)
        steps.push({
          name: rest === 1 ? '1 more check' : `${rest} more checks`,
          outcome: 'skipped',
          evidence: noConnection.has(record.code)
            ? 'not checked: no connection'
            : `not checked: "${check.name}" failed`,
        });
    }
  }
  return { passed: steps.every((step) => step.outcome === 'passed' || step.outcome === 'warning'), steps };
}

/** Lists resources and returns their number as evidence. */
export function counted(name: string, list: (signal: AbortSignal) => Promise<readonly unknown[]>): EndpointCheck {
  return {
    name: `List ${name}`,
    essential: false,
    run: async (signal) => {
      const { length } = await list(signal);
      return `${length} found`;
    },
  };
}
