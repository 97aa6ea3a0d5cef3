import fc from 'fast-check';
import { expect, test } from 'vitest';
import { plugins } from '../plugins/registry.ts';
import { rounds } from '../testing/rounds.ts';
import { readProviderConfiguration } from './provider-configuration.ts';

const section = 'european_cloud_migration_provider';
const read = (text: string): ReturnType<typeof readProviderConfiguration> =>
  readProviderConfiguration(text, Object.values(plugins));
const found = (text: string): unknown[] =>
  read(text).findings.map(({ severity, path, rule, location }) => [severity, path, rule, location?.line]);

test('values get the types that the options have', () => {
  const text = `[${section}]
set_dhcp = No
volumes_are_zeroed = TRUE
migr_worker_volume_size = 20
availability_zone = zone-1
default_security_groups = base, monitoring,
migr_image_map = linux:img-1, windows:img:2
server_properties = url:https://a.example:8443/x?y=1, key:c3NoLXJzYSBBQUFB==
windows_virtio_iso_url = https://a.example/virtio.iso#sha=1;x
default_custom_boot_volume_image_metadata = secure_boot:true, disk_bus:scsi
affinity_group =
`;
  const { sections, findings } = read(text);
  expect(findings).toEqual([]);
  expect(sections.get(section)).toEqual({
    set_dhcp: false,
    volumes_are_zeroed: true,
    migr_worker_volume_size: 20,
    availability_zone: 'zone-1',
    default_security_groups: ['base', 'monitoring'],
    migr_image_map: { linux: 'img-1', windows: 'img:2' },
    server_properties: { url: 'https://a.example:8443/x?y=1', key: 'c3NoLXJzYSBBQUFB==' },
    windows_virtio_iso_url: 'https://a.example/virtio.iso#sha=1;x',
    default_custom_boot_volume_image_metadata: { secure_boot: true, disk_bus: 'scsi' },
  });
});

test('what is wrong is found with its line, and only right values are used', () => {
  const text = `[${section}]
set_dhcp = maybe
migr_worker_volume_size = 0
disk_buss = scsi
disk_bus = sata
use_public_ip = true  # for now
migr_image_map = linux
server_properties = __proto__:x
availability_zone = a
availability_zone = b
server_labels = ok, not/ok
`;
  const at = (key: string): string => `/${section}/${key}`;
  expect(found(text)).toEqual([
    ['error', at('set_dhcp'), 'provider-configuration/wrong-type', 2],
    ['error', at('migr_worker_volume_size'), 'provider-configuration/out-of-range', 3],
    ['error', at('disk_buss'), 'provider-configuration/unknown-key', 4],
    ['error', at('disk_bus'), 'provider-configuration/value-not-allowed', 5],
    ['warning', at('use_public_ip'), 'provider-configuration/inline-comment', 6],
    ['error', at('use_public_ip'), 'provider-configuration/wrong-type', 6],
    ['error', at('migr_image_map'), 'provider-configuration/wrong-type', 7],
    ['error', at('server_properties'), 'provider-configuration/wrong-type', 8],
    ['error', at('availability_zone'), 'provider-configuration/duplicate-key', 10],
    ['error', `${at('server_labels')}/1`, 'provider-configuration/wrong-form', 11],
  ]);
  expect(read(text).sections.get(section)).toEqual({ availability_zone: 'a' });
});

test('other sections of the service are noted; a misspelt one, or no known one at all, is warned about', () => {
  expect(found(`[DEFAULT]\nx = 1\n[${section}]\n`)).toEqual([
    ['info', '/DEFAULT', 'provider-configuration/unknown-section', 1],
  ]);
  expect(found('[DEFAULT]\nx = 1\n')).toEqual([['warning', '/DEFAULT', 'provider-configuration/unknown-section', 1]]);
  const misspelt = read(`[${section}s]\nset_dhcp = true\n`);
  expect(misspelt.findings).toMatchObject([{ severity: 'warning', suggestion: `Did you mean [${section}]?` }]);
  expect(misspelt.sections.size).toBe(0);
});

test('any text is read without a crash', () => {
  const piece = fc.constantFrom(
    '[',
    ']',
    section,
    '=',
    ':',
    ',',
    '\n',
    '\n ',
    ' ',
    '#',
    '"',
    'set_dhcp',
    'migr_image_map',
    '__proto__',
    'x',
    '1',
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), (pieces) => {
      for (const { location } of read(`[${section}]\n${pieces.join('')}`).findings)
        expect(location?.line).toBeGreaterThan(0);
    }),
    { numRuns: rounds(1000) },
  );
  expect(({} as Record<string, unknown>)['x']).toBeUndefined();
});
