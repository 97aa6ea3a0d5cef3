import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { OwnVmView } from '../../../../shared/model/own-vm.ts';
import type { OwnVmAccess } from '../../ports/own-vm.ts';
import { isNamedHere, onlyOne, searchOwnVm } from '../../workers/search-own-vm.ts';
import {
  openDestination,
  openSource,
  storedEndpoint,
  using,
  type CallsOf,
  type CoreContext,
  type Handlers,
} from '../core-context.ts';

export const workerCalls: Handlers<CallsOf<'workers'>> = {
  async 'workers.pool'(core) {
    return core.workerPool.view();
  },

  async 'workers.setPool'(core, settings) {
    if (settings.keep > 0 && core.fleet !== undefined)
      throw new CausewayError('engine.pool-in-fleet', 'the project is part of a fleet');
    await core.workerPool.configure({
      keep: settings.keep,
      minutes: settings.minutes ?? core.store.workerPool.get().minutes,
    });
    return core.workerPool.view();
  },

  async 'workers.drain'(core) {
    await core.workerPool.drain();
    return core.workerPool.view();
  },

  async 'workers.ownVms'(core) {
    return ownVms(core);
  },

  async 'workers.findOwnVm'(core, { endpoint: reference }, signal) {
    return atCloud(core, storedEndpoint(core, reference), (ownVm) => searchOwnVm(ownVm, core.thisComputer, signal));
  },

  async 'workers.setOwnVm'(core, { endpoint: reference, vm: given, volumes }, signal) {
    const endpoint = storedEndpoint(core, reference);
    const { vm, name, room, foundBy } = await atCloud(core, endpoint, async (ownVm) => {
      const search = given === undefined ? onlyOne(await searchOwnVm(ownVm, core.thisComputer, signal)) : undefined;
      const id = given ?? search?.vmId ?? '';
      if (given !== undefined) await isNamedHere(ownVm, core.thisComputer, given, signal);
      return { vm: id, room: undefined, ...(await ownVm.check({}, id, signal)), foundBy: search?.by };
    });
    const agent = await core.ownVms.connect({ purpose: 'check', epoch: 0 }, signal);
    try {
      await agent.devices(signal);
    } finally {
      await agent.close();
    }
    // What executions have attached now is room for the next ones.
    const most = room === undefined ? volumes : Math.min(volumes, room + core.ownVms.inUse(vm));
    if (most === 0)
      throw new CausewayError('engine.own-vm-unusable', `VM ${name} takes no further volumes`, {
        details: { vmId: vm },
      });
    core.store.ownVms.set({ endpointId: endpoint.id, vmId: vm, vmName: name, volumes: most });
    return {
      ...ownVms(core).find(({ endpointId }) => endpointId === endpoint.id)!,
      ...(foundBy === undefined ? {} : { foundBy }),
    };
  },

  async 'workers.removeOwnVm'(core, { endpoint }) {
    core.store.ownVms.remove(storedEndpoint(core, endpoint).id);
    return ownVms(core);
  },
};

/** What is one cloud to both sides is asked once: as a destination, where it can be one. @throws `engine.own-vm-unsupported` */
async function atCloud<T>(
  core: CoreContext,
  endpoint: Endpoint,
  work: (ownVm: Pick<OwnVmAccess, 'check' | 'hints'>) => Promise<T>,
): Promise<T> {
  for (const side of ['destination', 'source'] as const) {
    if (!core.gate.hasPlatform(endpoint.plugin, side)) continue;
    const found = await using<
      { readonly ownVm?: Pick<OwnVmAccess, 'check' | 'hints'>; close(): Promise<void> },
      { readonly value: T } | undefined
    >(side === 'destination' ? openDestination(core, endpoint) : openSource(core, endpoint), async ({ ownVm }) =>
      ownVm === undefined ? undefined : { value: await work(ownVm) },
    );
    if (found !== undefined) return found.value;
  }
  throw new CausewayError('engine.own-vm-unsupported', `endpoint ${endpoint.name}`);
}

function ownVms(core: CoreContext): OwnVmView[] {
  const names = new Map(core.store.endpoints.list().map(({ id, name }) => [id, name]));
  return core.store.ownVms.list().map((vm) => ({
    ...vm,
    endpointName: names.get(vm.endpointId) ?? vm.endpointId,
    inUse: core.ownVms.inUse(vm.vmId),
  }));
}
