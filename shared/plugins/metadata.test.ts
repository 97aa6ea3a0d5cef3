import { describe, expect, test } from 'vitest';
import { pluginIds, type PluginId, type Side } from '../model/plugin-id.ts';
import { synonymOf, keySynonyms, findSynonym } from './key-synonyms.ts';
import { findEnvironment, findPlugin, isPluginId, plugins } from './registry.ts';
import { schemaOfPart } from './render/rendered-part.ts';
import { fieldsOf } from './schema-fields.ts';

const sides = ['source', 'destination'] as const;
const environments = pluginIds.flatMap((id) =>
  sides.flatMap((side) => (plugins[id][side] === undefined ? [] : [{ id, side }])),
);

const parts = [
  ...pluginIds.flatMap((id) =>
    [...sides, 'connection' as const].map((part) => ({
      name: `${part} of ${id}`,
      schema: schemaOfPart(plugins[id], part),
    })),
  ),
  {
    name: 'provider configuration of european-cloud',
    schema: findEnvironment('european-cloud', 'destination')?.providerConfiguration?.schema,
  },
].filter((part) => part.schema !== undefined);

describe.each(parts)('$name', ({ schema }) => {
  test.each(fieldsOf(schema as never).map((field) => ({ key: field.path.join('.'), field })))(
    '$key says what it is',
    ({ field }) => {
      const { meta, schema: declared } = field;
      expect(meta.title).toMatch(/^[A-Z][^.]*$/);
      expect(meta.help).toMatch(/^[A-Z\u201C"].{14,}[.]$/s);
      expect(meta.help).not.toBe(meta.title);
      expect(meta.group).toMatch(/^[A-Z]/);
      expect(declared.safeParse(meta.example).error, 'the example is valid').toBeUndefined();
      expect(meta.example, 'there is an example').toBeDefined();
      if (meta.builtIn !== undefined)
        expect(declared.safeParse(meta.builtIn).error, 'the default is valid').toBeUndefined();
      if (meta.secret === true) expect(declared.safeParse({ $secret: 'name' }).success).toBe(true);
      if (meta.keysFrom !== undefined) expect(field.inner.def.type).toBe('record');
      if (field.inner.def.type === 'number' && /size|memory/.test(field.path.at(-1) ?? ''))
        expect(meta.unit).toBeDefined();
    },
  );
});

test('the description that JSON Schema shows is the help', () => {
  const [field] = fieldsOf(plugins['european-cloud'].destination?.schema as never);
  expect(field?.schema.description).toBe(field?.meta.help);
});

describe.each(environments)('$side of $id', ({ id, side }) => {
  const definition = findEnvironment(id, side)!;
  const paths = new Set(fieldsOf(definition.schema).map(({ path }) => path.join('.')));

  test('rules have ids of the plugin, each one once', () => {
    const ids = definition.rules.map((rule) => rule.id);
    for (const rule of ids) expect(rule).toMatch(new RegExp(`^${id}/[a-z0-9]+(?:-[a-z0-9]+)*$`));
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('aliases and other spellings lead to keys that exist, from keys that do not', () => {
    for (const [from, to] of Object.entries({ ...definition.acceptedSpellings, ...definition.knownAliases })) {
      expect(paths, from).toContain(to);
      expect(paths, from).not.toContain(from);
    }
  });

  test('rules look before they use: any type anywhere is survived', () => {
    const vm = {
      id: 'v',
      name: 'v',
      os_type: 'windows' as const,
      firmware: 'uefi' as const,
      disks: [{ id: 'd', size_bytes: 1, storage_backend: 'b' }],
      nics: [{ id: 'n', network: 'N', ip_addresses: ['10.0.0.1', 'fe80::1', 'no address'] }],
    };
    const catalog = {
      networks: [{ id: 'n', name: 'x', cidrs: ['nonsense'] }],
      images: [{ id: 'i', name: 'x' }],
      machine_types: [{ id: 'm', name: 'x' }],
    };
    const values = [
      null,
      0,
      '',
      'x',
      true,
      [],
      [null],
      ['x', 1],
      {},
      { linux: 1 },
      { default: {}, disk_mappings: 'x', backend_mappings: [1] },
      { N: null },
      { N: { id: 1 } },
      { N: 'x' },
    ];
    for (const value of values) {
      const environment = Object.fromEntries(
        [...paths].filter((path) => !path.includes('.')).map((key) => [key, value]),
      );
      for (const rule of definition.rules) {
        for (const context of [
          { vm, catalog },
          { vm: undefined, catalog: undefined },
        ]) {
          const findings = [
            ...rule.check({ side, environment, effective: environment, providerConfiguration: {}, ...context }),
          ];
          for (const finding of findings) expect(finding.message, rule.id).toMatch(/[.]$/);
        }
      }
    }
  });
});

test('equivalent keys all exist, and none is in two groups of one side', () => {
  const seen = new Set<string>();
  for (const { plugin, side, key } of keySynonyms.flat()) {
    const paths = fieldsOf(findEnvironment(plugin, side)?.schema as never).map(({ path }) => path.join('.'));
    expect(paths, `${plugin} ${side}`).toContain(key);
    expect(seen).not.toContain(`${plugin} ${side} ${key}`);
    seen.add(`${plugin} ${side} ${key}`);
  }
});

test.each<[string, PluginId, Side, string | undefined]>([
  ['flavor_name', 'european-cloud', 'destination', 'machine_type'],
  ['machine_type', 'open-source-cloud', 'destination', 'flavor_name'],
  ['vm_size', 'compartment-cloud', 'destination', 'shape_name'],
  ['migr_flavor_name', 'european-cloud', 'destination', 'migr_machine_type'],
  ['export_flavor_name', 'european-cloud', 'destination', 'migr_machine_type'],
  ['migr_worker_volume_type', 'european-cloud', 'destination', 'migr_worker_volume_performance_class'],
  ['storage_map', 'open-source-cloud', 'destination', 'storage_mappings'],
  ['migr_flavor_name', 'open-source-cloud', 'source', 'service_backups_options.export_flavor_name'],
  ['os_label', 'european-cloud', 'destination', undefined],
  ['no_such_key', 'european-cloud', 'destination', undefined],
])('%s is for the %s as a %s: %s', (key, plugin, side, here) => {
  expect(synonymOf(key, plugin, side)).toBe(here);
});

test('a key tells whose it is, also where there is no equivalent', () => {
  expect(findSynonym('os_label', 'european-cloud', 'destination')?.owners).toEqual([
    { plugin: 'server-virtualization-manager', side: 'destination', key: 'os_label' },
  ]);
});

test('only ids of plugins are plugin ids', () => {
  expect(['european-cloud', 'toString', '__proto__', ''].map(isPluginId)).toEqual([true, false, false, false]);
  expect(findPlugin('constructor')).toBeUndefined();
});
