import type { z } from 'zod';
import { isJsonObject } from '../model/json.ts';
import type { KeySynonym } from '../plugins/key-synonyms.ts';
import type { PluginDefinition } from '../plugins/plugin-definition.ts';
import type { PluginId, Side } from '../model/plugin-id.ts';
import type { ShapeFault, UnknownKey } from '../schema/check-shape.ts';
import type { Fix } from '../schema/finding.ts';
import { placeName } from './check-vm.ts';
import { shown } from '../schema/expected-form.ts';
import { knownKeys, metaOf } from '../schema/schema-walk.ts';
import { nearestSpelling } from '../schema/spelling.ts';

export type Plugins = Readonly<Record<string, PluginDefinition>>;

export interface KeySuggestions {
  readonly plugins: Plugins;
  /** Whose key it is, and what it is called here. */
  readonly findSynonym: (key: string, plugin: PluginId, side: Side) => KeySynonym | undefined;
}

type Advice = Pick<ShapeFault, 'message' | 'suggestion' | 'fix'>;

/**
 * What to say of a key that a plugin's environment does not have, best knowledge first: an alias that is known for this
 * plugin; the plugin that does have the key, and what it is called here; a key that is spelt nearly the same.
 */
export function adviseOnKey(unknown: UnknownKey, plugin: PluginDefinition, side: Side, known: KeySuggestions): Advice {
  const advice = adviceOn(unknown, plugin, side, known);
  const { fix } = advice;
  // A key that is there already cannot be what this one is renamed to.
  if (fix?.kind !== 'rename-key' || !isJsonObject(unknown.holder) || !Object.hasOwn(unknown.holder, fix.to))
    return advice;
  return {
    message: advice.message,
    suggestion: `Remove it: ${JSON.stringify(fix.to)} is already set.`,
    fix: { kind: 'remove-key' },
  };
}

function adviceOn(
  { key, parent, parentSchema, holder }: UnknownKey,
  plugin: PluginDefinition,
  side: Side,
  known: KeySuggestions,
): Advice {
  const definition = plugin[side];
  const path = [...parent.filter((segment) => typeof segment === 'string'), key].join('.');
  const container = parent.length === 0 ? `the ${side} environment of ${plugin.id}` : placeName(parent, side);
  const message = `Unknown key ${JSON.stringify(key)} in ${container}`;
  const alias = definition === undefined ? undefined : ownMember(definition.knownAliases, path);
  if (alias !== undefined)
    return {
      message,
      suggestion: `Use ${JSON.stringify(alias.split('.').at(-1))}${placeOf(alias, parent)}.`,
      ...(placeOf(alias, parent) === '' ? renameTo(alias.split('.').at(-1) ?? alias) : {}),
    };
  const connected = parent.length === 0 ? connectionAdvice(key, holder, plugin, known.plugins) : undefined;
  if (connected !== undefined) return { message, ...connected };
  const nearest = nearestSpelling(key, knownKeys(parentSchema));
  const equivalent = parent.length === 0 ? known.findSynonym(key, plugin.id, side) : undefined;
  if (equivalent !== undefined) {
    const belongs = `This key belongs to ${ownersInWords(equivalent, plugin.id)}`;
    if (equivalent.here !== undefined)
      return {
        message,
        suggestion: `${belongs}; here it is ${JSON.stringify(equivalent.here)}.`,
        ...renameTo(equivalent.here),
      };
    if (nearest !== undefined)
      return { message, suggestion: `${belongs}; did you mean ${JSON.stringify(nearest)}?`, ...renameTo(nearest) };
    return { message, suggestion: `${belongs} and has no equivalent here. Remove it.`, fix: { kind: 'remove-key' } };
  }
  const elsewhere = nestedHome(key, parent, definition?.schema);
  if (elsewhere !== undefined) return { message, suggestion: `It belongs in ${elsewhere}.` };
  const mapped = nearest === undefined ? mappingAdvice(key, holder, parentSchema) : undefined;
  if (mapped !== undefined) return { message, suggestion: mapped };
  return nearest === undefined
    ? { message }
    : { message, suggestion: `Did you mean ${JSON.stringify(nearest)}?`, ...renameTo(nearest) };
}

/** Keys of the connection belong to the endpoint, and credentials must not stand in a document. */
function connectionAdvice(
  key: string,
  holder: unknown,
  plugin: PluginDefinition,
  plugins: Plugins,
): Omit<Advice, 'message'> | undefined {
  const own = Object.hasOwn(plugin.connection.shape, key);
  const owner = own ? plugin : Object.values(plugins).find(({ connection }) => isSecretKey(connection, key));
  if (owner === undefined) return undefined;
  const value = isJsonObject(holder) ? holder[key] : undefined;
  const isCredential =
    typeof value === 'string' &&
    value !== '' &&
    (isSecretKey(owner.connection, key) || /access_key|api_key|token/.test(key));
  const exposed = isCredential
    ? ' The file contains it in plain text: rotate the credential if anyone else could read the file.'
    : '';
  return {
    suggestion: `Set it in the connection of the ${own ? '' : `${owner.id} `}endpoint and remove it here.${exposed}`,
    fix: { kind: 'remove-key' },
  };
}

function isSecretKey(schema: z.ZodObject, key: string): boolean {
  const member = Object.hasOwn(schema.shape, key) ? (schema.shape as Record<string, z.core.$ZodType>)[key] : undefined;
  return member !== undefined && metaOf(member)?.['secret'] === true;
}

/** A back end as a key of the storage mapping, in place of an entry of its list. */
function mappingAdvice(key: string, holder: unknown, schema: z.core.$ZodType): string | undefined {
  const value = isJsonObject(holder) ? holder[key] : undefined;
  if (typeof value !== 'string' || !knownKeys(schema).includes('backend_mappings')) return undefined;
  return `To map the storage back end ${key}, write ${shown({ backend_mappings: [{ source: key, destination: value }] })}.`;
}

export function renameTo(to: string): { fix: Fix } {
  return { fix: { kind: 'rename-key', to } };
}

function ownMember(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Where an alias leads, when that is not beside the alias itself. */
function placeOf(alias: string, parent: readonly unknown[]): string {
  const home = alias.split('.').slice(0, -1).join('.');
  return home === '' || home === parent.join('.') ? '' : ` in ${JSON.stringify(home)}`;
}

/** This plugin's other side first; three at the most. */
function ownersInWords({ owners }: KeySynonym, plugin: PluginId): string {
  const ordered = [...owners].sort((a, b) => Number(b.plugin === plugin) - Number(a.plugin === plugin));
  return ordered
    .slice(0, 3)
    .map((owner) => `the ${owner.side} environment of ${owner.plugin}`)
    .join(', ');
}

/** A key at the wrong depth: one that this environment has, inside one of its objects or at its top. */
function nestedHome(
  key: string,
  parent: readonly unknown[],
  schema: PluginDefinition['connection'] | undefined,
): string | undefined {
  if (schema === undefined) return undefined;
  if (parent.length > 0) return Object.hasOwn(schema.shape, key) ? 'the top level of the environment' : undefined;
  for (const [name, member] of Object.entries(schema.shape)) {
    if (key !== 'default' && knownKeys(member).includes(key) && !['linux', 'windows'].includes(key))
      return JSON.stringify(name);
  }
  return undefined;
}
