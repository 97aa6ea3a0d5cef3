import { z } from 'zod';
import { isJsonObject, type JsonObject, type JsonValue } from '../model/json.ts';
import {
  pluginOfProduct,
  type PluginDefinition,
  type ProviderConfigurationDefinition,
} from '../plugins/plugin-definition.ts';
import { checkShape } from '../schema/check-shape.ts';
import { asSentence, type Finding } from '../schema/finding.ts';
import { hasMember, toPointer } from '../schema/json-pointer.ts';
import { alternatives, knownKeys, memberSchema, metaOf } from '../schema/schema-walk.ts';
import { nearestSpelling } from '../schema/spelling.ts';
import { readIni, type IniEntry, type IniSection } from './read-ini.ts';
import { decodeText, withoutByteOrderMark } from './text-encoding.ts';

/** A provider configuration file: typed values by section, and what is wrong with it. Pointers are /section/key. */
export interface ProviderConfiguration {
  readonly sections: ReadonlyMap<string, JsonObject>;
  readonly findings: readonly Finding[];
}

/** Reads an INI file. Only the sections that a plugin knows are typed and used; others are warned about. */
export function readProviderConfiguration(
  content: string | Uint8Array,
  plugins: Iterable<PluginDefinition>,
): ProviderConfiguration {
  const decoded = typeof content === 'string' ? content : decodeText(content);
  if (typeof decoded !== 'string') return { sections: new Map(), findings: decoded.findings.map(withSentence) };
  const { sections, faults } = readIni(withoutByteOrderMark(decoded));
  const findings: Finding[] = faults.map(({ message, location }) =>
    withSentence({
      severity: 'error',
      path: '',
      rule: 'provider-configuration/syntax',
      message: `Line ${location.line}: ${message}`,
      location,
    }),
  );
  const known = [...plugins];
  const definitions = definitionsBySection(known);
  const values = new Map<string, JsonObject>();
  for (const section of sections) {
    const definition = definitions.get(section.name) ?? definitionOfProduct(section.name, known);
    if (definition === undefined) {
      findings.push(
        unknownSection(
          section,
          definitions,
          known,
          sections.some(({ name }) => definitions.has(name)),
        ),
      );
      continue;
    }
    const typed = typeSection(section, definition, values.get(definition.section) ?? {});
    values.set(definition.section, typed.values);
    findings.push(...typed.findings);
  }
  findings.sort((a, b) => (a.location?.line ?? 0) - (b.location?.line ?? 0));
  return { sections: values, findings };
}

function definitionsBySection(plugins: Iterable<PluginDefinition>): Map<string, ProviderConfigurationDefinition> {
  const sections = new Map<string, ProviderConfigurationDefinition>();
  for (const plugin of plugins) {
    for (const side of [plugin.source, plugin.destination]) {
      if (side?.providerConfiguration !== undefined)
        sections.set(side.providerConfiguration.section, side.providerConfiguration);
    }
  }
  return sections;
}

const sectionEnding = '_migration_provider';

/** The plugin that a section such as `[stackit_migration_provider]` is for, by the name of its product. */
function pluginOfSection(name: string, plugins: readonly PluginDefinition[]): PluginDefinition | undefined {
  return name.endsWith(sectionEnding) ? pluginOfProduct(name.slice(0, -sectionEnding.length), plugins) : undefined;
}

function definitionOfProduct(
  name: string,
  plugins: readonly PluginDefinition[],
): ProviderConfigurationDefinition | undefined {
  const plugin = pluginOfSection(name, plugins);
  return plugin?.destination?.providerConfiguration ?? plugin?.source?.providerConfiguration;
}

/** A service's whole configuration has many sections, so others are fine; not so one that may be meant for a plugin. */
function unknownSection(
  section: IniSection,
  definitions: ReadonlyMap<string, unknown>,
  plugins: readonly PluginDefinition[],
  othersAreKnown: boolean,
): Finding {
  const place = {
    path: toPointer([section.name]),
    rule: 'provider-configuration/unknown-section',
    location: section.location,
  };
  const plugin = pluginOfSection(section.name, plugins);
  if (plugin !== undefined) {
    return withSentence({
      ...place,
      severity: 'info',
      message: `[${section.name}] has no effect: ${plugin.id} has no provider configuration`,
    });
  }
  if (section.name.endsWith(sectionEnding)) {
    const listed = [...definitions.keys()].map((name) => `[${name}]`).join(', ');
    return withSentence({
      ...place,
      severity: 'error',
      message: `[${section.name}] is not a known section: its options have no effect`,
      suggestion: `Known sections: ${listed}.`,
    });
  }
  const nearest = nearestSpelling(section.name, definitions.keys());
  return withSentence({
    ...place,
    severity: nearest === undefined && othersAreKnown ? 'info' : 'warning',
    message: `Unknown section [${section.name}]: its options have no effect`,
    ...(nearest === undefined ? {} : { suggestion: `Did you mean [${nearest}]?` }),
  });
}

/** Types the entries by the schema, then checks them against it. Values that are wrong are left out. */
function typeSection(
  section: IniSection,
  { schema }: ProviderConfigurationDefinition,
  before: JsonObject,
): { values: JsonObject; findings: Finding[] } {
  const findings: Finding[] = [];
  const values: Record<string, JsonValue> = { ...before };
  const places = new Map(section.entries.map(({ key, location }) => [key, location]));
  const keys = knownKeys(schema);
  const report = (
    entry: IniEntry,
    rule: string,
    fault: Pick<Finding, 'message' | 'suggestion'>,
    severity: Finding['severity'] = 'error',
  ): void => {
    const path = toPointer([section.name, entry.key]);
    findings.push(
      withSentence({ severity, path, rule: `provider-configuration/${rule}`, ...fault, location: entry.location }),
    );
  };
  for (const entry of section.entries) {
    const member = keys.includes(entry.key) ? memberSchema(schema, entry.key) : undefined;
    if (member === undefined) {
      const nearest = nearestSpelling(entry.key, keys);
      report(entry, 'unknown-key', {
        message: `Unknown option ${JSON.stringify(entry.key)} in [${section.name}]`,
        ...(nearest === undefined ? {} : { suggestion: `Did you mean ${JSON.stringify(nearest)}?` }),
      });
    } else if (hasMember(values, entry.key)) {
      report(entry, 'duplicate-key', {
        message: `${JSON.stringify(entry.key)} is set twice: the second value is ignored`,
      });
    } else if (entry.value !== '') {
      if (/\s[#;]/.test(entry.value)) {
        const suggestion = 'Put the comment on a separate line.';
        report(
          entry,
          'inline-comment',
          {
            message: `The comment after the value of ${JSON.stringify(entry.key)} is read as part of the value`,
            suggestion,
          },
          'warning',
        );
      }
      const typed = typeValue(member, entry.value);
      if ('fault' in typed)
        report(entry, 'wrong-type', {
          message: `${JSON.stringify(entry.key)} ${typed.fault}`,
          ...(typed.suggestion === undefined ? {} : { suggestion: typed.suggestion }),
        });
      else values[entry.key] = typed.value;
    }
  }
  const optional = schema.partial();
  for (const fault of checkShape(optional, values, {
    unknownKey: ({ key }) => ({ message: `${JSON.stringify(key)} is not accepted here` }),
  })) {
    const key = String(fault.path[0]);
    const location = places.get(key);
    if (location === undefined) continue;
    const { path, rule, ...rest } = fault;
    findings.push(
      withSentence({
        ...rest,
        path: toPointer([section.name, ...path]),
        rule: `provider-configuration/${rule}`,
        location,
      }),
    );
    delete values[key];
  }
  return { values, findings };
}

type Typed = { readonly value: JsonValue } | { readonly fault: string; readonly suggestion?: string };

const switchWords: Readonly<Record<string, boolean>> = {
  true: true,
  yes: true,
  on: true,
  1: true,
  false: false,
  no: false,
  off: false,
  0: false,
};

/** The text of an INI value as the type that the schema wants: an INI file knows texts only. */
function typeValue(schema: z.core.$ZodType, text: string): Typed {
  const kinds = alternatives(schema);
  if (kinds.some((kind) => kind instanceof z.ZodBoolean)) {
    const word = text.toLowerCase();
    const value = Object.hasOwn(switchWords, word) ? switchWords[word] : undefined;
    return value === undefined ? { fault: 'must be true or false' } : { value };
  }
  if (kinds.some((kind) => kind instanceof z.ZodNumber)) {
    return /^-?\d{1,15}$/.test(text) ? { value: Number(text) } : { fault: 'must be a whole number' };
  }
  if (kinds.some((kind) => kind instanceof z.ZodArray)) return listOf(text);
  if (kinds.some((kind) => kind instanceof z.ZodRecord || kind instanceof z.ZodObject) && !isSecret(schema))
    return mappingOf(text, schema);
  return { value: text };
}

function takesText(schema: z.core.$ZodType): boolean {
  return alternatives(schema).some((kind) => kind instanceof z.ZodString || kind instanceof z.ZodEnum);
}

function isSecret(schema: z.core.$ZodType): boolean {
  return metaOf(schema)?.['secret'] === true;
}

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Texts between commas; JSON and other notations with brackets would become a part of the first and the last one. */
function listOf(text: string): Typed {
  if (!/^[[({]/.test(text)) return { value: partsOf(text) };
  const words = partsOf(text.replaceAll(/[[\]{}()"']/g, ''));
  return {
    fault: 'must be a list separated by commas, without brackets and quotes',
    ...(words.length === 0 ? {} : { suggestion: `Write ${words.join(', ')}.` }),
  };
}

/** `key:value` pairs between commas. Only the first colon of a pair separates: values may be URLs. */
function mappingOf(text: string, schema: z.core.$ZodType): Typed {
  const mapping: Record<string, JsonValue> = {};
  if (/^[[({]/.test(text))
    return {
      fault: 'must be key:value pairs separated by commas, not JSON',
      suggestion: pairsSuggestion(text, schema),
    };
  for (const pair of partsOf(text)) {
    const colon = pair.indexOf(':');
    const key = pair.slice(0, Math.max(colon, 0)).trim();
    if (key === '')
      return {
        fault: `must be key:value pairs separated by commas; ${JSON.stringify(pair)} is not a pair`,
        suggestion: pairsForm(schema),
      };
    if (key === '__proto__') return { fault: 'must not contain the key "__proto__"' };
    if (Object.hasOwn(mapping, key)) return { fault: `contains the key ${JSON.stringify(key)} twice` };
    const value = pair.slice(colon + 1).trim();
    const member = memberSchema(schema, key);
    const typed = member === undefined || takesText(member) ? { value } : typeValue(member, value);
    if ('fault' in typed) return { fault: `contains ${JSON.stringify(key)}, which ${typed.fault}` };
    mapping[key] = typed.value;
  }
  return { value: mapping };
}

/** JSON as the pairs that it stands for; the form alone where that cannot be told. */
function pairsSuggestion(text: string, schema: z.core.$ZodType): string {
  let given: unknown;
  try {
    given = JSON.parse(text);
  } catch {
    return pairsForm(schema);
  }
  if (
    !isJsonObject(given) ||
    !Object.values(given).every((value) => ['string', 'number', 'boolean'].includes(typeof value))
  )
    return pairsForm(schema);
  const pairs = Object.entries(given).map(([key, value]) => `${key}:${String(value)}`);
  return pairs.length === 0 || pairs.some((pair) => pair.includes(','))
    ? pairsForm(schema)
    : `Write ${pairs.join(',')}.`;
}

function pairsForm(schema: z.core.$ZodType): string {
  const keys = knownKeys(schema).slice(0, 2);
  return `Use the form ${(keys.length === 0 ? ['key1', 'key2'] : keys).map((key) => `${key}:${keys.length === 0 ? 'value' : 'name'}`).join(',')}.`;
}

function withSentence(finding: Finding): Finding {
  return { ...finding, message: asSentence(finding.message) };
}
