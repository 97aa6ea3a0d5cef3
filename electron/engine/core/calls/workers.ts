import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { OwnVmView } from '../../../../shared/model/own-vm.ts';
import { openDestination, storedEndpoint, using, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';

export const workerCalls: Handlers<CallsOf<'workers'>> = {
  async 'workers.pool'(core) {
    return core.workerPool.view();
  },

  async 'workers.setPool'(core, settings) {
    if (settings.keep > 0 && core.fleet !== undefined) throw new CausewayError('engine.pool-in-fleet', 'the project is part of a fleet');
    await core.workerPool.configure({ keep: settings.keep, minutes: settings.minutes ?? core.store.workerPool.get().minutes });
    return core.workerPool.view();
  },

  async 'workers.drain'(core) {
    await core.workerPool.drain();
    return core.workerPool.view();
  },

  async 'workers.ownVms'(core) {
    return ownVms(core);
  },

  async 'workers.setOwnVm'(core, { destination, vm, volumes }, signal) {
    const endpoint = storedEndpoint(core, destination);
    const { name } = await using(openDestination(core, endpoint), async ({ ownVm }) => {
      if (ownVm === undefined) throw new CausewayError('engine.own-vm-unsupported', `endpoint ${endpoint.name}`);
      return ownVm.check({}, vm, signal);
    });
    const agent = await core.ownVms.connect({ purpose: 'check', epoch: 0 }, signal);
    try {
      await agent.devices(signal);
    } finally {
      await agent.close();
    }
    core.store.ownVms.set({ endpointId: endpoint.id, vmId: vm, vmName: name, volumes });
    return ownVms(core).find(({ endpointId }) => endpointId === endpoint.id)!;
  },

  async 'workers.removeOwnVm'(core, { destination }) {
    core.store.ownVms.remove(storedEndpoint(core, destination).id);
    return ownVms(core);
  },
};

function ownVms(core: CoreContext): OwnVmView[] {
  const names = new Map(core.store.endpoints.list().map(({ id, name }) => [id, name]));
  return core.store.ownVms.list().map((vm) => ({ ...vm, endpointName: names.get(vm.endpointId) ?? vm.endpointId, inUse: core.ownVms.inUse(vm.vmId) }));
}
