import { describe, expect, it } from 'vitest';
import { chooseFlavor } from './flavor.ts';
import { bootVolumeMetadata, staleMetadata } from './deployment/image-metadata.ts';
import { isTaggedFor, tagText, readTags } from './description-tags.ts';
import {
  keysWithoutPlainTag,
  plainTags,
  refusedTags,
  tagMetadata,
} from '../../../../../shared/plugins/open-source-cloud/instance-tags.ts';
import { bootVolumeSize } from './worker-plan.ts';

describe('what the boot volume says of its server', () => {
  it.each([
    [
      { os_type: 'linux', firmware: 'bios' },
      'kvm',
      {
        os_type: 'linux',
        hypervisor_type: 'kvm',
        hw_disk_bus: 'virtio',
        hw_vif_model: 'virtio',
        hw_firmware_type: 'bios',
        hw_qemu_guest_agent: 'yes',
      },
    ],
    [
      { os_type: 'linux' },
      undefined,
      {
        os_type: 'linux',
        hw_disk_bus: 'virtio',
        hw_vif_model: 'virtio',
        hw_firmware_type: 'bios',
        hw_qemu_guest_agent: 'yes',
      },
    ],
    [
      { os_type: 'windows', firmware: 'uefi', secure_boot: true },
      'qemu',
      {
        os_type: 'windows',
        hypervisor_type: 'qemu',
        hw_disk_bus: 'virtio',
        hw_vif_model: 'virtio',
        hw_firmware_type: 'uefi',
        hw_machine_type: 'q35',
        hw_qemu_guest_agent: 'yes',
        os_secure_boot: 'required',
      },
    ],
    [
      { os_type: 'linux', firmware: 'uefi', secure_boot: false },
      'hyperv',
      { os_type: 'linux', hypervisor_type: 'hyperv', hw_machine_type: 'hyperv-gen2', os_secure_boot: 'disabled' },
    ],
    [
      { os_type: 'windows', firmware: 'bios' },
      'hyperv',
      { os_type: 'windows', hypervisor_type: 'hyperv', hw_machine_type: 'hyperv-gen1' },
    ],
  ] as const)('%j on %s', (vm, hypervisor_type, expected) => {
    expect(bootVolumeMetadata(vm, { hypervisor_type })).toEqual(expected);
  });

  it.each([
    ['Windows 10 Pro', '2'],
    ['Windows 11 Home Single Language', '1'],
    ['Windows 7 Home Premium', '1'],
    ['Windows 7 Professional', '2'],
    ['Windows Server 2022 Standard', undefined],
    ['', undefined],
  ])('has no more processors than %s uses', (name, sockets) => {
    expect(
      bootVolumeMetadata({ os_type: 'windows', firmware: 'bios' }, { hypervisor_type: undefined }, name)[
        'hw_cpu_max_sockets'
      ],
    ).toBe(sockets);
    expect(
      bootVolumeMetadata({ os_type: 'windows', firmware: 'bios' }, { hypervisor_type: 'hyperv' }, name)[
        'hw_cpu_max_sockets'
      ],
    ).toBeUndefined();
    expect(
      bootVolumeMetadata({ os_type: 'linux', firmware: 'bios' }, { hypervisor_type: undefined }, name)[
        'hw_cpu_max_sockets'
      ],
    ).toBeUndefined();
  });

  it('is nothing that an earlier deployment said for another hypervisor, and leaves alone what others said', () => {
    const vm = { os_type: 'linux', firmware: 'bios' } as const;
    const before = { ...bootVolumeMetadata(vm, { hypervisor_type: 'hyperv' }), image_id: 'i1', hw_rng_model: 'virtio' };
    expect(staleMetadata(before, bootVolumeMetadata(vm, { hypervisor_type: undefined }))).toEqual([
      'hypervisor_type',
      'hw_machine_type',
    ]);
    expect(staleMetadata(before, bootVolumeMetadata(vm, { hypervisor_type: 'hyperv' }))).toEqual([]);
  });
});

describe('tags', () => {
  it('are metadata whole, and plain tags where they fit', () => {
    const tags = {
      environment: 'production',
      path: 'a/b',
      count: 3,
      empty: '',
      long: 'x'.repeat(60),
      list: ['a', 'b'],
    };
    expect(tagMetadata(tags)).toEqual({
      environment: 'production',
      path: 'a/b',
      count: '3',
      empty: '',
      long: 'x'.repeat(60),
      list: '["a","b"]',
    });
    expect(plainTags(tags)).toEqual(['environment=production', 'count=3', 'empty']);
  });

  it('that are no plain ones are known', () => {
    expect(keysWithoutPlainTag({ environment: 'production', path: 'a/b', list: ['a', 'b'] })).toEqual(['path', 'list']);
  });

  it('are no more than a server may have', () => {
    expect(plainTags(Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`k${index}`, 'v'])))).toHaveLength(
      50,
    );
  });

  it('that the cloud refuses are named', () => {
    expect(
      refusedTags({
        fine: 'v',
        ['k'.repeat(256)]: 'v',
        value: 'v'.repeat(256),
        '': 'v',
        größe: 'v',
        'causeway-entry': 'v',
        'x_1:2.3 -': 'v',
      }).map(({ key }) => key),
    ).toEqual(['k'.repeat(256), 'value', '', 'größe', 'causeway-entry']);
  });
});

describe('marks in descriptions', () => {
  const labels = { 'managed-by': 'causeway', 'causeway-entry': 'res-1', 'causeway-replica': 'rep-1' };

  it('are read as they were written, and nothing else is taken for one', () => {
    expect(readTags(tagText(labels))).toEqual(labels);
    expect(readTags('a port of the web team = ours')).toEqual({});
    expect(readTags(null)).toEqual({});
  });

  it('lead to one entry', () => {
    expect(isTaggedFor(tagText(labels), { 'causeway-entry': 'res-1' })).toBe(true);
    expect(isTaggedFor(tagText(labels), { 'causeway-entry': 'res-12' })).toBe(false);
    expect(isTaggedFor(undefined, { 'causeway-entry': 'res-1' })).toBe(false);
  });
});

describe('the flavor of the final instance', () => {
  const flavor = (id: string, vcpus: number, ram: number, extra_specs: Record<string, string> = {}) => ({
    id,
    name: `name of ${id}`,
    vcpus,
    ram,
    disk: 0,
    extra_specs,
  });
  const flavors = [
    flavor('large', 4, 8192),
    flavor('medium', 2, 4096),
    flavor('gpu', 2, 2048, { 'pci_passthrough:alias': 'gpu:1' }),
    flavor('small', 1, 2048, { 'hw:cpu_policy': 'shared' }),
    { ...flavor('old', 2, 2048), 'OS-FLV-DISABLED:disabled': true },
  ];
  it.each([
    [undefined, { vcpus: 2, memory_mb: 1000 }, 'medium'],
    [undefined, { vcpus: 1, memory_mb: 2048 }, 'small'],
    ['gpu', { vcpus: 8 }, 'gpu'],
    ['name of old', {}, 'old'],
  ])('named %s, for %j: %s', (wanted, vm, expected) => {
    expect(chooseFlavor(flavors, wanted, vm).id).toBe(expected);
  });

  it('that does not exist is refused', () => {
    expect(() => chooseFlavor(flavors, 'huge', {})).toThrow(expect.objectContaining({ code: 'cloud.name-unknown' }));
    expect(() => chooseFlavor(flavors, undefined, { vcpus: 64 })).toThrow(
      expect.objectContaining({ code: 'cloud.parameter-missing' }),
    );
  });
});

describe("the size of a worker's boot volume", () => {
  const image = { name: 'i', min_disk: 2, virtual_size: 3 * 2 ** 30 + 1, size: 5 };
  it.each([
    [20, 0, 20],
    [undefined, 10, 10],
    [undefined, 0, 4],
  ])('asked %s, flavor %i: %i GB', (asked, disk, expected) => {
    expect(bootVolumeSize(asked, image, { name: 'f', disk })).toBe(expected);
  });

  it('must hold the image, and must be known', () => {
    expect(() => bootVolumeSize(3, image, { name: 'f', disk: 0 })).toThrow(/image i needs 4/);
    expect(() =>
      bootVolumeSize(undefined, { name: 'i', min_disk: 0, virtual_size: null, size: 0 }, { name: 'f', disk: 0 }),
    ).toThrow(expect.objectContaining({ code: 'cloud.parameter-missing' }));
  });
});
