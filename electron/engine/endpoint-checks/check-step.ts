import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { CheckStep } from '../ports/platform-common.ts';

/**
 * Tries one use of an endpoint: passed with evidence, or failed with the reason.
 * @throws what is no failure of the endpoint: being cancelled, a defect
 */
export async function checkStep(name: string, attempt: () => Promise<string>): Promise<CheckStep> {
  try {
    return { name, outcome: 'passed', evidence: await attempt() };
  } catch (error) {
    if (!(error instanceof CausewayError) || error.code === 'general.cancelled') throw error;
    return { name, outcome: 'failed', evidence: error.message, code: error.code };
  }
}
