import { expect, test } from 'vitest';
import { plugins } from '../plugins/registry.ts';
import { explainEnvironment } from './explain-environment.ts';
import { inheritedKeys, resolveLayers, writtenEnvironment } from './layers.ts';

const definition = plugins['european-cloud'].destination!;

test('a stronger layer overrides, and each value says where it is from', () => {
  const layers = resolveLayers(
    definition,
    {
      project: { environment: { availability_zone: 'eu01-1', disk_bus: 'virtio' } },
      wave: { environment: { availability_zone: 'eu01-2', machine_type: 'g1.2' } },
      vm: { environment: { machine_type: 'g1.4' } },
    },
    { migr_network: 'workers' },
  );
  const origins = Object.fromEntries(
    explainEnvironment(definition, layers).map(({ path, value, origin }) => [path.join('.'), [value, origin]]),
  );
  expect(origins).toMatchObject({
    availability_zone: ['eu01-2', 'wave'],
    disk_bus: ['virtio', 'project'],
    machine_type: ['g1.4', 'VM'],
    migr_network: ['workers', 'provider configuration'],
    set_dhcp: [true, 'built-in'],
  });
  expect(writtenEnvironment(layers)).toEqual({ availability_zone: 'eu01-2', disk_bus: 'virtio', machine_type: 'g1.4' });
});

test('what a layer clears goes back to its built-in value, whoever said it', () => {
  const layers = resolveLayers(
    definition,
    {
      project: { environment: { machine_type: 'g1.2', set_dhcp: false }, cleared: ['migr_network'] },
      vm: { environment: {}, cleared: ['machine_type', 'set_dhcp', 'security_groups'] },
    },
    { default_security_groups: ['all'], migr_network: 'workers', disk_bus: 'scsi' },
  );
  expect(writtenEnvironment(layers)).toEqual({});
  expect(layers.providerConfiguration).toEqual({ disk_bus: 'scsi' });
  expect(explainEnvironment(definition, layers).find(({ path }) => path[0] === 'set_dhcp')).toMatchObject({
    value: true,
    origin: 'built-in',
  });
});

test('a layer sets what a weaker one cleared', () => {
  const layers = resolveLayers(
    definition,
    { wave: { environment: {}, cleared: ['disk_bus'] }, vm: { environment: { disk_bus: 'scsi' } } },
    { disk_bus: 'virtio' },
  );
  expect(writtenEnvironment(layers)).toEqual({ disk_bus: 'scsi' });
});

test("what is inherited is what counts without the virtual machine's own word", () => {
  const layers = {
    project: { environment: { disk_bus: 'virtio' } },
    vm: { environment: { disk_bus: 'scsi' }, cleared: ['machine_type'] },
  };
  expect(inheritedKeys(definition, layers, { machine_type: 'g1.1' })).toEqual([
    { key: 'machine_type', value: 'g1.1', origin: 'provider configuration' },
    { key: 'disk_bus', value: 'virtio', origin: 'project' },
  ]);
});
