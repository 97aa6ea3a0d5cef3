import { CausewayError } from '../../../../shared/model/causeway-error.ts';
import type { Endpoint } from '../../../../shared/model/endpoint.ts';
import type { OwnVmView } from '../../../../shared/model/own-vm.ts';
import type { OwnVmAccess } from '../../ports/own-vm.ts';
import { openDestination, openSource, storedEndpoint, using, type CallsOf, type CoreContext, type Handlers } from '../core-context.ts';

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

  async 'workers.setOwnVm'(core, { endpoint: reference, vm, volumes }, signal) {
    const endpoint = storedEndpoint(core, reference);
    const { name } = await checkOwnVm(core, endpoint, vm, signal);
    const agent = await core.ownVms.connect({ purpose: 'check', epoch: 0 }, signal);
    try {
      await agent.devices(signal);
    } finally {
      await agent.close();
    }
    core.store.ownVms.set({ endpointId: endpoint.id, vmId: vm, vmName: name, volumes });
    return ownVms(core).find(({ endpointId }) => endpointId === endpoint.id)!;
  },

  async 'workers.removeOwnVm'(core, { endpoint }) {
    core.store.ownVms.remove(storedEndpoint(core, endpoint).id);
    return ownVms(core);
  },
};

/** What is one cloud to both sides is asked once: as a destination, where it can be one. */
async function checkOwnVm(core: CoreContext, endpoint: Endpoint, vm: string, signal: AbortSignal): Promise<{ readonly name: string }> {
  for (const side of ['destination', 'source'] as const) {
    if (!core.gate.hasPlatform(endpoint.plugin, side)) continue;
    const found = await using<{ readonly ownVm?: Pick<OwnVmAccess, 'check'>; close(): Promise<void> }, { readonly name: string } | undefined>(
      side === 'destination' ? openDestination(core, endpoint) : openSource(core, endpoint), async ({ ownVm }) => ownVm?.check({}, vm, signal),
    );
    if (found !== undefined) return found;
  }
  throw new CausewayError('engine.own-vm-unsupported', `endpoint ${endpoint.name}`);
}

function ownVms(core: CoreContext): OwnVmView[] {
  const names = new Map(core.store.endpoints.list().map(({ id, name }) => [id, name]));
  return core.store.ownVms.list().map((vm) => ({ ...vm, endpointName: names.get(vm.endpointId) ?? vm.endpointId, inUse: core.ownVms.inUse(vm.vmId) }));
}
