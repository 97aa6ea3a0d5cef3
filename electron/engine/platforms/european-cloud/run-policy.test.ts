import { expect, test } from 'vitest';
import { runPolicy } from './run-policy.ts';

test('the boot disk may have another bus than the others', () => {
  expect(runPolicy({}).diskBuses).toEqual(['virtio']);
  expect(runPolicy({ disk_bus: 'scsi' }).diskBuses).toEqual(['scsi']);
  expect(runPolicy({ disk_bus: 'scsi', custom_boot_volume_image_metadata: { disk_bus: 'virtio' } }).diskBuses).toEqual([
    'virtio',
    'scsi',
  ]);
  expect(runPolicy({ default_custom_boot_volume_image_metadata: { diskBus: 'ide' } }).diskBuses).toEqual(['ide']);
  expect(runPolicy({ disk_bus: 'floppy' }).diskBuses).toEqual(['virtio']);
});

test('each parameter is read', () => {
  expect(
    runPolicy({
      data_transfer_mechanism: 'SSH',
      volumes_are_zeroed: true,
      set_dhcp: false,
      preserve_fixed_ips: true,
      retain_user_credentials: true,
      migr_image_map: { linux: 'L' },
    }),
  ).toMatchObject({
    mechanism: 'SSH',
    volumesAreZeroed: true,
    setDhcp: false,
    preserveFixedIps: true,
    retainUserCredentials: true,
    hypervisor: 'kvm',
    hasWindowsWorkerImage: false,
  });
});
