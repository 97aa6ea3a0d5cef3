import { stringify } from 'yaml';
import { z } from 'zod';
import { platforms } from '../../electron/engine/platforms/registry.ts';
import { pluginIds, sides, type PluginId, type Side } from '../../shared/model/plugin-id.ts';
import type { FieldMeta, OptionSource } from '../../shared/plugins/field-meta.ts';
import {
  platformLabel,
  type EnvironmentDefinition,
  type ProviderConfigurationDefinition,
} from '../../shared/plugins/plugin-definition.ts';
import { plugins } from '../../shared/plugins/registry.ts';
import { exampleConnection, exampleEnvironment } from '../../shared/plugins/render/example.ts';
import { typeLabel } from '../../shared/plugins/render/type-label.ts';
import { fieldsOf, unwrap, type SchemaField } from '../../shared/plugins/schema-fields.ts';
import { ruleCases } from '../../shared/plugins/testing/rule-cases.ts';
import { findingName, findingText } from '../../shared/validation/finding-texts.ts';
import { manualAnchors, manualPages } from '../../shared/manual/addresses.ts';
import { markdownTable } from './generated-block.ts';

/**
 * The manual's pages about plugins: one for each side, one for what an endpoint asks for. Everything on them is from the
 * schemas, their help texts and the rules in shared/plugins.
 */

/** Page → what writes it. */
export const pluginPages: Readonly<Record<string, () => string>> = Object.fromEntries(
  pluginIds.flatMap((id): (readonly [string, () => string])[] => [
    ...sides
      .filter((side) => plugins[id][side] !== undefined)
      .map((side) => [`docs/manual/${manualPages.environment(id, side)}.md`, () => environmentPage(id, side)] as const),
    [`docs/manual/${manualPages.connection(id)}.md`, () => connectionPage(id)],
  ]),
);

/** The list of plugin pages on the manual's first page. */
export function pluginList(): string {
  const link = (title: string, page: string, isThere: boolean): string => (isThere ? `[${title}](${page}.md)` : '');
  return markdownTable(
    ['Platform', 'Plugin', 'As a source', 'As a destination', 'Endpoint'],
    pluginIds.map((id) => [
      platformLabel(plugins[id]),
      `\`${id}\``,
      link('source', manualPages.environment(id, 'source'), plugins[id].source !== undefined),
      link('destination', manualPages.environment(id, 'destination'), plugins[id].destination !== undefined),
      link('connection', manualPages.connection(id), true),
    ]),
  );
}

const written =
  '<!-- Written by scripts/documents/plugin-pages.ts from shared/plugins. Change it there, then run: npm run docs -->';
const state = (id: PluginId, side: Side): string =>
  platforms[id]?.[side] === undefined
    ? `This version cannot connect to the platform as a ${side}: it can only write and validate its settings.`
    : `Causeway connects to this platform as a ${side}. The support matrix (\`docs/support-matrix.md\`) lists how that was tested.`;

/** What an endpoint of a plugin is good for. */
function usableSides(id: PluginId): string {
  const here = sides.filter((side) => platforms[id]?.[side] !== undefined);
  return here.length === 0
    ? 'This version cannot connect to the platform: it can only write and validate its settings.'
    : `The endpoint can be used as a ${here.join(' and as a ')}.`;
}

function environmentPage(id: PluginId, side: Side): string {
  const plugin = plugins[id];
  const definition = plugin[side]!;
  const other = side === 'source' ? 'destination' : 'source';
  const links = [
    `[connection](${own(manualPages.connection(id))})`,
    ...(plugin[other] === undefined ? [] : [`[as a ${other}](${own(manualPages.environment(id, other))})`]),
    '[environment files](../environment-files.md)',
  ];
  return page(
    `# ${platformLabel(plugin)} as a ${side}`,
    written,
    `All keys of the ${side} environment of the plugin \`${id}\`. ${state(id, side)}`,
    ...(plugin.notice === undefined ? [] : [plugin.notice]),
    `See also: ${links.join(', ')}.`,
    '## Example',
    'Every key is optional unless it says "required". This example sets those that have an effect together:',
    fenced(stringify({ [side]: { plugin: id, environment: exampleEnvironment(plugin, side) } }, { lineWidth: 100 })),
    '## Keys',
    ...keys(definition.schema, manualAnchors.key, checksOf(id, side)),
    ...secrets(definition.schema, 'An environment file never needs a secret in plain text.'),
    ...spellings(definition),
    ...rules(definition, id, side),
    ...(definition.providerConfiguration === undefined ? [] : providerConfiguration(definition.providerConfiguration)),
  );
}

function connectionPage(id: PluginId): string {
  const plugin = plugins[id];
  const environments = sides
    .filter((side) => plugin[side] !== undefined)
    .map((side) => `[as a ${side}](${own(manualPages.environment(id, side))})`);
  return page(
    `# ${platformLabel(plugin)}: connection`,
    written,
    `The connection parameters of an endpoint of the plugin \`${id}\`. Enter them in the workbench under **Endpoints**, **Add endpoint**, or save them as a file and run \`causeway endpoint add <name> --plugin ${id} --connection <file>\`. ${usableSides(id)}`,
    ...(plugin.notice === undefined ? [] : [plugin.notice]),
    `See also: ${[...environments, '[environment files](../environment-files.md)'].join(', ')}.`,
    '## Example',
    'With every parameter; most endpoints need only a few of them:',
    fenced(stringify(exampleConnection(plugin), { lineWidth: 100 })),
    '## Parameters',
    ...keys(plugin.connection, manualAnchors.key, new Map()),
    ...secrets(
      plugin.connection,
      'The workbench and the command line put what you enter into the vault; it is never displayed again.',
    ),
  );
}

/** Keys under the headings of the forms, in the order of the forms. */
function keys(
  schema: z.ZodObject,
  anchor: (path: string) => string,
  checks: ReadonlyMap<string, readonly string[]>,
): string[] {
  const fields = fieldsOf(schema);
  if (fields.length === 0) return ['This part has no keys.'];
  const groups = Map.groupBy(
    fields,
    ({ path }) => fields.find((field) => field.path.length === 1 && field.path[0] === path[0])?.meta.group ?? '',
  );
  return [...groups].flatMap(([group, members]) => [
    `### ${group}`,
    ...members.flatMap((field) => key(field, anchor, checks)),
  ]);
}

function key(
  field: SchemaField,
  anchor: (path: string) => string,
  checks: ReadonlyMap<string, readonly string[]>,
): string[] {
  const { meta, required, path } = field;
  const name = pathText(path);
  const facts: readonly (readonly [label: string, value: string | undefined])[] = [
    ['Type', `${typeLabel(field.schema)}${meta.unit === undefined ? '' : `, in ${meta.unit}`}`],
    ['Required', required ? requiredText(path) : undefined],
    ['Default', meta.builtIn === undefined ? undefined : `\`${JSON.stringify(meta.builtIn)}\``],
    ['Form', meta.secret === true ? undefined : form(field.inner)],
    ['Choices', choices(meta)],
    ['Secret', meta.secret === true ? 'yes, as a reference to the vault' : undefined],
    ['Leads to', meta.reach === undefined ? undefined : reaches[meta.reach]],
    ['Example', meta.example === undefined ? undefined : code(JSON.stringify(meta.example))],
    [
      'Checks',
      checks
        .get(name)
        ?.map((rule) => `[${rule}](../${manualPages.failures}.md#${manualAnchors.finding(rule)})`)
        .join(', '),
    ],
  ];
  return [
    `<a id="${anchor(name)}"></a>\n\n#### \`${name}\``,
    `**${meta.title ?? name}.** ${meta.help ?? ''}`,
    facts.flatMap(([label, value]) => (value === undefined ? [] : [`- ${label}: ${value}`])).join('\n'),
  ];
}

function requiredText(path: readonly string[]): string {
  if (path.length === 1) return 'yes';
  const parent = path.slice(0, -1);
  return parent.at(-1) === '*'
    ? `yes, in each entry of \`${pathText(parent.slice(0, -1))}\``
    : `yes, if \`${pathText(parent)}\` is set`;
}

const reaches: Readonly<Record<NonNullable<FieldMeta['reach']>, string>> = {
  address: 'an address that this computer or a worker connects to; a project from someone else needs your trust first',
  socket: 'a socket on this computer; a project from someone else needs your trust first',
  file: 'a file on this computer; a project from someone else needs your trust first',
  program: 'a program that a guest runs; a project from someone else needs your trust first',
  access: 'access to a worker; a project from someone else needs your trust first',
};

const sources: Readonly<Record<OptionSource, string>> = {
  networks: 'networks',
  images: 'images',
  machine_types: 'machine types',
  volume_types: 'volume types',
  security_groups: 'security groups',
  affinity_groups: 'affinity groups',
  availability_zones: 'availability zones',
  keypairs: 'key pairs',
  regions: 'regions',
  resource_groups: 'resource groups',
  storage_accounts: 'storage accounts',
  subnets: 'subnets',
  compartments: 'compartments',
  projects: 'projects',
  templates: 'templates',
  server_pools: 'server pools',
  repositories: 'repositories',
  floating_ip_pools: 'floating IP pools',
  server_groups: 'server groups',
  os_types: 'operating systems',
  clone_types: 'cloning methods',
  attachment_types: 'volume attachment types',
  'vm.networks': 'source networks of the VM',
  'vm.storage_backends': 'storage back ends of the VM',
  'vm.disks': 'disks of the VM',
};

/** Where the workbench takes the choices from that it offers. */
function choices({ keysFrom, optionsFrom }: Partial<FieldMeta>): string | undefined {
  const of = (source: OptionSource): string =>
    source.startsWith('vm.') ? sources[source] : `${sources[source]} of the platform`;
  if (keysFrom !== undefined && optionsFrom !== undefined) return `${of(keysFrom)} to ${of(optionsFrom)}`;
  const source = keysFrom ?? optionsFrom;
  return source === undefined ? undefined : of(source);
}

/** What a text must look like, in the words of the message that refuses it. */
function form(schema: z.ZodType): string | undefined {
  const said = new Set<string>();
  const visit = (type: z.ZodType): void => {
    const inner = unwrap(type);
    if (inner instanceof z.ZodGUID) said.add('must be a UUID');
    if ('options' in inner.def) for (const option of inner.def.options as z.ZodType[]) visit(option);
    if ('element' in inner.def) visit(inner.def.element as z.ZodType);
    const own = [
      inner.def as { error?: unknown },
      ...(inner.def.checks ?? []).map((check) => check._zod.def as { error?: unknown }),
    ];
    for (const { error } of own) {
      const message: unknown =
        typeof error === 'function' ? (error as (issue: object) => unknown)({ input: '' }) : undefined;
      if (typeof message === 'string' && message.startsWith('must ') && message !== 'must not be blank')
        said.add(message);
    }
  };
  visit(schema);
  return said.size === 0 ? undefined : [...said].join('; ');
}

function secrets(schema: z.ZodObject, lead: string): string[] {
  const found = fieldsOf(schema)
    .filter(({ meta }) => meta.secret === true)
    .map(({ path }) => `\`${pathText(path)}\``);
  if (found.length === 0) return [];
  return [
    '## Secrets',
    `${found.join(', ')}: write \`{"$secret": "<name>"}\`, with the name of a secret in the vault. ${lead}`,
  ];
}

function spellings({ acceptedSpellings, knownAliases }: EnvironmentDefinition): string[] {
  const list = (table: Readonly<Record<string, string>>): string =>
    Object.entries(table)
      .map(([from, to]) => `- \`${from}\`: write \`${to}\``)
      .join('\n');
  return [
    ...(Object.keys(acceptedSpellings).length === 0
      ? []
      : ['## Other spellings', 'Accepted with a warning:', list(acceptedSpellings)]),
    ...(Object.keys(knownAliases).length === 0
      ? []
      : ['## Keys of other tools', 'Refused, with the key of Causeway suggested:', list(knownAliases)]),
  ];
}

/** Rule → where its test cases find it, in paths of keys. */
function checksOf(id: PluginId, side: Side): Map<string, string[]> {
  const byKey = new Map<string, string[]>();
  for (const { rule, path } of casesOf(id, side)) {
    const { rule: name, key: place } = { rule: findingName(rule), key: keyOfPath(id, side, path) };
    if (place !== undefined) byKey.set(place, [...new Set([...(byKey.get(place) ?? []), name])]);
  }
  return byKey;
}

const casesOf = (id: PluginId, side: Side) =>
  ruleCases.filter((one) => one.side === side && one.rule.startsWith(`${id}/`));

/** The documented key that a pointer of a finding leads to, or the nearest one above it. */
function keyOfPath(id: PluginId, side: Side, pointer: string): string | undefined {
  if (pointer.startsWith('/vm/')) return undefined;
  const names = new Set(fieldsOf(plugins[id][side]!.schema).map(({ path }) => pathText(path)));
  for (let parts = pointer.split('/').slice(1); parts.length > 0; parts = parts.slice(0, -1)) {
    const name = pathText(parts.map((part) => (/^\d+$/.test(part) ? '*' : part)));
    if (names.has(name)) return name;
  }
  return undefined;
}

function rules(definition: EnvironmentDefinition, id: PluginId, side: Side): string[] {
  const rows = definition.rules.map((rule) => {
    const name = findingName(rule.id);
    const cases = casesOf(id, side).filter((one) => one.rule === rule.id);
    const places = [
      ...new Set(
        cases.map(({ path }) => (path.startsWith('/vm/') ? 'the VM' : `\`${keyOfPath(id, side, path) ?? path}\``)),
      ),
    ];
    return [
      `[${name}](../${manualPages.failures}.md#${manualAnchors.finding(name)})`,
      findingText(rule.id)?.title ?? '',
      [...new Set(cases.map(({ severity }) => severity))].join(', '),
      places.join(', '),
    ];
  });
  if (rows.length === 0) return [];
  return [
    '## Rules',
    'What validation checks beyond the form of each value. Some rules need the description of the VM or a catalog of the destination.',
    markdownTable(['Rule', 'Finds', 'Severity', 'At'], rows),
  ];
}

function providerConfiguration({ section, schema, mergeRules }: ProviderConfigurationDefinition): string[] {
  const merges = mergeRules.map(({ kind, from, into }) =>
    kind === 'join'
      ? `- \`${from}\` is joined with \`${into}\` of the environment.`
      : `- \`${into}\` of the environment is merged over \`${from}\`.`,
  );
  return [
    '## Provider configuration',
    `Section \`[${section}]\` of an INI file. The other layers override its values (see [environment files](../environment-files.md)), except:`,
    merges.join('\n'),
    ...keys(schema, manualAnchors.providerKey, new Map()).map((part) => part.replace(/^### /, '### Defaults: ')),
  ];
}

const own = (manualPage: string): string => `${manualPage.replace('plugins/', '')}.md`;
const pathText = (path: readonly string[]): string => path.join('.').replaceAll('.*', '[]');
const fenced = (text: string): string => `\`\`\`yaml\n${text.trimEnd()}\n\`\`\``;
/** Text with backquotes in it would end the span. */
const code = (text: string): string => (text.includes('`') ? text : `\`${text}\``);
const page = (...parts: readonly string[]): string => `${parts.filter((part) => part !== '').join('\n\n')}\n`;
