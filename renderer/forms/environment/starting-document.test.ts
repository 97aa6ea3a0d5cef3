import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { Vm } from '../../../shared/model/vm.ts';
import { pluginsWith } from '../../../shared/plugins/registry.ts';
import { validateDocument } from '../../../shared/validation/validate-document.ts';
import { startingDocument, startingEnvironments, type Guess } from './starting-document.ts';

const vm: Vm = {
  id: 'vm-1',
  name: 'web',
  os_type: 'linux',
  firmware: 'uefi',
  vcpus: 2,
  memory_mb: 2048,
  disks: [{ id: 'd0', size_bytes: 2 ** 30, storage_backend: 'ds.1[a]' }],
  nics: [
    { id: 'n0', network: 'VM Network. "x"' },
    { id: 'n1', network: 'Backup' },
  ],
};
const catalog = {
  plugin: 'european-cloud',
  networks: [{ id: '1', name: 'production' }],
  images: [
    { id: '2', name: 'Windows Server 2022' },
    { id: '3', name: 'Debian 12' },
  ],
  machine_types: [{ id: 'g1.2', name: 'g1.2', vcpus: 4, memory_mb: 8192 }],
  availability_zones: [{ id: 'eu01-1', name: 'eu01-1' }],
};

describe('the document to start from', () => {
  test.each(pluginsWith('destination'))('for %s names all that must be said', (destination) => {
    const sides = { source: 'disk-images', destination } as const;
    const findings = validateDocument({ ...(parse(startingDocument(vm, sides, undefined)) as object), vm });
    expect(findings.filter(({ rule }) => rule.endsWith('missing-key'))).toEqual([]);
  });

  test('has the VM’s networks at the left and what the destination has at the right', () => {
    const sides = { source: 'disk-images', destination: 'european-cloud' } as const;
    const environments = startingEnvironments(vm, sides, catalog);
    const findings = validateDocument({ ...(parse(startingDocument(vm, sides, catalog)) as object), vm }, { catalog });
    expect(environments.destination).toMatchObject({
      network_map: { 'VM Network. "x"': 'production', Backup: 'production' },
      migr_image_map: { linux: 'Debian 12' },
      availability_zone: 'eu01-1',
    });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });

  test('takes a network of the same name, and says where it took the first of several', () => {
    const sides = { source: 'disk-images', destination: 'european-cloud' } as const;
    const guesses: Guess[] = [];
    const networks = [
      { id: '1', name: 'production' },
      { id: '2', name: 'Backup' },
    ];
    const { destination } = startingEnvironments(vm, sides, { ...catalog, networks }, (guess) => guesses.push(guess));
    expect(destination['network_map']).toEqual({ 'VM Network. "x"': 'production', Backup: 'Backup' });
    expect(guesses.map(({ key, of }) => [key, of])).toEqual([
      ['network_map', 2],
      ['migr_network', 2],
    ]);
    const sure: Guess[] = [];
    startingEnvironments(
      { ...vm, nics: vm.nics.slice(1) },
      sides,
      { ...catalog, networks: networks.slice(1) },
      (guess) => sure.push(guess),
    );
    expect(sure).toEqual([]);
  });
});
