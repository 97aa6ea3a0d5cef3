import type { PluginDefinition } from '../plugins/plugin-definition.ts';
import type { PluginId, Side } from '../model/plugin-id.ts';
import type { ShapeFault, UnknownKey } from './check-shape.ts';
import { knownKeys } from './schema-walk.ts';
import { nearestSpelling } from './spelling.ts';

export type Plugins = Readonly<Record<string, PluginDefinition>>;

/** What another plugin calls the same thing: the key here, for a key that belongs to another plugin. */
export type EquivalentKey = (key: string, plugin: PluginId, side: Side) => string | undefined;

export interface KeySuggestions {
  readonly plugins: Plugins;
  readonly equivalentKey: EquivalentKey;
}

type Advice = Pick<ShapeFault, 'message' | 'suggestion'>;

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
  if (alias !== undefined) return { message, suggestion: `Use ${JSON.stringify(alias.split('.').at(-1))}${placeOf(alias, parent)}.` };
  const nearest = nearestSpelling(key, knownKeys(parentSchema));
  const belonging = parent.length === 0 ? pluginsWithKey(key, plugin, side, known.plugins) : [];
  if (belonging.length > 0) {
    const here = known.equivalentKey(key, plugin.id, side);
    const belongs = `This key belongs to ${belonging.slice(0, 3).join(', ')}`;
    if (here !== undefined) return { message, suggestion: `${belongs}; here it is ${JSON.stringify(here)}.` };
    if (nearest !== undefined) return { message, suggestion: `${belongs}; did you mean ${JSON.stringify(nearest)}?` };
    return { message, suggestion: `${belongs}; here is nothing like it, leave it out.` };
  }
  const elsewhere = nestedHome(key, parent, definition?.schema);
  if (elsewhere !== undefined) return { message, suggestion: `It belongs into ${elsewhere}.` };
  return nearest === undefined ? { message } : { message, suggestion: `Did you mean ${JSON.stringify(nearest)}?` };
}

function ownMember(table: Readonly<Record<string, string>>, key: string): string | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

/** Where an alias leads, when that is not beside the alias itself. */
function placeOf(alias: string, parent: readonly unknown[]): string {
  const home = alias.split('.').slice(0, -1).join('.');
  return home === '' || home === parent.join('.') ? '' : ` in ${JSON.stringify(home)}`;
}

/** The sides of plugins that have the key at the top of their environment; this plugin's other side comes first. */
function pluginsWithKey(key: string, plugin: PluginDefinition, side: Side, plugins: Plugins): string[] {
  const found: string[] = [];
  for (const other of Object.values(plugins)) {
    for (const otherSide of ['source', 'destination'] as const) {
      const definition = other[otherSide];
      if (definition === undefined || (other.id === plugin.id && otherSide === side)) continue;
      if (!Object.hasOwn(definition.schema.shape, key)) continue;
      const name = `the ${otherSide} environment of ${other.id}`;
      if (other.id === plugin.id) found.unshift(name);
      else found.push(name);
    }
  }
  return found;
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
