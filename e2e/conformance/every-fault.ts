import { isErrorCode, type ErrorRecord } from '../../shared/model/causeway-error.ts';
import type { FaultCase } from '../rigs/european-cloud/fault-cases.ts';
import { shuffled } from '../rigs/seeded.ts';

/** All faults at all calls, instead of a sample; or so many. */
const everyFault = process.env['CAUSEWAY_EVERY_FAULT'] === '1';
const asked = process.env['CAUSEWAY_FAULT_CASES'];
const seed = Number(process.env['CAUSEWAY_FAULT_SEED'] ?? 1);

/** How one case went. */
export interface FaultOutcome {
  /** How the run ended that the fault was made for. */
  readonly state: string;
  readonly error?: ErrorRecord | undefined;
  /** Whether the call came at all. */
  readonly hit: boolean;
  /** Everything that is not as it should be. */
  readonly wrong: readonly string[];
}

/** What came of all cases. */
export interface FaultTally {
  readonly cases: number;
  readonly well: number;
  readonly wrong: readonly string[];
}

/**
 * Goes through the cases, or through as many of them as `sample` says, one after another, and says in one line what
 * came of them.
 */
export async function throughFaults(
  name: string,
  cases: readonly FaultCase[],
  sample: number,
  run: (fault: FaultCase) => Promise<FaultOutcome>,
): Promise<FaultTally> {
  const chosen = everyFault ? cases : shuffled(cases, seed).slice(0, asked === undefined ? sample : Number(asked));
  const wrong: string[] = [];
  const codes: Record<string, number> = {};
  const counted = { well: 0, withError: 0, neverCame: 0 };
  const begun = performance.now();
  for (const fault of chosen) {
    const at = `${fault.effect} at ${fault.operation} ${fault.nth}`;
    const startedAt = performance.now();
    const outcome = await run(fault).catch((thrown: unknown): FaultOutcome => ({
      state: 'not even ended',
      hit: true,
      wrong: [`it threw: ${thrown instanceof Error ? thrown.message : String(thrown)}`],
    }));
    const { state, error, hit } = outcome;
    if (!hit) counted.neverCame += 1;
    else if (state === 'completed') counted.well += 1;
    else counted.withError += 1;
    if (error !== undefined) codes[error.code] = (codes[error.code] ?? 0) + 1;
    wrong.push(...outcome.wrong.map((text) => `${at}: ${text}`));
    const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
    if (everyFault || asked !== undefined || outcome.wrong.length > 0) {
      console.log(
        `${name}: ${at}: ${state} ${error === undefined ? '' : `${error.code} (${error.message}) `}${seconds} s ${outcome.wrong.join('; ')}`,
      );
    }
  }
  const seconds = ((performance.now() - begun) / 1000).toFixed(0);
  console.log(
    `${name}: ${chosen.length} of ${cases.length} cases, ${counted.well} ended well, ${counted.withError} with an error ${JSON.stringify(codes)}, ` +
      `${counted.neverCame} calls never came, ${seconds} s`,
  );
  return { cases: chosen.length, well: counted.well, wrong };
}

/** Why an error says too little to act on; undefined when it does not. */
export function unclear(error: ErrorRecord | undefined): string | undefined {
  const clear =
    error !== undefined && isErrorCode(error.code) && !error.code.startsWith('general.') && error.message.length >= 20;
  return clear ? undefined : `no clear error: ${JSON.stringify(error)}`;
}
