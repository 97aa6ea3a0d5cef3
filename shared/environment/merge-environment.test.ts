import { expect, test } from 'vitest';
import type { EnvironmentDefinition } from '../plugins/plugin-definition.ts';
import { plugins } from '../plugins/registry.ts';
import { configurationOnly, explainEnvironment } from './explain-environment.ts';
import { effectiveEnvironment, mergeEnvironment } from './merge-environment.ts';

function destinationOf(id: 'european-cloud' | 'server-virtualization-manager'): EnvironmentDefinition {
  const definition = plugins[id].destination;
  if (definition === undefined) throw new Error(`${id} has no destination`);
  return definition;
}
const cloud = destinationOf('european-cloud');

const providerConfiguration = {
  availability_zone: 'zone-1',
  disk_bus: 'scsi',
  migr_image_map: { linux: 'a', windows: 'b' },
  default_security_groups: ['base', 'web'],
  default_custom_boot_volume_image_metadata: { uefi: true, disk_bus: 'ide' },
  list_all_images: true,
};

test('each layer overrides the one below key by key', () => {
  const layers = {
    providerConfiguration,
    project: { disk_bus: 'ide', project: 'p' },
    wave: { disk_bus: 'usb' },
    vm: { migr_image_map: { linux: 'c' } },
  };
  expect(
    mergeEnvironment(cloud, layers).filter(({ combined, from }) => combined === undefined && from === undefined),
  ).toEqual([
    { key: 'availability_zone', value: 'zone-1', origin: 'provider configuration' },
    { key: 'disk_bus', value: 'usb', origin: 'wave' },
    { key: 'migr_image_map', value: { linux: 'c' }, origin: 'VM' },
    { key: 'project', value: 'p', origin: 'project' },
  ]);
});

test('security groups are joined, each once, and the origin of each is known', () => {
  const [joined] = mergeEnvironment(cloud, { providerConfiguration, vm: { security_groups: ['web', 'shop'] } }).filter(
    ({ key }) => key === 'security_groups',
  );
  expect(joined).toEqual({
    key: 'security_groups',
    value: ['base', 'web', 'shop'],
    origin: 'VM',
    from: 'default_security_groups',
    combined: 'joined',
    parts: [
      { key: 0, origin: 'provider configuration' },
      { key: 1, origin: 'provider configuration' },
      { key: 2, origin: 'VM' },
    ],
  });
});

test('image metadata is merged over the configuration entry by entry', () => {
  const vm = { custom_boot_volume_image_metadata: { disk_bus: 'virtio' } };
  expect(effectiveEnvironment(cloud, { providerConfiguration, vm })['custom_boot_volume_image_metadata']).toEqual({
    uefi: true,
    disk_bus: 'virtio',
  });
});

test('without an own value the configuration counts alone, under the key of the environment', () => {
  expect(effectiveEnvironment(cloud, { providerConfiguration, vm: {} })).toMatchObject({
    security_groups: ['base', 'web'],
    custom_boot_volume_image_metadata: { uefi: true, disk_bus: 'ide' },
  });
});

test('a value of a wrong type overrides as it stands: it is reported elsewhere', () => {
  const vm = { security_groups: 'web', custom_boot_volume_image_metadata: null };
  expect(effectiveEnvironment(cloud, { providerConfiguration, vm })).toMatchObject(vm);
});

test('options that no environment key overrides are not part of the environment', () => {
  expect(effectiveEnvironment(cloud, { providerConfiguration, vm: {} })).not.toHaveProperty('list_all_images');
  expect(configurationOnly(cloud, providerConfiguration).map(({ path }) => path)).toEqual([['list_all_images']]);
});

test('an explanation has every value with its origin, built-in defaults included', () => {
  const vm = {
    network_map: { a: 'b' },
    security_groups: ['shop'],
    custom_boot_volume_image_metadata: { disk_bus: 'virtio' },
  };
  const lines = explainEnvironment(cloud, { providerConfiguration, vm }).map(({ path, origin, combined }) => [
    path.join('.'),
    origin,
    combined,
  ]);
  expect(lines).toEqual(
    expect.arrayContaining([
      ['network_map', 'VM', undefined],
      ['security_groups', 'VM', 'joined'],
      ['availability_zone', 'provider configuration', undefined],
      ['disk_bus', 'provider configuration', undefined],
      ['custom_boot_volume_image_metadata.uefi', 'provider configuration', 'merged'],
      ['custom_boot_volume_image_metadata.disk_bus', 'VM', 'merged'],
      ['migr_image_map.windows', 'provider configuration', undefined],
      ['set_dhcp', 'built-in', undefined],
      ['data_transfer_mechanism', 'built-in', undefined],
    ]),
  );
});

test('secrets are marked, also under a misspelt key beside them', () => {
  const vm = { migr_template_password_map: { linux: 'canary', linx: 'canary' }, os_label: 'x' };
  const secrets = explainEnvironment(destinationOf('server-virtualization-manager'), { vm }).filter(
    ({ secret }) => secret,
  );
  expect(secrets.map(({ path }) => path.join('.'))).toEqual([
    'migr_template_password_map.linux',
    'migr_template_password_map.linx',
  ]);
});
