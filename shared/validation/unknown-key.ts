import type { Equivalent } from '../plugins/equivalents.ts';
import type { PluginDefinition } from '../plugins/plugin-definition.ts';
import type { PluginId, Side } from '../model/plugin-id.ts';
import type { ShapeFault, UnknownKey } from './check-shape.ts';
import type { Fix } from './finding.ts';
import { knownKeys } from './schema-walk.ts';
import { nearestSpelling } from './spelling.ts';

export type Plugins = Readonly<Record<string, PluginDefinition>>;

export interface KeySuggestions {
  readonly plugins: Plugins;
  /** Whose key it is, and what it is called here. */
  readonly findEquivalent: (key: string, plugin: PluginId, side: Side) => Equivalent | undefined;
}

type Advice = Pick<ShapeFault, 'message' | 'suggestion' | 'fix'>;

/**
 * What to say of a key that a plugin's environment does not have, best knowledge first: an alias that is known for this
 * plugin; the plugin that does have the key, and what it is called here; a key that is spelt nearly the same.
 */
export function adviseOnKey({ key, parent, parentSchema }: UnknownKey, plugin: PluginDefinition, side: Side, known: KeySuggestions): Advice {
  const definition = plugin[side];
  const path = [...parent.filter((segment) => typeof segment === 'string'), key].join('.');
  const container = parent.length === 0 ? `the ${side} environment of ${plugin.id}` : JSON.stringify(String(parent.at(-1)));
  const message = `${JSON.stringify(key)} is no key of ${container}`;
  const alias = definition === undefined ? undefined : ownMember(definition.knownAliases, path);
  if (alias !== undefined) return { message, suggestion: `Use ${JSON.stringify(alias.split('.').at(-1))}${placeOf(alias, parent)}.`, ...(placeOf(alias, parent) === '' ? renameTo(alias.split('.').at(-1) ?? alias) : {}) };
  const nearest = nearestSpelling(key, knownKeys(parentSchema));
  const equivalent = parent.length === 0 ? known.findEquivalent(key, plugin.id, side) : undefined;
  if (equivalent !== undefined) {
    const belongs = `This key belongs to ${ownersInWords(equivalent, plugin.id)}`;
    if (equivalent.here !== undefined) return { message, suggestion: `${belongs}; here it is ${JSON.stringify(equivalent.here)}.`, ...renameTo(equivalent.here) };
    if (nearest !== undefined) return { message, suggestion: `${belongs}; did you mean ${JSON.stringify(nearest)}?`, ...renameTo(nearest) };
    return { message, suggestion: `${belongs}; here is nothing like it, leave it out.`, fix: { kind: 'remove-key' } };
  }
  const elsewhere = nestedHome(key, parent, definition?.schema);
  if (elsewhere !== undefined) return { message, suggestion: `It belongs into ${elsewhere}.` };
  return nearest === undefined ? { message } : { message, suggestion: `Did you mean ${JSON.stringify(nearest)}?`, ...renameTo(nearest) };
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
function ownersInWords({ owners }: Equivalent, plugin: PluginId): string {
  const ordered = [...owners].sort((a, b) => Number(b.plugin === plugin) - Number(a.plugin === plugin));
  return ordered.slice(0, 3).map((owner) => `the ${owner.side} environment of ${owner.plugin}`).join(', ');
}

/** A key at the wrong depth: one that this environment has, inside one of its objects or at its top. */
function nestedHome(key: string, parent: readonly unknown[], schema: PluginDefinition['connection'] | undefined): string | undefined {
  if (schema === undefined) return undefined;
  if (parent.length > 0) return Object.hasOwn(schema.shape, key) ? 'the environment itself' : undefined;
  for (const [name, member] of Object.entries(schema.shape)) {
    if (key !== 'default' && knownKeys(member).includes(key) && !['linux', 'windows'].includes(key)) return JSON.stringify(name);
  }
  return undefined;
}
