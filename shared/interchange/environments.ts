import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import type { PluginId, Side } from '../model/plugin-id.ts';
import { plugins } from '../plugins/registry.ts';
import { fieldsOf } from '../plugins/schema-fields.ts';
import { canonicalise } from '../schema/accepted-spellings.ts';
import type { NotCarried, TransferPayload } from './payloads.ts';

/** What a destination's environment calls its storage mapping. */
const storageKeys = ['storage_mappings', 'storage_map', 'storage_mapping'];
/** Words that Coriolis uses for itself in keys and values, and those of the plugins here. */
const renamedValues: Readonly<Record<string, string>> = {
  swift_backups: 'objectstore_backups',
  ceph_backups: 'distributed_backups',
  ceph_snapshots: 'distributed_snapshots',
  coriolis_backups: 'service_backups',
};
const renamedKeys: Readonly<Record<string, string>> = {
  swift_backups_options: 'objectstore_backups_options',
  coriolis_backups_options: 'service_backups_options',
  vixdisklib_compatibility_version: 'disklib_compatibility_version',
};
const mechanismKey = 'replica_export_mechanism';

/** An environment as the plugin here takes it. */
export function importEnvironment(
  of: string,
  plugin: PluginId,
  side: Side,
  written: JsonObject,
): { readonly environment: JsonObject; readonly notCarried: readonly NotCarried[] } {
  const definition = plugins[plugin][side];
  if (definition === undefined)
    return {
      environment: {},
      notCarried: Object.keys(written).map((what) => ({ of, what, why: `${plugin} is not available as a ${side}` })),
    };
  const renamed = Object.fromEntries(
    Object.entries(written).map(([key, value]): [string, JsonValue] => [
      importedKey(key, definition.schema.shape),
      key === mechanismKey && typeof value === 'string' ? (renamedValues[value] ?? value) : value,
    ]),
  );
  const { environment } = canonicalise(renamed, definition.acceptedSpellings);
  const known = Object.keys(definition.schema.shape);
  const notCarried = Object.keys(environment)
    .filter((key) => !known.includes(key))
    .map((what) => ({ of, what, why: `${plugin} has no such setting as a ${side}` }));
  // A member that is null is one that is not set.
  return {
    environment: Object.fromEntries(
      Object.entries(environment).filter(([key, value]) => known.includes(key) && value !== null),
    ),
    notCarried,
  };
}

function importedKey(key: string, shape: object): string {
  if (Object.hasOwn(shape, key)) return key;
  return renamedKeys[key] ?? key.replace(/^cloudbaseinit_/, 'winguestinit_');
}

/** The destination's environment with the mappings, which stand beside it in a payload. */
export function withMappings(
  of: string,
  plugin: PluginId,
  environment: JsonObject,
  { network_map: networks, storage_mappings: storage }: Pick<TransferPayload, 'network_map' | 'storage_mappings'>,
): { readonly environment: JsonObject; readonly notCarried: readonly NotCarried[] } {
  const shape = plugins[plugin].destination?.schema.shape ?? {};
  const added: Record<string, JsonValue> = {};
  const notCarried: NotCarried[] = [];
  if (networks !== null && networks !== undefined && Object.keys(networks).length > 0) {
    if (Object.hasOwn(shape, 'network_map')) added['network_map'] = networks;
    else notCarried.push({ of, what: 'network_map', why: `${plugin} has no network mapping` });
  }
  const mapping = storage === null || storage === undefined ? {} : storageMapping(storage);
  const key = storageKeys.find((one) => Object.hasOwn(shape, one));
  if (Object.keys(mapping).length > 0) {
    if (key !== undefined) added[key] = mapping;
    else notCarried.push({ of, what: 'storage_mappings', why: `${plugin} has no storage mapping` });
  }
  return { environment: { ...environment, ...added }, notCarried };
}

function storageMapping({
  default: standard,
  backend_mappings: backends,
  disk_mappings: disks,
}: NonNullable<TransferPayload['storage_mappings']>): JsonObject {
  return {
    ...(standard === null || standard === undefined || standard === '' ? {} : { default: standard }),
    ...((backends ?? []).length === 0
      ? {}
      : { backend_mappings: backends!.map(({ source, destination }) => ({ source, destination })) }),
    ...((disks ?? []).length === 0
      ? {}
      : { disk_mappings: disks!.map(({ disk_id: id, destination }) => ({ disk_id: String(id), destination })) }),
  };
}

/** The other way: mappings beside the environment, words as Coriolis has them, nothing secret. */
export function exportEnvironment(
  of: string,
  plugin: PluginId,
  side: Side,
  environment: JsonObject,
): {
  readonly environment: JsonObject;
  readonly networkMap: JsonObject;
  readonly storageMappings: JsonObject;
  readonly notCarried: readonly NotCarried[];
} {
  const { kept, secrets } = withoutSecrets(plugin, side, environment);
  const notCarried = secrets.map((what): NotCarried => ({ of, what, why: 'secrets are not exported; enter it again' }));
  const back = new Map(
    [...Object.entries(renamedKeys), ...Object.entries(renamedValues)].map(([theirs, own]) => [own, theirs]),
  );
  const parts: Record<'networkMap' | 'storageMappings', JsonObject> = { networkMap: {}, storageMappings: {} };
  const rest: Record<string, JsonValue> = {};
  for (const [key, value] of Object.entries(kept)) {
    if (side === 'destination' && key === 'network_map' && isJsonObject(value)) parts.networkMap = value;
    else if (side === 'destination' && storageKeys.includes(key) && isJsonObject(value)) parts.storageMappings = value;
    else
      rest[back.get(key) ?? key.replace(/^winguestinit_/, 'cloudbaseinit_')] =
        key === mechanismKey && typeof value === 'string' ? (back.get(value) ?? value) : value;
  }
  return { environment: rest, ...parts, notCarried };
}

/** What of an object can be shown to others: no secret by the plugin's metadata, and no reference to one. */
export function withoutSecrets(
  plugin: PluginId,
  part: Side | 'connection',
  object: JsonObject,
): { readonly kept: JsonObject; readonly secrets: readonly string[] } {
  const schema = part === 'connection' ? plugins[plugin].connection : plugins[plugin][part]?.schema;
  const marked = new Set(
    (schema === undefined ? [] : fieldsOf(schema))
      .filter(({ meta }) => meta.secret === true)
      .map(({ path }) => path.join('.')),
  );
  const secrets: string[] = [];
  const walk = (value: JsonValue, path: readonly string[], place: readonly string[]): JsonValue | undefined => {
    if (marked.has(path.join('.')) || (isJsonObject(value) && Object.hasOwn(value, '$secret'))) {
      secrets.push(place.join('.'));
      return undefined;
    }
    if (Array.isArray(value))
      return (value as readonly JsonValue[]).flatMap(
        (item, index) => walk(item, [...path, '*'], [...place, String(index)]) ?? [],
      );
    if (!isJsonObject(value)) return value;
    return Object.fromEntries(
      Object.entries(value).flatMap(([key, member]) => {
        const step = marked.has([...path, '*', key].join('.')) ? ['*', key] : [key];
        const found = walk(member, [...path, ...step], [...place, key]);
        return found === undefined ? [] : [[key, found]];
      }),
    );
  };
  return { kept: (walk(object, [], []) ?? {}) as JsonObject, secrets };
}
