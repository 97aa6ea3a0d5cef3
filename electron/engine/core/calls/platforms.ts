import { z } from 'zod';
import type { JsonObject } from '../../../../shared/model/json.ts';
import { platformLabel } from '../../../../shared/plugins/plugin-definition.ts';
import { plugins } from '../../../../shared/plugins/registry.ts';
import type { Catalog } from '../../../../shared/model/catalog.ts';
import type { SourcePlatform } from '../../ports/source-platform.ts';
import { endpointOf, openDestination, openSource, using, type CallsOf, type Handlers } from '../core-context.ts';
import { effectiveValues } from '../environments.ts';
import { keepCatalog, lastCatalog } from '../last-catalogs.ts';

export const pluginCalls: Handlers<CallsOf<'plugins'>> = {
  async 'plugins.describe'(core) {
    return Object.values(plugins).map((plugin) => ({
      id: plugin.id,
      title: platformLabel(plugin),
      sides: (['source', 'destination'] as const)
        .filter((side) => plugin[side] !== undefined)
        .map((side) => ({ side, reachable: core.gate.hasPlatform(plugin.id, side) })),
      connection: z.toJSONSchema(plugin.connection, { io: 'input', unrepresentable: 'any' }) as unknown as JsonObject,
    }));
  },
};

/** The id of a VM that is given by its id or its name. */
async function vmIdOf(source: SourcePlatform, vm: string, signal: AbortSignal): Promise<string> {
  const known = await source.listVms(signal);
  return (known.find(({ id }) => id === vm) ?? known.find(({ name }) => name === vm))?.id ?? vm;
}

/** Calls that a platform answers without a replica. */
export const platformCalls: Handlers<CallsOf<'vm' | 'catalog' | 'options'>> = {
  async 'vm.list'(core, { endpoint }, signal) {
    const vms = await using(openSource(core, endpointOf(core, endpoint)), (source) => source.listVms(signal));
    return vms.map(({ tags, ...vm }) => ({ ...vm, ...(tags === undefined ? {} : { tags: [...tags] }) }));
  },

  async 'vm.show'(core, { endpoint, vm }, signal) {
    return using(openSource(core, endpointOf(core, endpoint)), async (source) =>
      source.describeVm(await vmIdOf(source, vm, signal), signal),
    );
  },

  async 'vm.limits'(core, { endpoint, vm }, signal) {
    return using(openSource(core, endpointOf(core, endpoint)), async (source) => [
      ...((await source.unsupportedDevices?.(await vmIdOf(source, vm, signal), signal)) ?? []),
    ]);
  },

  async 'catalog.capture'(core, { endpoint: reference, environment }, signal): Promise<Catalog> {
    const endpoint = endpointOf(core, reference);
    const catalog: Catalog = await using(openDestination(core, endpoint), async (destination) => ({
      ...(await destination.catalog(
        effectiveValues('destination', { plugin: endpoint.plugin, layers: { vm: { environment } } }, undefined),
        signal,
      )),
      captured_at: new Date().toISOString(),
      plugin: endpoint.plugin,
    }));
    keepCatalog(core, endpoint.id, catalog);
    return catalog;
  },

  async 'catalog.last'(core, { endpoint }) {
    const catalog = endpoint === undefined ? undefined : lastCatalog(core, endpointOf(core, endpoint).id);
    return catalog === undefined ? {} : { catalog };
  },

  async 'options.list'(core, { endpoint: reference, side, names, environment }, signal) {
    const endpoint = endpointOf(core, reference);
    // Nothing to ask the platform for.
    if (names.length === 0) return {};
    const lists =
      side === 'source'
        ? await using(openSource(core, endpoint), (source) => source.options(names, signal))
        : await using(openDestination(core, endpoint), (destination) =>
            destination.options(
              names,
              effectiveValues('destination', { plugin: endpoint.plugin, layers: { vm: { environment } } }, undefined),
              signal,
            ),
          );
    return Object.fromEntries(
      Object.entries(lists).map(([name, list]) => [name, list.map((option) => ({ ...option }))]),
    );
  },
};
