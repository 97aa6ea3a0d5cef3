import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Reached } from '../../../shared/model/trust.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fieldsOf, type SchemaField } from '../../../shared/plugins/schema-fields.ts';
import { isSecretReference } from '../../../shared/plugins/shapes/secret-value.ts';

/** Something that an environment reaches or uses beyond its endpoint. */
export interface EnvironmentUse extends Reached {
  /** The identity of an accepted use: plugin, side, field, kind and value. */
  readonly key: string;
}

/**
 * Secrets, addresses and what fields declare to reach. A secret reference or a URL counts in any field,
 * also where no field should have one.
 */
export function environmentUses(plugin: PluginId, side: Side, values: JsonObject): EnvironmentUse[] {
  const metas = metasOf(plugin, side);
  const uses: EnvironmentUse[] = [];
  const walk = (node: JsonValue, path: readonly string[]): void => {
    const field = path.join('.');
    const meta = metas.get(field);
    // What is built in comes from the program, not from the project.
    if (meta?.builtIn !== undefined && meta.builtIn === node) return;
    const use = (kind: Reached['kind'], value: string): void =>
      void uses.push({
        kind,
        label: meta?.title ?? field,
        ...(meta === undefined ? {} : { field: [plugin, side, ...path.filter((part) => part !== '*')].join('/') }),
        value,
        key: JSON.stringify([plugin, side, field, kind, value]),
      });
    if (isSecretReference(node)) use('secret', node.$secret);
    else if (Array.isArray(node)) for (const element of node as JsonValue[]) walk(element, [...path, '*']);
    else if (isJsonObject(node)) {
      for (const [key, child] of Object.entries(node)) {
        if (key.includes('://')) use('address', key);
        walk(child, [...path, key]);
      }
    } else if (meta?.reach !== undefined && node !== null) use(meta.reach, String(node));
    else if (typeof node === 'string' && /[A-Za-z][A-Za-z0-9+.-]*:\/\//.test(node)) use('address', node);
  };
  walk(values, []);
  return uses;
}

const known = new Map<string, ReadonlyMap<string, SchemaField['meta']>>();

/** What fields of a side are declared with, by their paths. Walked once: thousands of environments have the same fields. */
function metasOf(plugin: PluginId, side: Side): ReadonlyMap<string, SchemaField['meta']> {
  const name = `${plugin}/${side}`;
  const before = known.get(name);
  if (before !== undefined) return before;
  const definition = plugins[plugin][side];
  const fields: readonly SchemaField[] =
    definition === undefined
      ? []
      : [
          ...fieldsOf(definition.schema),
          ...(definition.providerConfiguration === undefined ? [] : fieldsOf(definition.providerConfiguration.schema)),
        ];
  const metas = new Map(fields.map(({ path, meta }) => [path.join('.'), meta]));
  known.set(name, metas);
  return metas;
}
