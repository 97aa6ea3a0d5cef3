import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { readFleetLimits, writeFleetLimits } from '../../project-files/fleet-limits.ts';
import type { CallsOf, Handlers } from '../core-context.ts';
import { projectFolderOf } from '../replica-environments.ts';

/** What people decide in a fleet. Without one there is nothing to decide. */
export const fleetCalls: Handlers<CallsOf<'fleet'>> = {
  async 'fleet.conflicts'(core) {
    return [...(core.fleet?.conflicts() ?? [])];
  },

  async 'fleet.notShared'(core) {
    return [...(core.fleet?.notShared() ?? [])];
  },

  async 'fleet.view'(core) {
    return core.fleet?.view() ?? { members: [], waiting: [], holders: {} };
  },

  async 'fleet.drain'(core, { member, isDraining }) {
    if (core.fleet?.drain(member, isDraining) !== true) throw new CausewayError('engine.not-found', `member ${member}`);
    return {};
  },

  async 'fleet.limits'(core) {
    return readFleetLimits(projectFolderOf(core));
  },

  async 'fleet.setLimit'(core, { name, limit }) {
    const { [name]: _former, ...others } = readFleetLimits(projectFolderOf(core));
    const limits = limit === null ? others : { ...others, [name]: limit };
    writeFleetLimits(projectFolderOf(core), limits);
    return limits;
  },

  async 'fleet.decide'(core, { file, side, revision }) {
    if (core.fleet === undefined) throw new CausewayError('general.invalid-input', 'this project is in no fleet');
    await core.fleet.decide(file, side, revision);
    return {};
  },
};
