import { CausewayError } from '../../../shared/model/causeway-error.ts';
import { morphLinuxGuest, type MorphOutcome, type MorphRequest } from './morph-linux-guest.ts';

/** Prepares a guest by its kind. Each kind needs a worker of its own kind. */
export type MorphGuest = (request: MorphRequest) => Promise<MorphOutcome>;

const kinds: Readonly<Record<'linux' | 'windows', MorphGuest | undefined>> = {
  linux: morphLinuxGuest,
  windows: undefined,
};

/** The way to prepare guests of a kind. Throws `osmorphing.not-supported` when there is none. */
export function morphGuestOf(osType: 'linux' | 'windows'): MorphGuest {
  const morph = kinds[osType];
  if (morph === undefined) throw new CausewayError('osmorphing.not-supported', `guests of the kind ${osType} cannot be prepared`);
  return morph;
}
