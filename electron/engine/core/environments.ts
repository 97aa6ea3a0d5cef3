import { configurationOnly, explainEnvironment } from '../../../shared/environment/explain-environment.ts';
import { resolveLayers, writtenEnvironment, type WrittenLayers } from '../../../shared/environment/layers.ts';
import { readProviderConfiguration } from '../../../shared/environment/provider-configuration.ts';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { EnvironmentDefinition } from '../../../shared/plugins/plugin-definition.ts';
import type { Finding } from '../../../shared/schema/finding.ts';
import { validateDocument } from '../../../shared/validation/validate-document.ts';

export function environmentDefinition(plugin: PluginId, side: Side): EnvironmentDefinition | undefined {
  return plugins[plugin][side];
}

/** One side of a replica, with the layers that it is made of. */
export interface LayeredSide {
  readonly plugin: PluginId;
  readonly layers: WrittenLayers;
  /** Of its endpoint, secrets by reference. */
  readonly connection?: JsonObject;
}

/** The values of one side as a run uses them: built-in < provider configuration < project < wave < VM, under canonical keys. */
export function effectiveValues(
  side: Side,
  { plugin, layers: written }: LayeredSide,
  providerConfiguration: string | undefined,
): JsonObject {
  const definition = environmentDefinition(plugin, side);
  if (definition === undefined) return written.vm.environment;
  const section = definition.providerConfiguration?.section;
  const configured =
    (section === undefined || providerConfiguration === undefined
      ? undefined
      : sections(providerConfiguration).get(section)) ?? {};
  const layers = resolveLayers(definition, written, configured);
  const values = new Map<string, JsonValue>();
  for (const {
    path: [key, ...rest],
    value,
  } of [...configurationOnly(definition, configured), ...explainEnvironment(definition, layers)]) {
    if (key !== undefined)
      values.set(key, rest.length === 0 ? value : withValue(objectOf(values.get(key)), rest, value));
  }
  return Object.fromEntries(values);
}

/** What the offline rules find in a replica's environments. */
export function environmentFindings(
  sides: Readonly<Record<Side, LayeredSide>>,
  vm: Vm | undefined,
  providerConfiguration: string | undefined,
): Finding[] {
  const document: Record<string, unknown> = vm === undefined ? {} : { vm };
  const configured = new Map(providerConfiguration === undefined ? [] : sections(providerConfiguration));
  for (const side of ['source', 'destination'] as const) {
    const { plugin, layers } = sides[side];
    const definition = environmentDefinition(plugin, side);
    if (definition === undefined) continue;
    const section = definition.providerConfiguration?.section ?? '';
    const resolved = resolveLayers(definition, layers, configured.get(section));
    if (configured.has(section)) configured.set(section, resolved.providerConfiguration);
    // A single layer is checked as it was written, so that other spellings are reported.
    const isAlone = layers.project === undefined && layers.wave === undefined;
    document[side] = { plugin, environment: isAlone ? layers.vm.environment : writtenEnvironment(resolved) };
  }
  const connections = Object.fromEntries(
    Object.entries(sides).flatMap(([side, { connection }]) => (connection === undefined ? [] : [[side, connection]])),
  );
  return validateDocument(document, {
    connections,
    ...(providerConfiguration === undefined ? {} : { providerConfiguration: configured }),
  });
}

/** What is wrong with the text of a provider configuration. */
export function configurationFindings(text: string): readonly Finding[] {
  return readProviderConfiguration(text, Object.values(plugins)).findings;
}

function sections(text: string): ReadonlyMap<string, JsonObject> {
  return readProviderConfiguration(text, Object.values(plugins)).sections;
}

function withValue(object: JsonObject, [key, ...rest]: readonly string[], value: JsonValue): JsonObject {
  if (key === undefined) return object;
  if (rest.length === 0) return { ...object, [key]: value };
  return { ...object, [key]: withValue(objectOf(object[key]), rest, value) };
}

function objectOf(value: JsonValue | undefined): JsonObject {
  return isJsonObject(value) ? value : {};
}
