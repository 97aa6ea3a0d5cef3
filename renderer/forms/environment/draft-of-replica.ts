import { layerKey, type Defaults, type WrittenLayers } from '../../../shared/environment/layers.ts';
import { readProviderConfiguration } from '../../../shared/environment/provider-configuration.ts';
import type { JsonObject } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Replica } from '../../../shared/model/replica.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { EnvironmentDraft } from './environment-draft.ts';

/** What lies below a virtual machine's own word, on both sides. */
export function weakerLayers(
  defaults: Defaults,
  wave: string,
  source: PluginId,
  destination: PluginId,
): Record<Side, Pick<WrittenLayers, 'project' | 'wave'>> {
  const own = defaults.waves.find(({ name }) => name === wave);
  const of = (key: string) => ({ project: defaults.project[key], wave: own?.environments[key] });
  return { source: of(layerKey(source, 'source')), destination: of(layerKey(destination, 'destination')) };
}

/** Sections of a provider configuration's text, as far as it can be read. */
export function sectionsOf(text: string): ReadonlyMap<string, JsonObject> {
  return text.trim() === '' ? new Map() : readProviderConfiguration(text, Object.values(plugins)).sections;
}

type Written = Pick<
  Replica,
  'sourceEnvironment' | 'destinationEnvironment' | 'cleared' | 'wave' | 'providerConfiguration'
>;

/** A replica's environments to be edited; what both ends have is told to the draft when it is known. */
export function draftOfReplica(
  replica: Written,
  source: PluginId,
  destination: PluginId,
  defaults: Defaults,
): EnvironmentDraft {
  const layer = (environment: JsonObject, cleared: readonly string[] = []) => ({ environment, cleared: [...cleared] });
  return new EnvironmentDraft(
    'VM',
    {
      source: { plugin: source, layer: layer(replica.sourceEnvironment, replica.cleared?.source) },
      destination: { plugin: destination, layer: layer(replica.destinationEnvironment, replica.cleared?.destination) },
    },
    {
      weaker: weakerLayers(defaults, replica.wave ?? '', source, destination),
      providerConfiguration: sectionsOf(replica.providerConfiguration ?? ''),
      vm: undefined,
      catalog: undefined,
    },
  );
}
