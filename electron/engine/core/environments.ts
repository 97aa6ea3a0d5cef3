import { configurationOnly, explainEnvironment } from '../../../shared/environment/explain-environment.ts';
import { readProviderConfiguration } from '../../../shared/environment/provider-configuration.ts';
import type { JsonObject, JsonValue } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import type { EnvironmentDefinition } from '../../../shared/plugins/plugin-definition.ts';
import { canonicalise } from '../../../shared/validation/accepted-spellings.ts';
import type { Finding } from '../../../shared/validation/finding.ts';
import { validateDocument } from '../../../shared/validation/validate-document.ts';

export function environmentDefinition(plugin: PluginId, side: Side): EnvironmentDefinition | undefined {
  return plugins[plugin][side];
}

/** The values of one side as a run uses them: built-in < provider configuration < VM, under canonical keys. */
export function effectiveValues(plugin: PluginId, side: Side, environment: JsonObject, providerConfiguration: string | undefined): JsonObject {
  const definition = environmentDefinition(plugin, side);
  if (definition === undefined) return environment;
  const vm = canonicalise(environment, definition.acceptedSpellings).environment;
  const section = definition.providerConfiguration?.section;
  const configured = (section === undefined || providerConfiguration === undefined ? undefined : sections(providerConfiguration).get(section)) ?? {};
  let values: JsonObject = {};
  for (const { path, value } of [...configurationOnly(definition, configured), ...explainEnvironment(definition, { providerConfiguration: configured, vm })]) {
    values = withValue(values, path, value);
  }
  return values;
}

/** What the offline rules find in a replica's environments. */
export function environmentFindings(
  sides: { readonly source: { plugin: PluginId; environment: JsonObject }; readonly destination: { plugin: PluginId; environment: JsonObject } },
  vm: Vm | undefined,
  providerConfiguration: string | undefined,
): Finding[] {
  const document = { ...sides, ...(vm === undefined ? {} : { vm }) };
  return validateDocument(document, providerConfiguration === undefined ? {} : { providerConfiguration: sections(providerConfiguration) });
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
  const child = object[key];
  const inner = typeof child === 'object' && child !== null && !Array.isArray(child) ? (child as JsonObject) : {};
  return { ...object, [key]: withValue(inner, rest, value) };
}
