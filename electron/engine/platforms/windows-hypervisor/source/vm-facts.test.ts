import { expect, test } from 'vitest';
import type { Drive, HostNic, HostVm } from '../control/answers.ts';
import { breakOf } from './checkpoint-state.ts';
import { describe, disksOf, replicable, shortcomings } from './vm-facts.ts';

const MIB = 2 ** 20;
const drive = (location: number, more: Partial<Drive> = {}): Drive => ({
  controller: 'scsi',
  number: 0,
  location,
  path: `D:\\VMs\\disk-${location}.vhdx`,
  physicalDisk: null,
  isShared: false,
  file: {
    path: `D:\\VMs\\disk-${location}.vhdx`,
    identifier: `id-${location}`,
    sizeBytes: 64 * MIB,
    format: 'vhdx',
    type: 'dynamic',
    chain: [],
  },
  ...more,
});
const nic = (more: Partial<HostNic> = {}): HostNic => ({
  id: 'nic',
  name: 'Network Adapter',
  switch: 'External',
  mac: '00155D010A0B',
  isDynamicMac: true,
  isLegacy: false,
  vlanMode: 'untagged',
  vlan: 0,
  addresses: [],
  ...more,
});
const machine = (more: Partial<HostVm> = {}): HostVm => ({
  id: 'vm',
  name: 'web',
  state: 'running',
  generation: 1,
  version: '9.0',
  secureBoot: false,
  isShielded: false,
  hasTpm: false,
  processors: 2,
  memoryBytes: 1024 * MIB,
  checkpoints: 'production',
  isClustered: false,
  devices: [],
  bootsFrom: '',
  system: 'Windows Server 2019 Datacenter',
  systemVersion: '10.0.17763',
  disks: [drive(0)],
  nics: [nic()],
  ...more,
});
const without = (more: Partial<NonNullable<Drive['file']>>) => ({
  ...(drive(0).file as NonNullable<Drive['file']>),
  ...more,
});

test('a VM of generation 1 boots from the first IDE disk by BIOS, one of generation 2 from its boot order by UEFI', () => {
  const ide = [
    drive(0, { controller: 'ide', file: without({ identifier: 'a' }) }),
    drive(1, { controller: 'ide', number: 1, file: without({ identifier: 'b' }) }),
    drive(2),
  ];
  expect(describe(machine({ disks: ide }))).toMatchObject({
    os_type: 'windows',
    firmware: 'bios',
    secure_boot: false,
    disks: [
      { id: 'a', bus: 'ide', bootable: true, storage_backend: 'D:' },
      { id: 'b', bootable: false },
      { id: 'id-2', bus: 'scsi', bootable: false },
    ],
  });
  expect(
    describe(machine({ generation: 2, secureBoot: true, bootsFrom: 'SCSI 0:1', disks: [drive(0), drive(1)] })),
  ).toMatchObject({ firmware: 'uefi', secure_boot: true, disks: [{ bootable: false }, { bootable: true }] });
});

test('a NIC has its address, fixed or dynamic, once the VM has one, its VLAN, and what the guest says of itself without addresses of one link', () => {
  const nics = [
    nic({
      isDynamicMac: false,
      vlanMode: 'access',
      vlan: 20,
      addresses: ['192.0.2.10', 'fe80::1', '169.254.3.4', '2001:db8::1'],
    }),
    nic({ mac: '000000000000', switch: '' }),
  ];
  expect(describe(machine({ nics })).nics).toEqual([
    {
      id: 'nic',
      network: 'External VLAN 20',
      mac_address: '00:15:5d:01:0a:0b',
      ip_addresses: ['192.0.2.10', '2001:db8::1'],
    },
    { id: 'nic', network: 'not connected' },
  ]);
});

test('what is not replicated is named, a sentence each, and nothing where all of it is', () => {
  expect(shortcomings(machine())).toEqual([]);
  const vm = machine({
    isShielded: true,
    hasTpm: true,
    version: '5.0',
    system: '',
    devices: ['a Fibre Channel adapter'],
    nics: [nic({ vlanMode: 'trunk' }), nic({ vlanMode: 'private' }), nic({ mac: '000000000000' })],
    disks: [
      drive(0, { isShared: true }),
      drive(1, { path: '', physicalDisk: 2, file: undefined }),
      drive(2, { path: 'D:\\set.vhds', file: undefined }),
      drive(3, { file: undefined, problem: 'The file is in use' }),
      drive(4, { file: without({ identifier: 'twin' }) }),
      drive(5, { file: without({ identifier: 'twin' }) }),
      drive(6, { file: without({ identifier: 'old', format: 'vhd' }) }),
      drive(7, { file: without({ identifier: 'x', format: 'iso' }) }),
      drive(8, { path: '' }),
    ],
  });
  expect(replicable(vm).map(({ slot }) => slot)).toEqual(['SCSI 0:6']);
  expect(disksOf(vm)).toHaveLength(8);
  const said = shortcomings(vm);
  for (const expected of [
    /shielded/,
    /SCSI 0:0 is shared/,
    /SCSI 0:1 is physical disk 2/,
    /SCSI 0:2 is a VHD set/,
    /SCSI 0:3 cannot be read by the host: The file is in use/,
    /SCSI 0:4 has the same identifier/,
    /SCSI 0:5 has the same identifier/,
    /SCSI 0:7 has the format iso/,
    /Fibre Channel adapter/,
    /virtual TPM/,
    /SCSI 0:6 is a VHD, of which Windows tracks no changes/,
    /configuration version 5\.0/,
    /does not say what OS/,
    /several VLANs/,
    /private VLAN/,
    /no MAC address yet/,
  ])
    expect(
      said.filter((one) => expected.test(one)),
      String(expected),
    ).toHaveLength(1);
  expect(said).toHaveLength(16);
});

test('a disk that grew, moved, or goes on from another file is compared as a whole', () => {
  const base = {
    path: 'D:\\a.vhdx',
    place: 'd:\\a.vhdx',
    sizeBytes: 64,
    format: 'vhdx',
    slot: 'SCSI 0:0',
    trackingId: 't',
  };
  expect(breakOf(base, { path: 'D:\\a-AutoRecovery.avhdx', chain: ['D:\\A.vhdx'], sizeBytes: 64 })).toBeUndefined();
  expect(breakOf(base, { path: 'D:\\a.vhdx', chain: [], sizeBytes: 128 })).toBe(
    'changed its size from 64 to 128 bytes',
  );
  expect(breakOf(base, { path: 'E:\\a.vhdx', chain: [], sizeBytes: 64 })).toBe('was moved');
  expect(
    breakOf(
      { ...base, path: 'D:\\a_00000001-0000-4000-8000-000000000000.avhdx' },
      { path: 'D:\\a.vhdx', chain: [], sizeBytes: 64 },
    ),
  ).toMatch(/a checkpoint was applied or removed/);
});
