import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { CallsOf, Handlers } from '../core-context.ts';

/** What people decide in a fleet. Without one there is nothing to decide. */
export const fleetCalls: Handlers<CallsOf<'fleet'>> = {
  async 'fleet.conflicts'(core) {
    return [...(core.fleet?.conflicts() ?? [])];
  },

  async 'fleet.notShared'(core) {
    return [...(core.fleet?.notShared() ?? [])];
  },

  async 'fleet.decide'(core, { file, side, revision }) {
    if (core.fleet === undefined) throw new CausewayError('general.invalid-input', 'this project is in no fleet');
    await core.fleet.decide(file, side, revision);
    return {};
  },
};
