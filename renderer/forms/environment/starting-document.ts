import { stringify } from 'yaml';
import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../shared/model/json.ts';
import type { PluginId, Side } from '../../../shared/model/plugin-id.ts';
import type { Vm } from '../../../shared/model/vm.ts';
import { plugins } from '../../../shared/plugins/registry.ts';
import { fieldsOf, type SchemaField } from '../../../shared/plugins/schema-fields.ts';
import type { Catalog } from '../../../shared/model/catalog.ts';
import { validateDocument } from '../../../shared/validation/validate-document.ts';

interface Sides {
  readonly source: PluginId;
  readonly destination: PluginId;
}

/** A value that is the first of several, because nothing says which one is meant: a person has to look at it. */
export interface Guess {
  readonly side: Side;
  readonly key: string;
  /** How many there are. */
  readonly of: number;
}

/** Rounds of "what is still missing"; a key that was filled in can make another one needed. */
const mostRounds = 5;

/**
 * A document to start from: only what must be said, with the VM's own networks at the left of the mappings and what the
 * destination has at their right (of the same name, or the first that fits; people choose). The rest has built-in values.
 */
export function startingDocument(vm: Vm, sides: Sides, catalog: Catalog | undefined): string {
  const environments = startingEnvironments(vm, sides, catalog);
  return stringify({
    source: { plugin: sides.source, environment: environments.source },
    destination: { plugin: sides.destination, environment: environments.destination },
  });
}

/** The same, side by side. */
export function startingEnvironments(
  vm: Vm,
  sides: Sides,
  catalog: Catalog | undefined,
  onGuess: (guess: Guess) => void = () => undefined,
): Record<Side, JsonObject> {
  const of = (side: Side, field: SchemaField): JsonValue => {
    const { value, guessedOf } = valueFor(field, vm, catalog);
    if (guessedOf !== undefined) onGuess({ side, key: field.path[0]!, of: guessedOf });
    return value;
  };
  const environments = {
    source: required(sides.source, 'source', of),
    destination: required(sides.destination, 'destination', of),
  };
  for (let round = 0; round < mostRounds; round += 1) {
    const missing = missingKeys(environments, vm, sides, catalog);
    if (missing.length === 0) break;
    for (const { side, field } of missing)
      environments[side] = { ...environments[side], [field.path[0]!]: of(side, field) };
  }
  return environments;
}

function required(plugin: PluginId, side: Side, valueOf: (side: Side, field: SchemaField) => JsonValue): JsonObject {
  return Object.fromEntries(
    topFields(plugin, side)
      .filter((field) => field.required)
      .map((field) => [field.path[0]!, valueOf(side, field)]),
  );
}

/** Keys that the rules ask for although the shape does not. */
function missingKeys(
  environments: Record<Side, JsonObject>,
  vm: Vm,
  sides: Sides,
  catalog: Catalog | undefined,
): { side: Side; field: SchemaField }[] {
  const document = {
    vm,
    source: { plugin: sides.source, environment: environments.source },
    destination: { plugin: sides.destination, environment: environments.destination },
  };
  const findings = validateDocument(document, { locations: false, ...(catalog === undefined ? {} : { catalog }) });
  const found = new Map<string, { side: Side; field: SchemaField }>();
  for (const { severity, path } of findings) {
    const match = /^\/(source|destination)\/environment\/([^/]+)$/.exec(path);
    if (severity !== 'error' || match === null) continue;
    const side = match[1] as Side;
    const key = match[2]!;
    const field = Object.hasOwn(environments[side], key)
      ? undefined
      : topFields(sides[side], side).find((one) => one.path[0] === key);
    if (field !== undefined) found.set(`${side}/${key}`, { side, field });
  }
  return [...found.values()];
}

function topFields(plugin: PluginId, side: Side): SchemaField[] {
  const schema = plugins[plugin][side]?.schema;
  return schema === undefined ? [] : fieldsOf(schema).filter(({ path }) => path.length === 1);
}

function valueFor(
  { meta, inner }: SchemaField,
  vm: Vm,
  catalog: Catalog | undefined,
): { readonly value: JsonValue; readonly guessedOf?: number } {
  const example = meta.example as JsonValue;
  // An object with fixed keys says at each of them where its choices come from.
  const members = inner instanceof z.ZodObject ? fieldsOf(inner) : [];
  const options = optionsOf(
    catalog,
    meta.optionsFrom ?? members.find((member) => member.meta.optionsFrom !== undefined)?.meta.optionsFrom,
  );
  const written = (option: Option | undefined): string | undefined =>
    (meta.takesIds === true || members.some((member) => member.meta.takesIds === true) ? option?.id : undefined) ??
    option?.name;
  const guessed = (isGuess: boolean) => (isGuess && options.length > 1 ? { guessedOf: options.length } : {});
  if (!isJsonObject(example)) return { value: written(options[0]) ?? example, ...guessed(true) };
  const found = keysFor(meta.keysFrom, example, vm).map((key) => ({ key, ...optionFor(key, options) }));
  return {
    value: Object.fromEntries(
      found.map(({ key, option }) => [key, written(option) ?? example[key] ?? Object.values(example)[0] ?? '']),
    ),
    ...guessed(found.some(({ isGuess }) => isGuess)),
  };
}

function keysFor(keysFrom: string | undefined, example: JsonObject, vm: Vm): string[] {
  if (keysFrom === 'vm.networks') return [...new Set(vm.nics.map(({ network }) => network))];
  if (keysFrom === 'vm.storage_backends')
    return [...new Set(vm.disks.map((disk) => disk.storage_backend).filter((backend) => backend !== undefined))];
  if (keysFrom === 'vm.disks') return vm.disks.map(({ id }) => id);
  // Images by OS type: the worker of a Linux guest runs Linux, one of a Windows guest needs both.
  if (Object.hasOwn(example, 'linux')) return vm.os_type === 'windows' ? ['linux', 'windows'] : ['linux'];
  return Object.keys(example);
}

interface Option {
  readonly id?: string;
  readonly name: string;
  readonly os?: unknown;
}

function optionsOf(catalog: Catalog | undefined, kind: string | undefined): readonly Option[] {
  const list = kind === undefined ? undefined : catalog?.[kind];
  return Array.isArray(list) ? (list as Option[]) : [];
}

function optionFor(
  key: string,
  options: readonly Option[],
): { readonly option: Option | undefined; readonly isGuess: boolean } {
  const system =
    key === 'windows'
      ? /windows/i
      : key === 'linux'
        ? /linux|debian|ubuntu|suse|rhel|red hat|rocky|alma|centos|fedora/i
        : undefined;
  const option =
    system === undefined
      ? options.find(({ name }) => name === key)
      : options.find(({ name, os }) => system.test(`${typeof os === 'string' ? os : ''} ${name}`));
  return option !== undefined || system !== undefined
    ? { option, isGuess: false }
    : { option: options[0], isGuess: true };
}
