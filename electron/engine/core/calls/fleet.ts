import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import { noFleetView } from '../../../../shared/model/fleet.ts';
import type { FleetInEngine } from '../../ports/replica-fleet.ts';
import { readFleetLimits, writeFleetLimits } from '../../project-files/fleet-limits.ts';
import { replicaOf, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';
import { setUrgent } from '../fleet/urgency.ts';
import { projectFolderOf } from '../replica-environments.ts';

/** The fleet, for what changes something that others see. @throws CausewayError `fleet.forbidden` for those who may only read */
function changeable({ fleet }: CoreContext): FleetInEngine {
  if (fleet === undefined) throw new CausewayError('general.invalid-input', 'this project is in no fleet');
  if (!fleet.mayChange()) throw new CausewayError('fleet.forbidden', 'the NATS servers let this user only read');
  return fleet;
}

/** Whether an execution can have a use of this name. */
function isUse(core: CoreContext, name: string): boolean {
  const endpoints = core.store.endpoints.list().map((endpoint) => endpoint.name);
  const startsWithEndpoint = (rest: string): boolean =>
    endpoints.some((endpoint) => rest.startsWith(`${endpoint}/`) && rest.length > endpoint.length + 1);
  const [, kind, rest = ''] = /^(endpoint|link|host|datastore) (.*)$/.exec(name) ?? [];
  if (kind === 'endpoint') return endpoints.includes(rest);
  if (kind === 'link')
    return endpoints.some((source) => endpoints.some((destination) => rest === `${source} > ${destination}`));
  return kind !== undefined && startsWithEndpoint(rest);
}

/** What people decide in a fleet. Without one there is nothing to decide. */
export const fleetCalls: Handlers<CallsOf<'fleet'>> = {
  async 'fleet.conflicts'(core) {
    return [...(core.fleet?.conflicts() ?? [])];
  },

  async 'fleet.notShared'(core) {
    return [...(core.fleet?.notShared() ?? [])];
  },

  async 'fleet.view'(core, { queueLimit }) {
    return core.fleet?.view(queueLimit) ?? noFleetView;
  },

  async 'fleet.drain'(core, { member, isDraining }) {
    if (!changeable(core).drain(member, isDraining)) throw new CausewayError('engine.not-found', `member ${member}`);
    return {};
  },

  async 'fleet.limits'(core) {
    return readFleetLimits(projectFolderOf(core));
  },

  async 'fleet.setLimit'(core, { name, limit }) {
    changeable(core);
    if (limit !== null && !isUse(core, name)) {
      throw new CausewayError(
        'general.invalid-input',
        `nothing has the name "${name}": a limit is of "endpoint NAME", "link SOURCE > DESTINATION", "host ENDPOINT/HOST" or "datastore ENDPOINT/DATASTORE"`,
      );
    }
    const { [name]: _former, ...others } = readFleetLimits(projectFolderOf(core));
    const limits = limit === null ? others : { ...others, [name]: limit };
    writeFleetLimits(projectFolderOf(core), limits);
    return limits;
  },

  async 'fleet.decide'(core, { file, side, revision }) {
    await changeable(core).decide(file, side, revision);
    return {};
  },

  async 'fleet.setUrgent'(core, { replica, isUrgent }, signal) {
    await setUrgent(core, changeable(core), replicaOf(core, replica), isUrgent, signal);
    return {};
  },

  async 'fleet.verify'(core, { replicas }, signal) {
    const { fleet } = core;
    if (fleet === undefined) throw new CausewayError('general.invalid-input', 'this project is in no fleet');
    const ids = (replicas?.map((reference) => replicaOf(core, reference)) ?? core.store.replicas.list()).map(
      ({ id }) => id,
    );
    const found = [];
    for (const id of ids) found.push(await fleet.history(id, signal));
    return found;
  },
};
