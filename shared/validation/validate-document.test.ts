import { describe, expect, test } from 'vitest';
import { readProviderConfiguration } from '../environment/provider-configuration.ts';
import type { JsonObject } from '../model/json.ts';
import { plugins } from '../plugins/registry.ts';
import type { Finding } from '../schema/finding.ts';
import { validateDocument, validateText, type ValidationOptions } from './validate-document.ts';

const vm = {
  id: 'vm-1',
  name: 'web-01',
  os_type: 'linux',
  disks: [{ id: 'disk-0', size_bytes: 10_737_418_240 }],
  nics: [{ id: 'nic-0', network: 'VM Network', ip_addresses: ['10.1.0.5'] }],
};
const environment = {
  network_map: { 'VM Network': 'prod' },
  availability_zone: 'zone-1',
  migr_network: 'mig',
  migr_machine_type: 'c1.2',
  migr_image_map: { linux: 'linux-worker' },
};

const destination = (changes: object, plugin = 'european-cloud'): object => ({
  destination: { plugin, environment: { ...environment, ...changes } },
});

/** Errors and warnings as `severity path rule`. */
function found(document: unknown, options?: ValidationOptions): string[] {
  return validateDocument(document, options)
    .filter(({ severity }) => severity !== 'info')
    .map(({ severity, path, rule }) => `${severity} ${path} ${rule}`);
}

function first(document: unknown): Finding | undefined {
  return validateDocument(document).find(({ severity }) => severity !== 'info');
}

describe('the document', () => {
  test('a complete one has no error', () => {
    expect(found({ vm, source: { plugin: 'virtualization-platform', environment: {} }, ...destination({}) })).toEqual(
      [],
    );
  });

  test.each([null, 5, 'text', true, []])('%j is no document', (value) => {
    expect(found(value)).toEqual(['error  document/wrong-type']);
  });

  test('one side is enough, none is not', () => {
    expect(found({ source: { plugin: 'virtualization-platform', environment: {} } })).toEqual([]);
    expect(found({ vm })).toEqual(['error  document/no-side']);
  });

  test('unknown keys are refused at the root and at the sides', () => {
    const document = { sorce: {}, destination: { plugin: 'european-cloud', enviroment: {}, environment } };
    expect(found(document)).toEqual([
      'error /sorce document/unknown-key',
      'error /destination/enviroment document/unknown-key',
    ]);
    expect(first(document)?.suggestion).toBe('Did you mean "source"?');
  });

  test('a side without plugin and environment misses both where they would stand', () => {
    expect(found({ source: {}, destination: null })).toEqual([
      'error /source/environment document/missing-key',
      'error /source/plugin document/missing-key',
      'error /destination document/wrong-type',
    ]);
  });

  test('a plugin must exist and have the side', () => {
    const document = {
      source: { plugin: 'european-cloud', environment: {} },
      destination: { plugin: 'europaen-cloud', environment: {} },
    };
    expect(found(document)).toEqual([
      'error /source/plugin document/plugin-side',
      'error /destination/plugin document/unknown-plugin',
    ]);
    expect(validateDocument(document)[2]?.suggestion).toBe('Did you mean "european-cloud"?');
  });

  test('names that every object has are no plugins', () => {
    expect(found({ source: { plugin: 'constructor', environment: {} } })).toEqual([
      'error /source/plugin document/unknown-plugin',
    ]);
  });

  test('that there is no catalog is said once, and only with a destination', () => {
    const infos = (document: object): string[] =>
      validateDocument(document)
        .filter(({ severity }) => severity === 'info')
        .map(({ rule }) => rule);
    expect(infos(destination({}))).toEqual(['general/no-catalog']);
    expect(infos({ source: { plugin: 'virtualization-platform', environment: {} } })).toEqual([]);
    expect(validateDocument(destination({}), { catalog: {} })).toEqual([]);
  });

  test('__proto__ in a value is refused and reaches no rule', () => {
    const document: unknown = JSON.parse(
      '{"source": {"plugin": "virtualization-platform", "environment": {"__proto__": {"a": 1}}}}',
    );
    expect(found(document)).toEqual(['error /source/environment/__proto__ document/forbidden-key']);
  });
});

describe('the VM', () => {
  test('everything that is wrong with it is found in one run', () => {
    const wrong = {
      ...vm,
      id: 7,
      os_type: 'solaris',
      zz: 1,
      disks: [{ id: 'd', size_bytes: '5' }, { size_bytes: 1.5 }],
    };
    expect(found({ vm: wrong, ...destination({}) })).toEqual([
      'error /vm/id vm/wrong-type',
      'error /vm/os_type vm/guest-not-supported',
      'error /vm/disks/0/size_bytes vm/wrong-type',
      'error /vm/disks/1/size_bytes vm/wrong-type',
      'error /vm/disks/1/id vm/missing-key',
      'error /vm/zz vm/unknown-key',
    ]);
  });

  test('a fault that does not matter to the rules does not hide what they find', () => {
    const document = { vm: { ...vm, vcpus: 'two', zz: 1 }, ...destination({ network_map: { Other: 'x' } }) };
    expect(found(document)).toContain(
      'error /destination/environment/network_map/VM Network european-cloud/nic-not-mapped',
    );
  });

  test('two disks cannot have one id', () => {
    expect(found({ vm: { ...vm, disks: [...vm.disks, ...vm.disks] }, ...destination({}) })).toEqual([
      'error /vm/disks/1/id vm/repeated-id',
    ]);
  });
});

describe('the environment', () => {
  test('types are exact', () => {
    const document = destination({
      use_public_ip: 'true',
      migr_worker_volume_size: '20',
      keypair_name: null,
      set_dhcp: 1,
      project: 5,
      security_groups: 'web',
    });
    expect(
      validateDocument(document, { catalog: {} }).map(({ path, rule, suggestion }) => [
        path.slice(25),
        rule.slice(15),
        suggestion,
      ]),
    ).toEqual([
      ['use_public_ip', 'wrong-type', 'Write true without quotes.'],
      ['migr_worker_volume_size', 'wrong-type', 'Write 20 without quotes.'],
      ['keypair_name', 'wrong-type', 'Remove the key.'],
      ['set_dhcp', 'wrong-type', undefined],
      ['project', 'wrong-type', 'Put the value in quotes.'],
      ['security_groups', 'wrong-type', 'Write a list: ["web"].'],
    ]);
  });

  test('a wrong element is reported at the element, also in a list that is too long', () => {
    const server_labels = [...Array.from({ length: 50 }, (_, index) => `label-${index}`), 'a/b', 5, 'x'.repeat(61)];
    expect(found(destination({ server_labels })).filter((line) => line.startsWith('error'))).toEqual([
      'error /destination/environment/server_labels european-cloud/wrong-length',
      'error /destination/environment/server_labels/50 european-cloud/wrong-form',
      'error /destination/environment/server_labels/51 european-cloud/wrong-type',
      'error /destination/environment/server_labels/52 european-cloud/wrong-length',
    ]);
  });

  test('hostile keys are escaped in pointers', () => {
    expect(found(destination({ network_map: { 'a/b~c': 5 } }))).toEqual([
      'error /destination/environment/network_map/a~1b~0c european-cloud/wrong-type',
    ]);
  });

  test('required keys are missing where they would stand', () => {
    expect(found({ destination: { plugin: 'european-cloud', environment: {} } })).toEqual(
      ['availability_zone', 'migr_machine_type', 'migr_network', 'network_map'].map(
        (key) => `error /destination/environment/${key} european-cloud/missing-key`,
      ),
    );
  });

  test('a required key counts as given when the provider configuration gives it', () => {
    const text =
      '[european_cloud_migration_provider]\navailability_zone = z\nmigr_network = n\nmigr_machine_type = t\n';
    const { sections } = readProviderConfiguration(text, Object.values(plugins));
    const document = { destination: { plugin: 'european-cloud', environment: { network_map: {} } } };
    expect(found(document, { providerConfiguration: sections })).toEqual([]);
  });

  test('a misspelt value of a choice gets the right one suggested', () => {
    expect(first(destination({ disk_bus: 'virto' }))).toMatchObject({
      rule: 'european-cloud/value-not-allowed',
      suggestion: 'Did you mean "virtio"?',
    });
    expect(first(destination({ data_transfer_mechanism: 'https' }))).toMatchObject({
      suggestion: 'Did you mean "HTTPS"?',
    });
  });

  test.each([
    ['a known alias first', 'keypair', 'Use "keypair_name".'],
    ['also one that is set already', 'zone', 'Remove it: "availability_zone" is already set.'],
    ['an alias that lies deeper', 'performance_class', 'Use "default" in "storage_mappings".'],
    [
      'then the plugin that has the key',
      'flavor_name',
      'This key belongs to the destination environment of open-source-cloud; here it is "machine_type".',
    ],
    [
      'also when there is nothing like it',
      'hypervisor_type',
      'This key belongs to the destination environment of open-source-cloud and has no equivalent here. Remove it.',
    ],
    ['then the spelling', 'disk_buss', 'Did you mean "disk_bus"?'],
    ['else nothing', 'colour', undefined],
  ])('an unknown key: %s', (_tier, key, suggestion) => {
    const finding = first(destination({ [key]: 'x' }));
    expect(finding).toMatchObject({
      severity: 'error',
      path: `/destination/environment/${key}`,
      rule: 'european-cloud/unknown-key',
    });
    expect(finding?.suggestion).toBe(suggestion);
  });

  test('another spelling that is accepted is a warning, both at once are an error at the odd one', () => {
    const side = (keys: JsonObject): object => ({ destination: { plugin: 'compartment-cloud', environment: keys } });
    const spelling = '/destination/environment/storage_mapping compartment-cloud/';
    expect(found(side({ storage_mapping: { default: 'iscsi' } }))).toContain(`warning ${spelling}other-spelling`);
    expect(found(side({ storage_mapping: {}, storage_mappings: {} }))).toContain(`error ${spelling}two-spellings`);
    expect(found(side({ storage_mapping: { default: 5 } }))).toContain(
      'error /destination/environment/storage_mapping/default compartment-cloud/wrong-type',
    );
  });

  test('no value of a secret stands in any finding', () => {
    const document = {
      source: { plugin: 'server-virtualization-manager', environment: { export_template_password: 'canary-1' } },
      destination: {
        plugin: 'server-virtualization-manager',
        environment: { migr_template_password_map: { linux: 'canary-2', solaris: 'canary-3', windows: ['canary-4'] } },
      },
    };
    const findings = validateDocument(document);
    expect(findings.length).toBeGreaterThan(3);
    expect(JSON.stringify(findings)).not.toContain('canary');
  });

  test('a rule that throws becomes a finding and takes no other finding along', () => {
    const original = plugins['european-cloud'];
    if (original.destination === undefined) throw new Error('the plugin has a destination');
    const broken = {
      id: 'european-cloud/broken',
      check: (): never => {
        throw new Error('broken');
      },
    };
    const side = { ...original.destination, rules: [broken, ...original.destination.rules] };
    const document = { vm, ...destination({ network_map: {} }) };
    const rules = validateDocument(document, {
      plugins: { ...plugins, 'european-cloud': { ...original, destination: side } },
    }).map(({ rule }) => rule);
    expect(rules).toEqual(expect.arrayContaining(['general/rule-failed', 'european-cloud/nic-not-mapped']));
  });
});

describe('places in the text', () => {
  test('each finding says where its key, or the nearest container of a missing one, stands', () => {
    const text =
      'destination:\n  plugin: european-cloud\n  environment:\n    network_map: {a: 5}\n    migr_network: n\n    zz: 1\n';
    const places = validateText(text, { catalog: {} }).map(
      ({ path, location }) => `${path.slice(24)} ${location?.line}:${location?.column}`,
    );
    expect(places).toEqual(['/network_map/a 4:19', '/zz 6:5', '/availability_zone 3:3', '/migr_machine_type 3:3']);
  });

  test('a key that stands twice is reported beside everything else', () => {
    const text = '{"source": {"plugin": "virtualization-platform",\n "environment": {"zz": 1, "zz": 2}}}';
    expect(validateText(text, { file: 'a.json' }).map(({ rule, location }) => [rule, location])).toEqual([
      ['document/duplicate-key', { line: 2, column: 27 }],
      ['virtualization-platform/unknown-key', { line: 2, column: 18 }],
    ]);
  });
});
