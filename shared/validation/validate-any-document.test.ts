import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '../model/json.ts';
import { pluginIds, type PluginId, type Side } from '../model/plugin-id.ts';
import { exampleEnvironment } from '../plugins/render/example.ts';
import { plugins } from '../plugins/registry.ts';
import type { Catalog } from '../model/catalog.ts';
import type { Finding } from '../schema/finding.ts';
import { fromPointer, hasMember } from '../schema/json-pointer.ts';
import { rounds } from '../testing/rounds.ts';
import { validateDocument, validateText } from './validate-document.ts';

const sides = ['source', 'destination'] as const;
const definitions = pluginIds.flatMap((id) =>
  sides.flatMap((side) => (plugins[id][side] === undefined ? [] : [{ id, side }])),
);

/** Keys of every plugin and depth, so that random documents get past the first check. */
function keysIn(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(keysIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, member]) => [key, ...keysIn(member)]);
}
const examples = new Map(definitions.map(({ id, side }) => [`${id} ${side}`, exampleEnvironment(plugins[id], side)]));
const allKeys = [
  ...new Set([
    ...definitions.flatMap(({ id, side }) => Object.keys(plugins[id][side]?.schema.shape ?? {})),
    ...keysIn([...examples.values()]),
    'storage_mapping',
    'virtual_disk_clone_types',
    'migr_template_map',
  ]),
];

const key = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...allKeys) },
  { weight: 1, arbitrary: fc.string() },
  { weight: 1, arbitrary: fc.constantFrom('a/b', '~', '', 'constructor', 'toString', '__proto__', '0') },
);
const leaf = fc.oneof(
  fc.string(),
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.double({ noNaN: true, noDefaultInfinity: true }),
  fc.constantFrom(
    'HTTPS',
    'yes',
    'disk-0',
    'VM Network',
    'net-1',
    '10.0.0.5',
    'fe80::1',
    'objectstore_backups',
    'linux',
  ),
);
const json = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    { weight: 3, arbitrary: leaf },
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(key, tie('value'), { maxKeys: 4 }),
  ),
})).value;

const vm = fc.oneof(
  json,
  fc.constantFrom('linux', 'windows').map((os_type) => ({
    id: 'vm-1',
    name: 'web',
    os_type,
    firmware: 'uefi',
    disks: [{ id: 'disk-0', size_bytes: 5_000_000_000, storage_backend: 'datastore1' }],
    nics: [{ id: 'nic-0', network: 'VM Network', ip_addresses: ['10.0.0.5', 'fe80::1', 'nonsense'] }],
  })),
);

/** An environment of the plugin's example with some values replaced by anything, or anything at all. */
function environmentOf(id: PluginId, side: Side): fc.Arbitrary<unknown> {
  const example = examples.get(`${id} ${side}`) ?? {};
  return fc.oneof(
    json,
    fc.dictionary(key, json, { maxKeys: 6 }),
    fc
      .tuple(
        fc.subarray(Object.keys(example)),
        fc.dictionary(fc.constantFrom(...Object.keys(plugins[id][side]?.schema.shape ?? { none: 0 })), json, {
          maxKeys: 4,
        }),
      )
      .map(([kept, changed]) => ({
        ...Object.fromEntries(kept.map((name) => [name, example[name]])),
        ...changed,
      })),
  );
}

const sideValue = (side: Side): fc.Arbitrary<unknown> =>
  fc.oneof(
    { weight: 1, arbitrary: json },
    {
      weight: 8,
      arbitrary: fc
        .constantFrom(...definitions.filter((one) => one.side === side))
        .chain(({ id }) => environmentOf(id, side).map((environment) => ({ plugin: id, environment }))),
    },
  );

const anyDocument = fc
  .oneof(
    { weight: 1, arbitrary: json },
    {
      weight: 9,
      arbitrary: fc.record(
        { vm, source: sideValue('source'), destination: sideValue('destination') },
        { requiredKeys: [] },
      ),
    },
  )
  // What a file can hold: no undefined, no -0, `__proto__` as a key of its own.
  .map((value) => JSON.parse(JSON.stringify(value)) as unknown);

const catalog: Catalog = {
  networks: [
    { id: 'n1', name: 'net-1', cidrs: ['10.0.0.0/24', 'nonsense'] },
    { id: 'n2', name: 'net-1' },
  ],
  images: [{ id: 'i1', name: 'linux', min_disk_gb: 5 }],
  machine_types: [{ id: 'm1', name: 'c1.2', vcpus: 1, memory_mb: 1 }],
};

/** The member is there, or its nearest container is one that could hold it. */
function isPlace(document: unknown, pointer: string): boolean {
  let container = document;
  for (const segment of fromPointer(pointer)) {
    if (!hasMember(container, segment))
      return typeof container === 'object' && container !== null && !Array.isArray(container);
    container = (container as Record<string, unknown>)[segment];
  }
  return true;
}

test('whatever a document holds, validation ends well, points to places that exist, and no rule fails', () => {
  fc.assert(
    fc.property(anyDocument, fc.boolean(), (document, withCatalog) => {
      const findings = validateDocument(document, withCatalog ? { catalog } : {});
      for (const { path, rule, message, severity } of findings) {
        expect({ path, rule, isPlace: isPlace(document, path) }).toEqual({ path, rule, isPlace: true });
        expect(rule).toMatch(/^[a-z][a-z-]*\/[a-z][a-z\d-]*$/);
        expect(rule).not.toBe('general/rule-failed');
        expect(message).toMatch(/[.!?]$/);
        expect(['error', 'warning', 'info']).toContain(severity);
      }
      expect(new Set(findings.map((finding) => JSON.stringify(finding))).size).toBe(findings.length);
    }),
    { numRuns: rounds(1500) },
  );
});

test('the same document has the same findings in the same order, whether read from YAML or from JSON', () => {
  const withoutPlaces = (findings: readonly Finding[]): unknown[] =>
    findings.map(({ location: _location, ...finding }) => finding);
  fc.assert(
    fc.property(anyDocument, (document) => {
      const text = JSON.stringify(document);
      fc.pre(!text.includes('__proto__'));
      const yaml = stringify(document);
      // A few strings do not survive the YAML library's own round trip (lone surrogates, line ends in keys).
      fc.pre(JSON.stringify(parse(yaml)) === text && !text.includes('-0'));
      const fromValue = validateDocument(document);
      expect(withoutPlaces(validateText(text, { format: 'json' }))).toEqual(fromValue);
      expect(withoutPlaces(validateText(yaml, { format: 'yaml' }))).toEqual(fromValue);
    }),
    { numRuns: rounds(400) },
  );
});

const valid = {
  vm: {
    id: 'vm-1',
    name: 'web',
    os_type: 'linux',
    disks: [{ id: 'disk-0', size_bytes: 1_073_741_824 }],
    nics: [{ id: 'nic-0', network: 'VM Network' }],
  },
  source: { plugin: 'virtualization-platform', environment: { automatically_enable_cbt: true } },
  destination: {
    plugin: 'european-cloud',
    environment: {
      network_map: { 'VM Network': 'prod' },
      availability_zone: 'z',
      migr_network: 'm',
      migr_machine_type: 't',
      migr_image_map: { linux: 'l' },
    },
  },
};

interface Fault {
  readonly path: string;
  readonly rule: string;
  readonly damage: (
    document: Record<'vm' | 'source' | 'destination', Record<string, unknown>> & {
      environments: Record<Side, JsonObject>;
    },
  ) => void;
}

const put = (container: unknown, name: string, value: unknown): void => {
  (container as Record<string, unknown>)[name] = value;
};

const faults: readonly Fault[] = [
  { path: '/zz', rule: 'document/unknown-key', damage: (document) => put(document, 'zz', 1) },
  { path: '/vm/vcpus', rule: 'vm/wrong-type', damage: ({ vm: part }) => put(part, 'vcpus', 'two') },
  { path: '/vm/colour', rule: 'vm/unknown-key', damage: ({ vm: part }) => put(part, 'colour', 'red') },
  { path: '/source/extra', rule: 'document/unknown-key', damage: ({ source }) => put(source, 'extra', 1) },
  {
    path: '/source/environment/automatically_enable_cbt',
    rule: 'virtualization-platform/wrong-type',
    damage: ({ environments }) => put(environments.source, 'automatically_enable_cbt', 'yes'),
  },
  {
    path: '/source/environment/flavour',
    rule: 'virtualization-platform/unknown-key',
    damage: ({ environments }) => put(environments.source, 'flavour', 1),
  },
  {
    path: '/destination/environment/network_map/VM Network',
    rule: 'european-cloud/nic-not-mapped',
    damage: ({ environments }) => put(environments.destination, 'network_map', {}),
  },
  {
    path: '/destination/environment/availability_zone',
    rule: 'european-cloud/missing-key',
    damage: ({ environments }) => Reflect.deleteProperty(environments.destination, 'availability_zone'),
  },
  {
    path: '/destination/environment/migr_network',
    rule: 'european-cloud/wrong-type',
    damage: ({ environments }) => put(environments.destination, 'migr_network', 5),
  },
  {
    path: '/destination/environment/disk_bus',
    rule: 'european-cloud/value-not-allowed',
    damage: ({ environments }) => put(environments.destination, 'disk_bus', 'sata'),
  },
  {
    path: '/destination/environment/server_labels/1',
    rule: 'european-cloud/wrong-form',
    damage: ({ environments }) => put(environments.destination, 'server_labels', ['a', 'b/c']),
  },
  {
    path: '/destination/environment/migr_worker_volume_size',
    rule: 'european-cloud/out-of-range',
    damage: ({ environments }) => put(environments.destination, 'migr_worker_volume_size', 0),
  },
  {
    path: '/destination/environment/storage_mappings/disk_mappings/0/disk_id',
    rule: 'european-cloud/missing-key',
    damage: ({ environments }) =>
      put(environments.destination, 'storage_mappings', { disk_mappings: [{ destination: 'x' }] }),
  },
  {
    path: '/destination/environment/vm_size',
    rule: 'european-cloud/unknown-key',
    damage: ({ environments }) => put(environments.destination, 'vm_size', 'x'),
  },
];

test('of any two independent faults each is reported at its place', () => {
  for (const first of faults) {
    for (const second of faults) {
      const document = structuredClone(valid) as Record<'vm' | 'source' | 'destination', Record<string, unknown>>;
      const environments = {
        source: document.source['environment'],
        destination: document.destination['environment'],
      } as Record<Side, JsonObject>;
      // The environments are handed out beside the document, not inside it.
      const handle = new Proxy(document, {
        get: (target, name) => (name === 'environments' ? environments : Reflect.get(target, name)),
      });
      for (const { damage } of [first, second]) damage(handle as Parameters<Fault['damage']>[0]);
      const found = validateDocument(document, { catalog: {} }).map(({ path, rule }) => `${path} ${rule}`);
      expect(found).toEqual(expect.arrayContaining([first, second].map(({ path, rule }) => `${path} ${rule}`)));
    }
  }
});

test('the undamaged document has no finding', () => {
  expect(validateDocument(valid, { catalog: {} })).toEqual([]);
});

test('every plugin finds its own example without errors', () => {
  for (const { id, side } of definitions) {
    const errors = validateDocument({ [side]: { plugin: id, environment: examples.get(`${id} ${side}`) } }).filter(
      ({ severity }) => severity === 'error',
    );
    expect({ id, side, errors }).toEqual({ id, side, errors: [] });
  }
});
