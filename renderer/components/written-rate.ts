import { parseRate } from '../../shared/model/bandwidth-profile.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';

/** An empty text is no limit. */
export function rateOf(written: string): number | undefined | 'invalid' {
  if (written.trim() === '') return undefined;
  try {
    const rate = parseRate(written);
    return rate === 0 ? 'invalid' : rate;
  } catch (error) {
    if (error instanceof CausewayError) return 'invalid';
    throw error;
  }
}
