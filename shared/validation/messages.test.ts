import { describe, expect, test } from 'vitest';
import { readProviderConfiguration } from '../environment/provider-configuration.ts';
import type { JsonObject, JsonValue } from '../model/json.ts';
import type { PluginId, Side } from '../model/plugin-id.ts';
import { plugins } from '../plugins/registry.ts';
import { goldenEnvironment, goldenVm } from '../plugins/testing/golden-documents.ts';
import type { Finding } from '../schema/finding.ts';
import { validateDocument } from './validate-document.ts';

type Exact = Pick<Finding, 'severity' | 'path' | 'rule' | 'message' | 'suggestion'> & { readonly fix?: unknown };

const exact = ({ severity, path, rule, message, suggestion, fix }: Finding): Exact => ({
  severity,
  path,
  rule,
  message,
  ...(suggestion === undefined ? {} : { suggestion }),
  ...(fix === undefined ? {} : { fix }),
});

/** Findings of a golden document with a change, without the hint about catalogs. */
function of(
  plugin: PluginId,
  side: Side,
  change: Readonly<Record<string, JsonValue | undefined>>,
  vm: object = goldenVm,
): Exact[] {
  const environment = Object.fromEntries(
    Object.entries({ ...goldenEnvironment(plugin, side), ...change }).filter(([, value]) => value !== undefined),
  ) as JsonObject;
  return validateDocument({ vm, [side]: { plugin, environment } })
    .filter(({ rule }) => rule !== 'general/no-catalog')
    .map(exact);
}

const set = (value: JsonValue) => ({ kind: 'set-value', value });
const rename = (to: string) => ({ kind: 'rename-key', to });
const remove = { kind: 'remove-key' };

describe('a value of the wrong type', () => {
  test.each<
    [string, PluginId, Side, Readonly<Record<string, JsonValue | undefined>>, Omit<Exact, 'severity' | 'rule'>]
  >([
    [
      'a comma-separated text for a list',
      'european-cloud',
      'destination',
      { server_labels: 'a, b' },
      {
        path: '/server_labels',
        message: '"server_labels" must be a list, not a string.',
        suggestion: 'Write a list: ["a", "b"].',
        fix: set(['a', 'b']),
      },
    ],
    [
      'a single text for a list',
      'open-source-cloud',
      'destination',
      { security_groups: 'web' },
      {
        path: '/security_groups',
        message: '"security_groups" must be a list, not a string.',
        suggestion: 'Write a list: ["web"].',
        fix: set(['web']),
      },
    ],
    [
      'a URN for an image',
      'resource-group-cloud',
      'destination',
      { linux_migr_image: 'Canonical:ubuntu-24_04-lts:server:latest' },
      {
        path: '/linux_migr_image',
        message: '"linux_migr_image" must be an object, not a string.',
        suggestion:
          'Write {"publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "latest"}.',
        fix: set({ publisher: 'Canonical', offer: 'ubuntu-24_04-lts', sku: 'server', version: 'latest' }),
      },
    ],
    [
      'a name for an image',
      'resource-group-cloud',
      'source',
      { export_worker_image: 'Ubuntu' },
      {
        path: '/export_worker_image',
        message: '"export_worker_image" must be an object, not a string.',
        suggestion:
          'Use the form {"publisher": "Canonical", "offer": "ubuntu-24_04-lts", "sku": "server", "version": "latest"}.',
      },
    ],
    [
      'a plain ID for a mapped network',
      'compartment-cloud',
      'destination',
      { network_map: { 'VM Network': 'ocid1.subnet.oc1..aaaa' } },
      {
        path: '/network_map/VM Network',
        message: '"VM Network" must be an object, not a string.',
        suggestion: 'Write {"id": "ocid1.subnet.oc1..aaaa"}.',
        fix: set({ id: 'ocid1.subnet.oc1..aaaa' }),
      },
    ],
    [
      'a text for a storage mapping',
      'classic-infrastructure-cloud',
      'destination',
      { storage_mappings: '/oracle/public/storage/default' },
      {
        path: '/storage_mappings',
        message: '"storage_mappings" must be an object, not a string.',
        suggestion: 'Write {"default": "/oracle/public/storage/default"}.',
        fix: set({ default: '/oracle/public/storage/default' }),
      },
    ],
    [
      'a list for a storage mapping',
      'european-cloud',
      'destination',
      { storage_mappings: [{ source: 'ds1', destination: 'fast' }] },
      {
        path: '/storage_mappings',
        message: '"storage_mappings" must be an object, not a list.',
        suggestion: 'Write {"backend_mappings": [{"source": "ds1", "destination": "fast"}]}.',
        fix: set({ backend_mappings: [{ source: 'ds1', destination: 'fast' }] }),
      },
    ],
    [
      'a text for a mapping',
      'server-virtualization-manager',
      'destination',
      { network_map: 'vlan-20' },
      {
        path: '/network_map',
        message: '"network_map" must be an object, not a string.',
        suggestion: 'Use the form {"VM Network": "vlan-20"}.',
      },
    ],
    [
      'a size with its unit',
      'european-cloud',
      'destination',
      { migr_worker_volume_size: '20GB' },
      {
        path: '/migr_worker_volume_size',
        message: '"migr_worker_volume_size" must be a whole number, not a string.',
        suggestion: 'Write 20 without a unit.',
        fix: set(20),
      },
    ],
    [
      'null for a key that can be left out',
      'european-cloud',
      'destination',
      { keypair_name: null },
      {
        path: '/keypair_name',
        message: '"keypair_name" must not be null.',
        suggestion: 'Remove the key.',
        fix: remove,
      },
    ],
    [
      'null for a required mapping',
      'european-cloud',
      'destination',
      { network_map: null },
      {
        path: '/network_map',
        message: '"network_map" is required and must not be null.',
        suggestion: 'Write {} if there is nothing to set.',
        fix: set({}),
      },
    ],
    [
      'null for a required text',
      'european-cloud',
      'destination',
      { availability_zone: null },
      {
        path: '/availability_zone',
        message: '"availability_zone" is required and must not be null.',
      },
    ],
    [
      'null in a list',
      'european-cloud',
      'destination',
      { security_groups: ['web', null] },
      {
        path: '/security_groups/1',
        message: '"security_groups"[1] must not be null.',
        suggestion: 'Remove the element.',
      },
    ],
  ])('%s', (_what, plugin, side, change, expected) => {
    expect(of(plugin, side, change).filter(({ rule }) => rule.endsWith('/wrong-type'))).toEqual([
      { severity: 'error', rule: `${plugin}/wrong-type`, ...expected, path: `/${side}/environment${expected.path}` },
    ]);
  });

  test.each([
    ['80GB', 85_899_345_920, 'Write 85899345920 without a unit (GB is read as GiB).'],
    ['80 GiB', 85_899_345_920, 'Write 85899345920 without a unit.'],
    ['0.5 TiB', 549_755_813_888, 'Write 549755813888 without a unit.'],
    ['512', 512, 'Write 512 without quotes.'],
  ])('a disk of %s', (text, bytes, suggestion) => {
    const disks = [{ ...goldenVm.disks[0], size_bytes: text }];
    expect(
      validateDocument({ vm: { ...goldenVm, disks }, source: { plugin: 'windows-hypervisor', environment: {} } }).map(
        exact,
      ),
    ).toEqual([
      {
        severity: 'error',
        path: '/vm/disks/0/size_bytes',
        rule: 'vm/wrong-type',
        message: '"size_bytes" must be a whole number, not a string.',
        suggestion,
        fix: set(bytes),
      },
    ]);
  });

  test('memory in GB', () => {
    expect(of('windows-hypervisor', 'source', {}, { ...goldenVm, memory_mb: '4 GB' })).toEqual([
      {
        severity: 'error',
        path: '/vm/memory_mb',
        rule: 'vm/wrong-type',
        message: '"memory_mb" must be a whole number, not a string.',
        suggestion: 'Write 4096 without a unit.',
        fix: set(4096),
      },
    ]);
  });

  test('an environment that is null', () => {
    expect(validateDocument({ source: { plugin: 'windows-hypervisor', environment: null } }).map(exact)).toEqual([
      {
        severity: 'error',
        path: '/source/environment',
        rule: 'document/wrong-type',
        message: '"environment" is required and must not be null.',
        suggestion: 'Write {} if there is nothing to set.',
        fix: set({}),
      },
    ]);
  });
});

describe('an unknown key', () => {
  test.each<
    [string, PluginId, Side, Readonly<Record<string, JsonValue | undefined>>, Omit<Exact, 'severity' | 'rule'>]
  >([
    [
      'in another case',
      'european-cloud',
      'destination',
      { migr_image_map: { Linux: 'linux-worker' } },
      {
        path: '/migr_image_map/Linux',
        message: 'Unknown key "Linux" in "migr_image_map".',
        suggestion: 'Did you mean "linux"?',
        fix: rename('linux'),
      },
    ],
    [
      'a back end in place of its entry',
      'resource-group-cloud',
      'destination',
      { storage_map: { ds1: 'Premium_LRS' } },
      {
        path: '/storage_map/ds1',
        message: 'Unknown key "ds1" in "storage_map".',
        suggestion:
          'To map the storage back end ds1, write {"backend_mappings": [{"source": "ds1", "destination": "Premium_LRS"}]}.',
      },
    ],
    [
      'an alias of a key that is set',
      'virtualization-platform',
      'source',
      { vixdisklib_compatibility_version: '7.0' },
      {
        path: '/vixdisklib_compatibility_version',
        message: 'Unknown key "vixdisklib_compatibility_version" in the source environment of virtualization-platform.',
        suggestion: 'Remove it: "disklib_compatibility_version" is already set.',
        fix: remove,
      },
    ],
    [
      'an alias of a key that is not set',
      'virtualization-platform',
      'source',
      { vixdisklib_compatibility_version: '7.0', disklib_compatibility_version: undefined },
      {
        path: '/vixdisklib_compatibility_version',
        message: 'Unknown key "vixdisklib_compatibility_version" in the source environment of virtualization-platform.',
        suggestion: 'Use "disklib_compatibility_version".',
        fix: rename('disklib_compatibility_version'),
      },
    ],
    [
      'a credential of the endpoint',
      'large-public-cloud',
      'source',
      { access_key_id: 'AKIAEXAMPLE' },
      {
        path: '/access_key_id',
        message: 'Unknown key "access_key_id" in the source environment of large-public-cloud.',
        suggestion:
          'Set it in the connection of the endpoint and remove it here. The file contains it in plain text: rotate the credential if anyone else could read the file.',
        fix: remove,
      },
    ],
    [
      'a credential of another endpoint, by reference',
      'european-cloud',
      'destination',
      { secret_access_key: { $secret: 'aws' } },
      {
        path: '/secret_access_key',
        message: 'Unknown key "secret_access_key" in the destination environment of european-cloud.',
        suggestion: 'Set it in the connection of the large-public-cloud endpoint and remove it here.',
        fix: remove,
      },
    ],
    [
      'another parameter of the connection',
      'virtualization-platform',
      'source',
      { host: 'vcenter.example.com' },
      {
        path: '/host',
        message: 'Unknown key "host" in the source environment of virtualization-platform.',
        suggestion: 'Set it in the connection of the endpoint and remove it here.',
        fix: remove,
      },
    ],
    [
      'in an element of a list',
      'european-cloud',
      'destination',
      { storage_mappings: { disk_mappings: [{ disk: 'disk-1', disk_id: 'disk-1', destination: 'fast' }] } },
      {
        path: '/storage_mappings/disk_mappings/0/disk',
        message: 'Unknown key "disk" in "disk_mappings[0]".',
      },
    ],
  ])('%s', (_what, plugin, side, change, expected) => {
    expect(of(plugin, side, change)).toEqual([
      { severity: 'error', rule: `${plugin}/unknown-key`, ...expected, path: `/${side}/environment${expected.path}` },
    ]);
  });

  test('of the VM', () => {
    expect(
      of(
        'windows-hypervisor',
        'source',
        {},
        { ...goldenVm, disks: [{ ...goldenVm.disks[0], siz_bytes: 1, colour: 'red' }] },
      ),
    ).toEqual([
      {
        severity: 'error',
        path: '/vm/disks/0/siz_bytes',
        rule: 'vm/unknown-key',
        message: 'Unknown key "siz_bytes" in "disks[0]".',
        suggestion: 'Did you mean "size_bytes"?',
        fix: rename('size_bytes'),
      },
      {
        severity: 'error',
        path: '/vm/disks/0/colour',
        rule: 'vm/unknown-key',
        message: 'Unknown key "colour" in "disks[0]".',
        suggestion: 'Known keys: id, size_bytes, storage_backend, bus, bootable.',
      },
    ]);
  });
});

describe('the name of a product', () => {
  test.each<[string, Side, string, unknown]>([
    [
      'vmware_vsphere',
      'source',
      'Use "virtualization-platform", the plugin for this product.',
      set('virtualization-platform'),
    ],
    [
      'VMware vSphere',
      'source',
      'Use "virtualization-platform", the plugin for this product.',
      set('virtualization-platform'),
    ],
    ['stackit', 'destination', 'Use "european-cloud", the plugin for this product.', set('european-cloud')],
    ['hyper-v', 'source', 'Use "windows-hypervisor", the plugin for this product.', set('windows-hypervisor')],
    ['openstack', 'destination', 'Use "open-source-cloud", the plugin for this product.', set('open-source-cloud')],
    ['aws', 'source', 'Use "large-public-cloud", the plugin for this product.', set('large-public-cloud')],
    ['azure', 'destination', 'Use "resource-group-cloud", the plugin for this product.', set('resource-group-cloud')],
    ['oci', 'destination', 'Use "compartment-cloud", the plugin for this product.', set('compartment-cloud')],
    [
      'opc',
      'source',
      'Use "classic-infrastructure-cloud", the plugin for this product.',
      set('classic-infrastructure-cloud'),
    ],
    [
      'oracle_vm',
      'source',
      'Use "server-virtualization-manager", the plugin for this product.',
      set('server-virtualization-manager'),
    ],
  ])('%s as a %s', (plugin, side, suggestion, fix) => {
    expect(validateDocument({ [side]: { plugin, environment: {} } }, { catalog: {} }).map(exact)).toEqual([
      {
        severity: 'error',
        path: `/${side}/plugin`,
        rule: 'document/unknown-plugin',
        message: `Unknown plugin ${JSON.stringify(plugin)}.`,
        suggestion,
        fix,
      },
    ]);
  });

  test('of a plugin without that side', () => {
    const [found] = validateDocument({ destination: { plugin: 'vmware', environment: {} } }, { catalog: {} });
    expect(found?.suggestion).toMatch(
      /^The plugin for this product is "virtualization-platform", but it is not available as a destination\. Plugins for a destination: open-source-cloud, /,
    );
  });
});

describe('a guest', () => {
  test.each<[JsonValue, string, string, string | undefined]>([
    [
      'Windows Server 2019',
      'value-not-allowed',
      '"os_type" is the kind of guest, "linux" or "windows", not the name of a product.',
      'windows',
    ],
    [
      'Ubuntu',
      'value-not-allowed',
      '"os_type" is the kind of guest, "linux" or "windows", not the name of a product.',
      'linux',
    ],
    [
      'solaris',
      'guest-not-supported',
      '"os_type" must be one of "linux", "windows", not "solaris": other guests are not supported.',
      undefined,
    ],
  ])('%s', (osType, rule, message, meant) => {
    expect(of('windows-hypervisor', 'source', {}, { ...goldenVm, os_type: osType })).toEqual([
      {
        severity: 'error',
        path: '/vm/os_type',
        rule: `vm/${rule}`,
        message,
        ...(meant === undefined ? {} : { suggestion: `Write "${meant}".`, fix: set(meant) }),
      },
    ]);
  });
});

describe('an instance type', () => {
  test.each<[string, Omit<Exact, 'path' | 'rule'> & { readonly rule: string }]>([
    [
      't2.medum',
      {
        severity: 'warning',
        rule: 'instance-type-form',
        message:
          '"medum" is not a known size of instance types (nano, micro, small, medium, large, xlarge, 2xlarge …, metal).',
        suggestion: 'Did you mean "t2.medium"?',
        fix: set('t2.medium'),
      },
    ],
    [
      'T3.Medium',
      {
        severity: 'error',
        rule: 'instance-type-form',
        message: '"T3.Medium" is not a valid instance type. Use the form <family>.<size>, e.g. t3.medium.',
        suggestion: 'Did you mean "t3.medium"?',
        fix: set('t3.medium'),
      },
    ],
    [
      't2.medium',
      {
        severity: 'info',
        rule: 'previous-generation',
        message: 't2.medium is a previous-generation type that newer regions do not offer.',
        suggestion: 'Use a current type, e.g. t3.medium.',
      },
    ],
  ])('%s', (type, { rule, ...expected }) => {
    expect(of('large-public-cloud', 'source', { worker_instance_type: type })).toEqual([
      { ...expected, path: '/source/environment/worker_instance_type', rule: `large-public-cloud/${rule}` },
    ]);
  });
});

describe('a provider configuration', () => {
  const read = (text: string) => readProviderConfiguration(text, Object.values(plugins));
  const section = 'european_cloud_migration_provider';

  test('may call its section by the product', () => {
    expect(read('[stackit_migration_provider]\nmigr_network = n\n')).toEqual({
      sections: new Map([[section, { migr_network: 'n' }]]),
      findings: [],
    });
    const twice = read(
      `[${section}]\nmigr_network = a\n[stackit_migration_provider]\nmigr_network = b\nset_dhcp = no\n`,
    );
    expect(twice.sections.get(section)).toEqual({ migr_network: 'a', set_dhcp: false });
    expect(twice.findings.map(({ severity, path, rule }) => [severity, path, rule])).toEqual([
      ['error', '/stackit_migration_provider/migr_network', 'provider-configuration/duplicate-key'],
    ]);
  });

  test.each<[string, string, Exact]>([
    [
      'an unknown provider',
      '[acme_migration_provider]\nmigr_network = n\n',
      {
        severity: 'error',
        path: '/acme_migration_provider',
        rule: 'provider-configuration/unknown-section',
        message: '[acme_migration_provider] is not a known section: its options have no effect.',
        suggestion: `Known sections: [${section}].`,
      },
    ],
    [
      'a provider without options',
      '[openstack_migration_provider]\nx = 1\n',
      {
        severity: 'info',
        path: '/openstack_migration_provider',
        rule: 'provider-configuration/unknown-section',
        message: '[openstack_migration_provider] has no effect: open-source-cloud has no provider configuration.',
      },
    ],
    [
      'a mapping as JSON',
      `[${section}]\nmigr_image_map = {"linux": "Ubuntu 24.04", "windows": "w22"}\n`,
      {
        severity: 'error',
        path: `/${section}/migr_image_map`,
        rule: 'provider-configuration/wrong-type',
        message: '"migr_image_map" must be key:value pairs separated by commas, not JSON.',
        suggestion: 'Write linux:Ubuntu 24.04,windows:w22.',
      },
    ],
    [
      'a mapping as broken JSON',
      `[${section}]\nmigr_image_map = {'linux': 'a'}\n`,
      {
        severity: 'error',
        path: `/${section}/migr_image_map`,
        rule: 'provider-configuration/wrong-type',
        message: '"migr_image_map" must be key:value pairs separated by commas, not JSON.',
        suggestion: 'Use the form linux:name,windows:name.',
      },
    ],
    [
      'a mapping without colons',
      `[${section}]\nmigr_image_map = Ubuntu\n`,
      {
        severity: 'error',
        path: `/${section}/migr_image_map`,
        rule: 'provider-configuration/wrong-type',
        message: '"migr_image_map" must be key:value pairs separated by commas; "Ubuntu" is not a pair.',
        suggestion: 'Use the form linux:name,windows:name.',
      },
    ],
    [
      'a list as JSON',
      `[${section}]\ndefault_security_groups = ["web", "ssh"]\n`,
      {
        severity: 'error',
        path: `/${section}/default_security_groups`,
        rule: 'provider-configuration/wrong-type',
        message: '"default_security_groups" must be a list separated by commas, without brackets and quotes.',
        suggestion: 'Write web, ssh.',
      },
    ],
    [
      'a digest that is none',
      `[${section}]\nwinguestinit_x64_url = https://files.example/agent.zip#md5=0\n`,
      {
        severity: 'error',
        path: `/${section}/winguestinit_x64_url`,
        rule: 'provider-configuration/wrong-form',
        message: '"winguestinit_x64_url" must end with #sha256= and 64 hexadecimal digits, or without a fragment.',
      },
    ],
  ])('%s', (_what, text, expected) => {
    expect(read(text).findings.map(exact)).toEqual([expected]);
  });
});
