import { z } from 'zod';
import { jsonObjectSchema } from '../model/endpoint.ts';
import type { JsonObject } from '../model/json.ts';
import type { PluginId, Side } from '../model/plugin-id.ts';
import { wavePlanSchema } from '../model/wave-plan.ts';
import type { EnvironmentDefinition } from '../plugins/plugin-definition.ts';
import { canonicalise } from '../schema/accepted-spellings.ts';
import { mergeEnvironment, type EffectiveKey, type EnvironmentLayers } from './merge-environment.ts';

/** What one layer says of one side: values of its own, and keys that it takes back to their built-in values. */
export const environmentLayerSchema = z.strictObject({
  environment: jsonObjectSchema.default({}),
  /** Values of weaker layers that do not count, although this layer has none of its own. */
  cleared: z.array(z.string().min(1).max(200)).max(500).optional(),
});
export type EnvironmentLayer = Readonly<z.infer<typeof environmentLayerSchema>>;

/** The layers that people write, weakest first. */
export interface WrittenLayers {
  readonly project?: EnvironmentLayer | undefined;
  readonly wave?: EnvironmentLayer | undefined;
  readonly vm: EnvironmentLayer;
}

/** Layers of several plugins and sides, by `layerKey`. */
export const layerSetSchema = z.record(z.string().regex(/^[a-z-]+\/(source|destination)$/), environmentLayerSchema);
export type LayerSet = Readonly<Record<string, EnvironmentLayer>>;

/** A named group of virtual machines that are moved together, and what they have in common. */
export const waveSchema = z.strictObject({
  name: z.string().trim().min(1).max(100),
  environments: layerSetSchema,
  plan: wavePlanSchema.optional(),
});
export type Wave = Readonly<z.infer<typeof waveSchema>>;

export const defaultsSchema = z.strictObject({ project: layerSetSchema, waves: z.array(waveSchema) });
export type Defaults = Readonly<z.infer<typeof defaultsSchema>>;

export function layerKey(plugin: PluginId, side: Side): string {
  return `${plugin}/${side}`;
}

/**
 * The layers as they are merged: under canonical keys, and without what a stronger layer clears. Cleared keys lose the
 * provider configuration's values too, those under another name included.
 *
 * @param providerConfiguration values of the plugin's section, typed
 */
export function resolveLayers(
  definition: EnvironmentDefinition,
  layers: WrittenLayers,
  providerConfiguration: JsonObject = {},
): Required<EnvironmentLayers> {
  const { project, wave, vm } = layers;
  const plain = (layer: EnvironmentLayer | undefined): JsonObject =>
    canonicalise(layer?.environment ?? {}, definition.acceptedSpellings).environment;
  const byVm = vm.cleared ?? [];
  const byWave = [...byVm, ...(wave?.cleared ?? [])];
  const byProject = [...byWave, ...(project?.cleared ?? [])];
  const rules = definition.providerConfiguration?.mergeRules ?? [];
  return {
    providerConfiguration: without(providerConfiguration, [
      ...byProject,
      ...rules.filter(({ into }) => byProject.includes(into)).map(({ from }) => from),
    ]),
    project: without(plain(project), byWave),
    wave: without(plain(wave), byVm),
    vm: plain(vm),
  };
}

/** The environment as one document would have it: project, wave and virtual machine over each other. */
export function writtenEnvironment({ project, wave, vm }: Required<EnvironmentLayers>): JsonObject {
  return { ...project, ...wave, ...vm };
}

/** What a key would be if the strongest layer did not say it. */
export function inheritedKeys(
  definition: EnvironmentDefinition,
  layers: WrittenLayers,
  providerConfiguration: JsonObject = {},
): EffectiveKey[] {
  return mergeEnvironment(
    definition,
    resolveLayers(definition, { ...layers, vm: { environment: {} } }, providerConfiguration),
  );
}

function without(environment: JsonObject, keys: readonly string[]): JsonObject {
  if (keys.length === 0) return environment;
  return Object.fromEntries(Object.entries(environment).filter(([key]) => !keys.includes(key)));
}
