import { isJsonObject, type JsonArray, type JsonObject, type JsonValue } from '../model/json.ts';
import type { EnvironmentDefinition } from '../plugins/plugin-definition.ts';
import { knownKeys } from '../schema/schema-walk.ts';

/** Where a value comes from, weakest first; a later one overrides an earlier one. */
export const origins = ['built-in', 'provider configuration', 'project', 'wave', 'VM'] as const;
export type Origin = (typeof origins)[number];

/** The environments that are put over each other for one VM and one side, each under its canonical keys. */
export interface EnvironmentLayers {
  /** Values of the provider configuration by its own keys. */
  readonly providerConfiguration?: JsonObject;
  readonly project?: JsonObject;
  readonly wave?: JsonObject;
  readonly vm: JsonObject;
}

/** One key of the effective environment. */
export interface EffectiveKey {
  readonly key: string;
  readonly value: JsonValue;
  /** The strongest layer that gave (a part of) the value. */
  readonly origin: Origin;
  /** The key of the provider configuration, where it has another name. */
  readonly from?: string;
  /** Set where two layers both count: a list joined from both, or a mapping merged key by key. */
  readonly combined?: 'joined' | 'merged';
  /** With `combined`: the origin of each element, or of each entry by key. */
  readonly parts?: readonly { readonly key: string | number; readonly origin: Origin }[];
}

/**
 * The effective values, key by key: provider configuration < project < wave < VM. Each key overrides as a whole, but
 * for those that the definition joins or merges. Built-in defaults are not put in; see `explainEnvironment`.
 */
export function mergeEnvironment(definition: EnvironmentDefinition, layers: EnvironmentLayers): EffectiveKey[] {
  const keys = new Map<string, EffectiveKey>();
  const known = new Set(knownKeys(definition.schema));
  for (const [key, value] of Object.entries(layers.providerConfiguration ?? {})) {
    if (known.has(key)) keys.set(key, { key, value, origin: 'provider configuration' });
  }
  for (const [origin, layer] of [
    ['project', layers.project],
    ['wave', layers.wave],
    ['VM', layers.vm],
  ] as const) {
    for (const [key, value] of Object.entries(layer ?? {})) keys.set(key, { key, value, origin });
  }
  for (const rule of definition.providerConfiguration?.mergeRules ?? []) {
    const base = layers.providerConfiguration?.[rule.from];
    if (base === undefined) continue;
    const over = keys.get(rule.into);
    keys.set(rule.into, rule.kind === 'join' ? joined(rule, base, over) : merged(rule, base, over));
  }
  return [...keys.values()];
}

/** The effective environment as an object. */
export function effectiveEnvironment(definition: EnvironmentDefinition, layers: EnvironmentLayers): JsonObject {
  return Object.fromEntries(mergeEnvironment(definition, layers).map(({ key, value }) => [key, value]));
}

interface Names {
  readonly from: string;
  readonly into: string;
}

const fromConfiguration = ({ from, into }: Names, value: JsonValue): EffectiveKey => ({
  key: into,
  value,
  origin: 'provider configuration',
  from,
});

/** The configuration's elements come first; one that stands in both counts once. */
function joined(names: Names, base: JsonValue, over: EffectiveKey | undefined): EffectiveKey {
  if (over === undefined) return fromConfiguration(names, base);
  if (!Array.isArray(base) || !Array.isArray(over.value)) return over;
  const own = (over.value as JsonArray).filter((element) => !(base as JsonArray).includes(element));
  const parts = [...(base as JsonArray).map(() => 'provider configuration' as const), ...own.map(() => over.origin)];
  return {
    key: names.into,
    value: [...(base as JsonArray), ...own],
    origin: over.origin,
    from: names.from,
    combined: 'joined',
    parts: parts.map((origin, key) => ({ key, origin })),
  };
}

function merged(names: Names, base: JsonValue, over: EffectiveKey | undefined): EffectiveKey {
  if (over === undefined) return fromConfiguration(names, base);
  const { value, origin } = over;
  if (!isJsonObject(base) || !isJsonObject(value)) return over;
  const combined = { ...base, ...value };
  const parts = Object.keys(combined).map((key) => ({
    key,
    origin: Object.hasOwn(value, key) ? origin : ('provider configuration' as const),
  }));
  return { key: names.into, value: combined, origin, from: names.from, combined: 'merged', parts };
}
