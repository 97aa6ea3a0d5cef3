import { describe, expect, test } from 'vitest';
import type { Vm } from '../../../shared/model/vm.ts';
import { pluginsWith } from '../../../shared/plugins/registry.ts';
import { checkText } from './check-text.ts';
import { startingDocument } from './starting-document.ts';

const vm: Vm = {
  id: 'vm-1', name: 'web', os_type: 'linux', firmware: 'uefi', vcpus: 2, memory_mb: 2048,
  disks: [{ id: 'd0', size_bytes: 2 ** 30, storage_backend: 'ds.1[a]' }],
  nics: [{ id: 'n0', network: 'VM Network. "x"' }, { id: 'n1', network: 'Backup' }],
};
const catalog = {
  plugin: 'european-cloud',
  networks: [{ id: '1', name: 'production' }],
  images: [{ id: '2', name: 'Windows Server 2022' }, { id: '3', name: 'Debian 12' }],
  machine_types: [{ id: 'g1.2', name: 'g1.2', vcpus: 4, memory_mb: 8192 }],
  availability_zones: [{ id: 'eu01-1', name: 'eu01-1' }],
};

describe('the document to start from', () => {
  test.each(pluginsWith('destination'))('for %s names all that must be said', (destination) => {
    const sides = { source: 'disk-images', destination } as const;
    const { findings } = checkText(startingDocument(vm, sides, undefined), { vm, plugins: sides, catalog: undefined });
    expect(findings.filter(({ rule }) => rule.endsWith('missing-key'))).toEqual([]);
  });

  test('has the VM’s networks at the left and what the destination has at the right', () => {
    const sides = { source: 'disk-images', destination: 'european-cloud' } as const;
    const { findings, environments } = checkText(startingDocument(vm, sides, catalog), { vm, plugins: sides, catalog });
    expect(environments.destination).toMatchObject({
      network_map: { 'VM Network. "x"': 'production', Backup: 'production' },
      migr_image_map: { linux: 'Debian 12' },
      availability_zone: 'eu01-1',
    });
    expect(findings.filter(({ severity }) => severity === 'error')).toEqual([]);
  });
});

describe('a document for a replica', () => {
  const sides = { source: 'disk-images', destination: 'european-cloud' } as const;

  test('for another platform is refused at its line', () => {
    const { findings } = checkText('source:\n  plugin: qemu-hypervisor\n  environment: {}\n', { vm, plugins: sides, catalog: undefined });
    expect(findings).toContainEqual(expect.objectContaining({ rule: 'document/other-endpoint', path: '/source/plugin', location: { line: 2, column: 3 } }));
  });

  test('may be JSON, and is judged by the VM that the source knows', () => {
    const written = JSON.stringify({ vm: { id: 'other' }, destination: { plugin: 'european-cloud', environment: { network_map: {} } } });
    const { findings } = checkText(written, { vm, plugins: sides, catalog: undefined });
    expect(findings.some(({ message }) => message.includes('Backup'))).toBe(true);
  });
});
