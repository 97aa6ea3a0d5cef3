import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { openImage } from '../../../images/open-image.ts';
import { ImageDiskReader } from '../../../images/image-disk-reader.ts';
import { attachmentOf, bootDiskOf, readEnvironment, readScope } from './environment.ts';
import { runPolicy } from './run-policy.ts';
import { configFor, isArm, sizeOf, smallestConfig, vnicLimit } from './shapes.ts';
import { launchProfile } from './zero-image.ts';
import { zeroQcow2 } from './zero-qcow2.ts';

const flexible = {
  shape: 'VM.Standard.E4.Flex',
  isFlexible: true,
  maxVnicAttachments: 2,
  ocpuOptions: { min: 1, max: 64 },
  memoryOptions: { minInGBs: 1, maxInGBs: 1024, minPerOcpuInGBs: 1, maxPerOcpuInGBs: 64 },
  maxVnicAttachmentOptions: { min: 2, max: 24, defaultPerOcpu: 1 },
};
const fixed = { shape: 'VM.Standard2.1', ocpus: 1, memoryInGBs: 15, maxVnicAttachments: 2 };

describe('a shape', () => {
  test('that is flexible gets the threads and the memory of the VM, within what it has', () => {
    expect(configFor(flexible, { vcpus: 4, memory_mb: 6000 })).toEqual({ shapeConfig: { ocpus: 2, memoryInGBs: 6 } });
    expect(configFor(flexible, { vcpus: 1, memory_mb: 131_072 })).toEqual({
      shapeConfig: { ocpus: 2, memoryInGBs: 128 },
    });
    expect(configFor(flexible, { vcpus: 32, memory_mb: 1024 })).toEqual({
      shapeConfig: { ocpus: 16, memoryInGBs: 16 },
    });
    expect(configFor(flexible, {})).toEqual({ shapeConfig: { ocpus: 1, memoryInGBs: 8 } });
    expect(() => configFor(flexible, { vcpus: 256 })).toThrow('at most 64 OCPUs');
    expect(smallestConfig(flexible)).toEqual({ shapeConfig: { ocpus: 1, memoryInGBs: 8 } });
  });

  test('that is fixed is as it is', () => {
    expect(configFor(fixed, { vcpus: 8 })).toEqual({});
    expect(sizeOf(fixed, {})).toEqual({ name: 'VM.Standard2.1', vcpus: 2, ram: 15_360 });
  });

  test('with ARM processors has one thread a core', () => {
    const arm = { ...flexible, shape: 'VM.Standard.A1.Flex' };
    expect(isArm(arm)).toBe(true);
    expect(configFor(arm, { vcpus: 4, memory_mb: 4096 })).toEqual({ shapeConfig: { ocpus: 4, memoryInGBs: 4 } });
  });

  test('has VNICs by its processors', () => {
    expect(vnicLimit(flexible, { shapeConfig: { ocpus: 1, memoryInGBs: 8 } })).toBe(2);
    expect(vnicLimit(flexible, { shapeConfig: { ocpus: 40, memoryInGBs: 64 } })).toBe(24);
    expect(vnicLimit(fixed, {})).toBe(2);
  });
});

test('launch options follow the firmware, and for BIOS the paravirtualized mode', () => {
  expect(launchProfile({ firmware: 'bios' }, false)).toMatchObject({
    name: 'bios-emulated',
    launchMode: 'EMULATED',
    options: { bootVolumeType: 'SCSI' },
  });
  expect(launchProfile({}, true)).toMatchObject({
    name: 'bios-paravirtualized',
    options: { firmware: 'BIOS', bootVolumeType: 'PARAVIRTUALIZED' },
  });
  expect(launchProfile({ firmware: 'uefi' }, false)).toMatchObject({
    name: 'uefi-paravirtualized',
    options: { firmware: 'UEFI_64' },
  });
});

describe('an environment', () => {
  const disk = (id: string, storage_backend?: string) => ({
    id,
    size_bytes: 1,
    ...(storage_backend === undefined ? {} : { storage_backend }),
  });

  test('maps disks to attachment types under either spelling', () => {
    const mapping = {
      default: 'emulated',
      backend_mappings: [{ source: 'fast', destination: 'iscsi' }],
      disk_mappings: [{ disk_id: 'd', destination: 'paravirtualized' }],
    };
    for (const key of ['storage_mappings', 'storage_mapping']) {
      const environment = readEnvironment({ [key]: mapping });
      expect([disk('a'), disk('b', 'fast'), disk('d', 'fast')].map((each) => attachmentOf(each, environment))).toEqual([
        'emulated',
        'iscsi',
        'paravirtualized',
      ]);
    }
    expect(attachmentOf(disk('a'), readEnvironment({}))).toBe('paravirtualized');
    expect(() => attachmentOf(disk('a'), readEnvironment({ storage_mappings: { default: 'nvme' } }))).toThrow(
      'volume attachment type',
    );
  });

  test('that is half filled in still says where to look', () => {
    expect(readScope({ compartment: ' a ', vcn_compartment: '', availability_domain: 5 })).toEqual({
      compartment: 'a',
      vcn_compartment: undefined,
      availability_domain: undefined,
    });
  });

  test('tells the engine what it needs', () => {
    expect(runPolicy({ dataTransferMechanism: 'SSH' }, { use_pv_mode: true })).toMatchObject({
      mechanism: 'SSH',
      volumesAreZeroed: true,
      diskBuses: ['scsi', 'virtio'],
      guestDatasources: ['Oracle'],
    });
    expect(runPolicy({ dataTransferMechanism: 'HTTPS' }, { migr_image_map: { windows: 'w' } })).toMatchObject({
      diskBuses: ['ide', 'scsi', 'virtio'],
      hasWindowsWorkerImage: true,
    });
    expect(runPolicy({ dataTransferMechanism: 'HTTPS' }, { migr_image_map: { linux: 'l' } })).toMatchObject({
      hasWindowsWorkerImage: false,
    });
  });

  test('the first disk boots where none is said to', () => {
    expect(bootDiskOf({ disks: [disk('a'), { ...disk('b'), bootable: true }] })?.id).toBe('b');
    expect(bootDiskOf({ disks: [disk('a'), disk('b')] })?.id).toBe('a');
  });
});

test('the image to import is one of zeros', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'causeway-zeros-'));
  try {
    writeFileSync(join(folder, 'zeros.qcow2'), zeroQcow2(2 ** 30));
    const image = new ImageDiskReader(await openImage({ path: join(folder, 'zeros.qcow2') }, { folder }));
    expect(image.sizeBytes).toBe(2 ** 30);
    const kinds = new Set<string>();
    for await (const extent of image.extents(new AbortController().signal)) kinds.add(extent.kind);
    expect([...kinds]).toEqual(['zero']);
    await image.close();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  expect(() => zeroQcow2(2 ** 50)).toThrow(RangeError);
});
