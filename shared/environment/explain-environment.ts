import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { EnvironmentDefinition } from '../plugins/plugin-definition.ts';
import { alternatives, knownKeys, memberSchema, metaOf, schemaAt } from '../schema/schema-walk.ts';
import { mergeEnvironment, type EffectiveKey, type EnvironmentLayers, type Origin } from './merge-environment.ts';

/** One line of an explanation: a value that a run would use, and where it comes from. */
export interface ExplainedValue {
  /** Keys below the environment. */
  readonly path: readonly string[];
  readonly value: JsonValue;
  readonly origin: Origin;
  /** The key of the provider configuration that gave (a part of) it under another name. */
  readonly from?: string;
  /** Set where two layers both count. */
  readonly combined?: 'joined' | 'merged';
  /** With `joined`: the origin of each element of the list. */
  readonly elementOrigins?: readonly Origin[];
  /** The value is a secret in plain text: do not show it. */
  readonly secret: boolean;
}

/**
 * The whole effective environment of one side, built-in defaults included, in the order of the plugin's schema. Keys
 * that have no value from anywhere are left out.
 */
export function explainEnvironment(definition: EnvironmentDefinition, layers: EnvironmentLayers): ExplainedValue[] {
  const given = new Map(mergeEnvironment(definition, layers).map((entry) => [entry.key, entry]));
  const schema = definition.schema;
  const keys = new Set([...knownKeys(schema), ...given.keys()]);
  return [...keys].flatMap((key) => {
    const entry = given.get(key);
    return entry === undefined ? builtInValues(schema, [key]) : explainKey(schema, entry);
  });
}

/** Values of the provider configuration that are no defaults of an environment key but options of their own. */
export function configurationOnly(definition: EnvironmentDefinition, configuration: JsonObject): ExplainedValue[] {
  const known = new Set([
    ...knownKeys(definition.schema),
    ...(definition.providerConfiguration?.mergeRules ?? []).map(({ from }) => from),
  ]);
  return Object.entries(configuration)
    .filter(([key]) => !known.has(key))
    .map(([key, value]) => ({ path: [key], value, origin: 'provider configuration', secret: false }));
}

function explainKey(schema: z.core.$ZodType, entry: EffectiveKey): ExplainedValue[] {
  const { key, value, origin, from, combined, parts = [] } = entry;
  const named = from === undefined ? {} : { from };
  if (combined === 'merged' && isJsonObject(value)) {
    return parts.map((part) => {
      const name = String(part.key);
      const own = part.origin === 'provider configuration' ? named : {};
      return {
        path: [key, name],
        value: value[name] ?? null,
        origin: part.origin,
        ...own,
        combined,
        secret: isSecret(schema, [key, name]),
      };
    });
  }
  if (combined === 'joined') {
    const elementOrigins = parts.map((part) => part.origin);
    return [{ path: [key], value, origin, ...named, combined, elementOrigins, secret: isSecret(schema, [key]) }];
  }
  const member = memberSchema(schema, key);
  if (member !== undefined && isJsonObject(value) && holdsFields(member)) {
    return fieldsBelow(schema, [key], value, origin);
  }
  return [{ path: [key], value, origin, ...named, secret: isSecret(schema, [key]) }];
}

/** An object with fields of its own, one line for each: what is given, then the built-in defaults of the rest. */
function fieldsBelow(
  schema: z.core.$ZodType,
  path: readonly string[],
  value: JsonObject,
  origin: Origin,
): ExplainedValue[] {
  const object = schemaAt(schema, path);
  const keys = new Set([...(object === undefined ? [] : knownKeys(object)), ...Object.keys(value)]);
  return [...keys].flatMap((key): readonly ExplainedValue[] => {
    const below = [...path, key];
    const member = Object.hasOwn(value, key) ? value[key] : undefined;
    if (member === undefined) return builtInValues(schema, below);
    return [{ path: below, value: member, origin, secret: isSecret(schema, below) }];
  });
}

const builtIns = new WeakMap<z.core.$ZodType, Map<string, readonly ExplainedValue[]>>();

/** Found once for each declared key of a schema: they depend on nothing else. */
function builtInValues(schema: z.core.$ZodType, path: readonly string[]): readonly ExplainedValue[] {
  const ofSchema = builtIns.get(schema) ?? new Map<string, readonly ExplainedValue[]>();
  builtIns.set(schema, ofSchema);
  const place = path.join('\n');
  const found = ofSchema.get(place) ?? findBuiltInValues(schema, path);
  ofSchema.set(place, found);
  return found;
}

function findBuiltInValues(schema: z.core.$ZodType, path: readonly string[]): ExplainedValue[] {
  const member = schemaAt(schema, path);
  if (member === undefined) return [];
  const builtIn = metaOf(member)?.['builtIn'];
  if (builtIn !== undefined) return [{ path, value: builtIn as JsonValue, origin: 'built-in', secret: false }];
  return holdsFields(member) ? knownKeys(member).flatMap((key) => builtInValues(schema, [...path, key])) : [];
}

function holdsFields(schema: z.core.$ZodType): boolean {
  return alternatives(schema).every((alternative) => alternative instanceof z.ZodObject);
}

/** Marked so itself, or inside something that is, or an unknown key beside secrets: most likely one that is misspelt. */
function isSecret(schema: z.core.$ZodType, path: readonly string[]): boolean {
  return path.some((_key, index) => {
    const at = schemaAt(schema, path.slice(0, index + 1));
    if (at !== undefined) return isMarkedSecret(at);
    const parent = schemaAt(schema, path.slice(0, index));
    return (
      parent !== undefined && index > 0 && knownKeys(parent).some((key) => isMarkedSecret(memberSchema(parent, key)))
    );
  });
}

function isMarkedSecret(schema: z.core.$ZodType | undefined): boolean {
  return schema !== undefined && metaOf(schema)?.['secret'] === true;
}
