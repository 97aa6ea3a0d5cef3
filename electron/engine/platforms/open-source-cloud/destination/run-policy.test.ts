import { expect, test } from 'vitest';
import { runPolicy } from './run-policy.ts';

test('an environment without any of the parameters has their defaults', () => {
  expect(runPolicy({})).toEqual({
    mechanism: 'HTTPS',
    volumesAreZeroed: false,
    setDhcp: true,
    preserveFixedIps: false,
    retainUserCredentials: false,
    hypervisor: 'kvm',
    diskBuses: ['virtio'],
    hasWindowsWorkerImage: false,
    windowsDriversUrl: undefined,
    windowsAgentUrl: undefined,
  });
});

test('each parameter is read', () => {
  expect(
    runPolicy({
      data_transfer_mechanism: 'SSH',
      volumes_are_zeroed: true,
      set_dhcp: false,
      preserve_fixed_ips: true,
      retain_user_credentials: true,
      hypervisor_type: 'hyperv',
      migr_image_map: { windows: 'W' },
      windows_virtio_iso_url: 'https://a.example/v.iso',
      winguestinit_x64_url: 'https://a.example/a.zip',
    }),
  ).toEqual({
    mechanism: 'SSH',
    volumesAreZeroed: true,
    setDhcp: false,
    preserveFixedIps: true,
    retainUserCredentials: true,
    hypervisor: 'hyperv',
    diskBuses: ['virtio'],
    hasWindowsWorkerImage: true,
    windowsDriversUrl: 'https://a.example/v.iso',
    windowsAgentUrl: 'https://a.example/a.zip',
  });
});

test("one image for all workers overrides the map: it is the disk copy worker's, which runs Linux", () => {
  expect(runPolicy({ migr_image: 'L', migr_image_map: { windows: 'W' } }).hasWindowsWorkerImage).toBe(false);
  expect(runPolicy({ migr_image: '', migr_image_map: { windows: 'W' } }).hasWindowsWorkerImage).toBe(true);
});
