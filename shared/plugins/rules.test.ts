import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../model/json.ts';
import { pluginIds, type PluginId, type Side } from '../model/plugin-id.ts';
import type { Catalog } from '../model/catalog.ts';
import { validateDocument, type ValidationOptions } from '../validation/validate-document.ts';
import { findEnvironment, plugins } from './registry.ts';
import { goldenCatalog, goldenEnvironment, goldenEnvironments, goldenVm } from './testing/golden-documents.ts';
import { pluginOf, ruleCases, type RuleCase } from './testing/rule-cases.ts';

const section = 'european_cloud_migration_provider';

/** Two machine types of one name, and such with little or no disk, beside those of the golden catalog. */
const catalog: Catalog = {
  ...goldenCatalog,
  machine_types: [
    ...(goldenCatalog.machine_types ?? []),
    { id: 'd1', name: 'double', vcpus: 8 },
    { id: 'd2', name: 'double', vcpus: 8 },
    { id: 'm0', name: 'diskless', vcpus: 1, disk_gb: 0 },
    { id: 'm5', name: 'tiny', vcpus: 1, disk_gb: 5 },
  ],
};

function check(
  plugin: PluginId,
  side: Side,
  environment: JsonObject,
  vm: object | null = goldenVm,
  options: ValidationOptions = { catalog },
) {
  return validateDocument({ ...(vm === null ? {} : { vm }), [side]: { plugin, environment } }, options);
}

function changed(environment: JsonObject, change: RuleCase['environment'] = {}): JsonObject {
  return Object.fromEntries(
    Object.entries({ ...environment, ...change }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
}

describe('the golden document', () => {
  test.each(goldenEnvironments)('of $plugin as a $side has no finding', ({ plugin, side, environment }) => {
    expect(check(plugin, side, environment)).toEqual([]);
  });

  test.each(goldenEnvironments)(
    'of $plugin as a $side has no finding but the hint without VM and catalog',
    ({ plugin, side, environment }) => {
      expect(check(plugin, side, environment, null, {}).filter(({ severity }) => severity !== 'info')).toEqual([]);
    },
  );

  test.each(goldenEnvironments)('of $plugin as a $side uses nearly every key', ({ plugin, side, environment }) => {
    const unused = Object.keys(findEnvironment(plugin, side)?.schema.shape ?? {}).filter(
      (key) => environment[key] === undefined,
    );
    expect(unused.length).toBeLessThan(4);
  });
});

describe('a rule', () => {
  test.each(ruleCases)('$rule ($side) sees $path', (one) => {
    const { rule, side, severity, path } = one;
    const configuration = one.configuration === undefined ? undefined : new Map([[section, one.configuration]]);
    const environment = changed(goldenEnvironment(pluginOf(one), side), one.environment);
    const findings = check(
      pluginOf(one),
      side,
      environment,
      { ...goldenVm, ...one.vm },
      {
        catalog,
        ...(one.connection === undefined ? {} : { connections: { [side]: one.connection } }),
        ...(configuration === undefined ? {} : { providerConfiguration: configuration }),
      },
    );
    const pointer = path.startsWith('/vm/') ? path : `/${side}/environment${path}`;
    expect(
      findings.filter((finding) => finding.rule === rule).map((finding) => [finding.severity, finding.path]),
    ).toEqual([[severity, pointer]]);
    expect(findings.filter(({ rule: id }) => id === 'general/rule-failed')).toEqual([]);
  });

  test('has a case, each one of them', () => {
    const all = pluginIds.flatMap((id) =>
      (['source', 'destination'] as const).flatMap((side) =>
        (plugins[id][side]?.rules ?? []).map((rule) => `${rule.id} ${side}`),
      ),
    );
    const covered = new Set(ruleCases.map(({ rule, side }) => `${rule} ${side}`));
    expect(all.filter((rule) => !covered.has(rule))).toEqual([]);
    expect([...covered].filter((rule) => !all.includes(rule))).toEqual([]);
  });
});

describe('a rule keeps still', () => {
  const golden = goldenEnvironment('european-cloud', 'destination');
  const european = (
    environment: RuleCase['environment'],
    vm: object | null = goldenVm,
    options: ValidationOptions = { catalog },
  ) =>
    check('european-cloud', 'destination', changed(golden, environment), vm, options).filter(
      ({ severity }) => severity !== 'info',
    );

  test('about what only a VM could tell, when there is none', () => {
    expect(european({ migr_image_map: undefined, network_map: {} }, null)).toEqual([]);
  });

  test('about fixed addresses when they are not kept', () => {
    const nics = [{ ...goldenVm.nics[0], ip_addresses: ['192.0.2.1', 'fe80::1'] }];
    expect(european({ preserve_fixed_ips: false }, { ...goldenVm, nics })).toEqual([]);
  });

  test('about an ambiguous name that is given by ID', () => {
    expect(european({ migr_network: 'net-4' })).toEqual([]);
  });

  test('about kinds of resources that the catalog does not hold, and about the catalog of another plugin', () => {
    expect(european({ keypair_name: 'nobody' }, goldenVm, { catalog: { networks: goldenCatalog.networks! } })).toEqual(
      [],
    );
    expect(
      european({ keypair_name: 'nobody' }, goldenVm, { catalog: { ...catalog, plugin: 'open-source-cloud' } }),
    ).toEqual([]);
  });

  test('about NICs when the required network map is missing as a whole', () => {
    expect(european({ network_map: undefined }).map(({ path }) => path)).toEqual([
      '/destination/environment/network_map',
    ]);
  });

  test('about required keys that the provider configuration gives', () => {
    const providerConfiguration = new Map([
      [section, { migr_network: 'workers', migr_machine_type: 'small', availability_zone: 'zone-1' }],
    ]);
    const environment = { migr_network: undefined, migr_machine_type: undefined, availability_zone: undefined };
    expect(european(environment, goldenVm, { catalog, providerConfiguration })).toEqual([]);
    expect(
      european(environment)
        .map(({ path }) => path)
        .sort(),
    ).toEqual([
      '/destination/environment/availability_zone',
      '/destination/environment/migr_machine_type',
      '/destination/environment/migr_network',
    ]);
  });

  test('about secrets that are given by reference, and about worker images of supported systems', () => {
    expect(
      european({ migr_image_map: { linux: 'Ubuntu 24.04', windows: 'Windows Server 2022' } }, goldenVm, {}),
    ).toEqual([]);
  });
});

test('a way to the distributed storage is missed only where the connection is known', () => {
  const environment = { replica_export_mechanism: 'distributed_backups' };
  const rules = (connection?: JsonObject) =>
    check(
      'open-source-cloud',
      'source',
      environment,
      null,
      connection === undefined ? {} : { connections: { source: connection } },
    ).map(({ rule }) => rule);
  expect(rules()).toEqual([]);
  expect(rules({ ceph_options: { ceph_username: 'migration' } })).toEqual([]);
  expect(rules({ auth_url: 'https://identity.example.com:5000/v3' })).toEqual([
    'open-source-cloud/no-distributed-storage',
  ]);
});

test('kinds of resources that the catalog’s shape does not name are compared too, whatever stands in them', () => {
  const odd = {
    ...catalog,
    server_groups: [null, 'x', { id: 1 }, { id: 'g1', name: 'gruop' }],
    floating_ip_pools: [{ id: 'p', name: 'public' }],
  };
  const environment = goldenEnvironment('open-source-cloud', 'destination');
  expect(check('open-source-cloud', 'destination', environment, goldenVm, { catalog: odd as Catalog })).toMatchObject([
    {
      rule: 'open-source-cloud/not-in-catalog',
      path: '/destination/environment/server_group',
      suggestion: 'Did you mean "gruop"?',
    },
  ]);
});

describe('floating IPs without the name of a pool', () => {
  const environment = changed(goldenEnvironment('open-source-cloud', 'destination'), {
    floating_ip_pool: undefined,
    migr_fip_pool_name: undefined,
  });
  const pools = (...names: string[]) => ({ ...catalog, floating_ip_pools: names.map((name) => ({ id: name, name })) });
  const found = (known: Catalog) =>
    check('open-source-cloud', 'destination', environment, goldenVm, { catalog: known }).map(({ severity, path }) => [
      severity,
      path,
    ]);

  test('come from the only one that there is', () => {
    expect(found(pools('public'))).toEqual([]);
  });

  test.each([[[]], [['one', 'two']]])('can’t be had from %j', (names) => {
    expect(found(pools(...names))).toEqual([
      ['error', '/destination/environment/floating_ip_pool'],
      ['error', '/destination/environment/migr_fip_pool_name'],
    ]);
  });

  test('may name a pool whose name holds a slash, and a subnet of it', () => {
    const named = changed(environment, { floating_ip_pool: 'a/b', migr_fip_pool_name: 'a/b/low' });
    expect(check('open-source-cloud', 'destination', named, goldenVm, { catalog: pools('a/b') })).toEqual([]);
    expect(
      check('open-source-cloud', 'destination', named, goldenVm, { catalog: pools('a') }).map(({ path }) => path),
    ).toEqual(['/destination/environment/migr_fip_pool_name']);
  });
});

test('a security group of the provider configuration that is missing is reported at the list', () => {
  const providerConfiguration = new Map([[section, { default_security_groups: ['gone'] }]]);
  const findings = check(
    'european-cloud',
    'destination',
    goldenEnvironment('european-cloud', 'destination'),
    goldenVm,
    { catalog, providerConfiguration },
  );
  expect(findings.map(({ rule, path }) => [rule, path])).toEqual([
    ['european-cloud/not-in-catalog', '/destination/environment/security_groups'],
  ]);
});

test('rules see the canonical key, and report at the spelling that the document has', () => {
  const environment = changed(goldenEnvironment('compartment-cloud', 'destination'), {
    storage_mappings: undefined,
    storage_mapping: { default: 'nvme' },
  });
  const findings = check('compartment-cloud', 'destination', environment);
  expect(findings.map(({ rule, path, severity }) => [severity, rule, path])).toEqual([
    ['warning', 'compartment-cloud/other-spelling', '/destination/environment/storage_mapping'],
    ['warning', 'compartment-cloud/attachment-type', '/destination/environment/storage_mapping/default'],
  ]);
});
