import { z } from 'zod';
import { pluginIds, sides, type PluginId, type Side } from '../../../shared/model/plugin-id.ts';
import { vmSchema } from '../../../shared/model/vm.ts';
import type { FieldMeta } from '../../../shared/plugins/field-meta.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { unwrap } from '../../../shared/plugins/schema-fields.ts';
import type { PathSegment } from '../../../shared/schema/json-pointer.ts';
import { fieldWords, pluginTitle, text } from '../../text/text.ts';
import { choicesOf } from '../field-descriptor.ts';
import { objectAt } from './document-place.ts';

/** What is known of one key, or of an element of a list, wherever it stands in a document. */
export interface DocumentKey {
  readonly key: string;
  readonly label: string;
  readonly help: string;
  readonly required: boolean;
  readonly meta: Partial<FieldMeta>;
  /** What holds further keys or elements begins a block. */
  readonly holds: 'object' | 'list' | undefined;
  /** Values that there can be, where they are few. */
  readonly values: readonly (string | number | boolean)[];
  readonly side: Side | undefined;
}

/** A schema with the metadata that its holder has for it: choices of a mapping's values stand at the mapping. */
interface Found {
  readonly schema: z.ZodType;
  readonly meta: Partial<FieldMeta>;
  /** As languages name its words. */
  readonly id: string;
  readonly side?: Side;
}

/** The keys that can stand in the object at a path. */
export function keysIn(path: readonly PathSegment[], root: unknown): readonly DocumentKey[] {
  if (path.length === 0) return ['vm', ...sides].map((key) => partKey(key));
  const [side, part] = path;
  if (isSide(side) && part === undefined) return ['plugin', 'environment'].map((key) => sideKey(side, key));
  return objectSchemas(schemaAt(path, root)).flatMap(({ schema, ...of }) =>
    Object.entries(schema.shape as Record<string, z.ZodType>).map(([key, declared]) => keyOf(key, declared, of)),
  );
}

/** What is known of the value at a path. */
export function keyAt(path: readonly PathSegment[], root: unknown): DocumentKey | undefined {
  const key = path.at(-1);
  if (key === undefined) return undefined;
  const [side, part] = path;
  if (path.length === 1) return side === 'vm' || isSide(side) ? partKey(String(side)) : undefined;
  if (path.length === 2 && isSide(side))
    return part === 'plugin' || part === 'environment' ? sideKey(side, part) : undefined;
  const known = keysIn(path.slice(0, -1), root).find((one) => one.key === String(key));
  if (known !== undefined) return known;
  const found = schemaAt(path, root);
  // An element of a list, or an entry of a mapping.
  return found === undefined
    ? undefined
    : {
        ...keyOf(String(key), found.schema, found),
        label: found.meta.title ?? String(key),
        meta: found.meta,
        help: found.meta.help ?? '',
      };
}

/** Of a mapping, where its keys come from. */
export function keysFromAt(
  path: readonly PathSegment[],
  root: unknown,
): { readonly kind: FieldMeta['keysFrom']; readonly choices: readonly (string | number)[] } | undefined {
  const found = schemaAt(path, root);
  const record = found === undefined ? undefined : unwrap(found.schema);
  if (found === undefined || !(record instanceof z.ZodRecord)) return undefined;
  return { kind: found.meta.keysFrom, choices: choicesOf(record.keyType as z.ZodType) ?? [] };
}

function schemaAt(path: readonly PathSegment[], root: unknown): Found | undefined {
  const [first, part, ...rest] = path;
  if (first === 'vm') return walk({ schema: vmSchema, meta: {}, id: 'vm' }, path.slice(1));
  if (!isSide(first) || part !== 'environment') return undefined;
  const id = pluginOf(root, first);
  const schema = id === undefined ? undefined : plugins[id][first]?.schema;
  return schema === undefined ? undefined : walk({ schema, meta: {}, id: `${id}/${first}`, side: first }, rest);
}

function walk(from: Found, path: readonly PathSegment[]): Found | undefined {
  const [segment, ...rest] = path;
  if (segment === undefined) return from;
  for (const option of optionsOf(from.schema)) {
    const next = memberOf({ ...from, schema: option }, String(segment));
    const found = next === undefined ? undefined : walk(next, rest);
    if (found !== undefined) return found;
  }
  return undefined;
}

function memberOf({ schema, meta, id, side }: Found, key: string): Found | undefined {
  const of = side === undefined ? {} : { side };
  if (schema instanceof z.ZodObject) {
    const declared = Object.hasOwn(schema.shape, key) ? (schema.shape as Record<string, z.ZodType>)[key] : undefined;
    return declared === undefined ? undefined : { schema: declared, meta: metaOf(declared), id: `${id}/${key}`, ...of };
  }
  if (schema instanceof z.ZodArray) return { schema: schema.element as z.ZodType, meta, id, ...of };
  return schema instanceof z.ZodRecord ? { schema: schema.valueType as z.ZodType, meta, id, ...of } : undefined;
}

function objectSchemas(found: Found | undefined): readonly (Found & { readonly schema: z.ZodObject })[] {
  if (found === undefined) return [];
  return optionsOf(found.schema)
    .filter((schema) => schema instanceof z.ZodObject)
    .map((schema) => ({ ...found, schema }));
}

function optionsOf(schema: z.ZodType): readonly z.ZodType[] {
  const inner = unwrap(schema);
  return inner instanceof z.ZodUnion ? (inner.options as z.ZodType[]).flatMap(optionsOf) : [inner];
}

function keyOf(key: string, declared: z.ZodType, { id, side }: Omit<Found, 'schema'>): DocumentKey {
  const meta = metaOf(declared);
  const { title, help } = fieldWords(`${id}/${key}`, {
    title: meta.title ?? key,
    help: meta.help ?? '',
    group: meta.group ?? '',
  });
  const options = optionsOf(declared);
  const values = options.some((one) => one instanceof z.ZodBoolean)
    ? [true, false]
    : (choicesOf(declared) ?? options.flatMap((one) => choicesOf(one) ?? []));
  const holds = options.some((one) => one instanceof z.ZodArray)
    ? 'list'
    : options.every((one) => one instanceof z.ZodObject || one instanceof z.ZodRecord)
      ? 'object'
      : undefined;
  return { key, label: title, help, required: !declared.safeParse(undefined).success, meta, holds, values, side };
}

function partKey(key: string): DocumentKey {
  const words = text.editor.parts[key as 'vm' | Side];
  return {
    key,
    label: words.title,
    help: words.help,
    required: false,
    meta: {},
    holds: 'object',
    values: [],
    side: undefined,
  };
}

function sideKey(side: Side, key: string): DocumentKey {
  const words = text.editor.sideKeys[key as 'plugin' | 'environment'];
  const values = key === 'plugin' ? pluginIds.filter((id) => plugins[id][side] !== undefined) : [];
  return {
    key,
    label: words.title,
    help: words.help,
    required: true,
    meta: {},
    holds: key === 'environment' ? 'object' : undefined,
    values,
    side,
  };
}

/** The product's name beside the id of a plugin. */
export function valueDetail(path: readonly PathSegment[], value: unknown): string | undefined {
  const [side, key] = path;
  return path.length === 2 && isSide(side) && key === 'plugin' && typeof value === 'string' && isPlugin(value)
    ? pluginTitle(plugins[value])
    : undefined;
}

export function pluginOf(root: unknown, side: Side): PluginId | undefined {
  const plugin = objectAt(root, [side])['plugin'];
  return typeof plugin === 'string' && isPlugin(plugin) ? plugin : undefined;
}

function metaOf(schema: z.ZodType): Partial<FieldMeta> {
  return (schema.meta() ?? {}) as Partial<FieldMeta>;
}

function isSide(value: unknown): value is Side {
  return sides.some((side) => side === value);
}

function isPlugin(value: string): value is PluginId {
  return Object.hasOwn(plugins, value);
}
