import { layerKey, resolveLayers, type Defaults } from '../environment/layers.ts';
import { mergeEnvironment } from '../environment/merge-environment.ts';
import { readProviderConfiguration } from '../environment/provider-configuration.ts';
import type { Endpoint } from '../model/endpoint.ts';
import type { JsonObject } from '../model/json.ts';
import type { Side } from '../model/plugin-id.ts';
import type { Replica } from '../model/replica.ts';
import { plugins } from '../plugins/registry.ts';
import type { ExportedReplica } from './export-project.ts';

/** A replica with the settings of its wave, its project and its provider configuration in its own: others know no layers. */
export function effectiveReplica(
  replica: Replica,
  endpoints: readonly Pick<Endpoint, 'id' | 'plugin'>[],
  defaults: Defaults,
): ExportedReplica {
  const wave = defaults.waves.find(({ name }) => name === replica.wave);
  const sections = readProviderConfiguration(replica.providerConfiguration ?? '', Object.values(plugins)).sections;
  const effective = (side: Side, endpointId: string, environment: JsonObject): JsonObject => {
    const plugin = endpoints.find(({ id }) => id === endpointId)?.plugin;
    const definition = plugin === undefined ? undefined : plugins[plugin][side];
    if (plugin === undefined || definition === undefined) return environment;
    const key = layerKey(plugin, side);
    const layers = {
      project: defaults.project[key],
      wave: wave?.environments[key],
      vm: { environment, cleared: [...(replica.cleared?.[side] ?? [])] },
    };
    const configured = sections.get(definition.providerConfiguration?.section ?? '') ?? {};
    return Object.fromEntries(
      mergeEnvironment(definition, resolveLayers(definition, layers, configured)).map((entry) => [
        entry.key,
        entry.value,
      ]),
    );
  };
  return {
    name: replica.name,
    vmName: replica.vmName,
    sourceEndpointId: replica.sourceEndpointId,
    destinationEndpointId: replica.destinationEndpointId,
    ...(replica.wave === undefined ? {} : { wave: replica.wave }),
    sourceEnvironment: effective('source', replica.sourceEndpointId, replica.sourceEnvironment),
    destinationEnvironment: effective('destination', replica.destinationEndpointId, replica.destinationEnvironment),
  };
}
