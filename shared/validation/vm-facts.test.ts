import { describe, expect, test } from 'vitest';
import { goldenVm } from '../plugins/testing/golden-documents.ts';
import { validateDocument } from './validate-document.ts';

const nic = goldenVm.nics[0]!;
const disk = goldenVm.disks[0]!;

function found(vm: unknown): string[] {
  return validateDocument({ vm, source: { plugin: 'windows-hypervisor', environment: {} } }).map(
    ({ severity, path, rule }) => `${severity} ${path} ${rule}`,
  );
}

test('a whole VM has no finding', () => {
  expect(found(goldenVm)).toEqual([]);
});

describe('facts that cannot be true', () => {
  test.each<[string, object, readonly string[]]>([
    ['no disks', { disks: [] }, ['error /vm/disks vm/no-disks']],
    ['a disk of 0 bytes', { disks: [{ ...disk, size_bytes: 0 }] }, ['error /vm/disks/0/size_bytes vm/disk-size']],
    ['a disk in GiB', { disks: [{ ...disk, size_bytes: 80 }] }, ['warning /vm/disks/0/size_bytes vm/disk-size']],
    ['memory in GiB', { memory_mb: 16 }, ['warning /vm/memory_mb vm/memory-size']],
    ['memory in bytes', { memory_mb: 4_294_967_296 }, ['warning /vm/memory_mb vm/memory-size']],
    ['too many CPUs', { vcpus: 4096 }, ['warning /vm/vcpus vm/vcpus']],
    [
      'secure boot with BIOS',
      { firmware: 'bios', secure_boot: true },
      ['warning /vm/secure_boot vm/secure-boot-needs-uefi'],
    ],
    [
      'an address out of bounds',
      { nics: [{ ...nic, ip_addresses: ['10.0.0.300'] }] },
      ['error /vm/nics/0/ip_addresses/0 vm/ip-address'],
    ],
    [
      'an address with too long a prefix',
      { nics: [{ ...nic, ip_addresses: ['10.1.0.5/24', '10.1.0.6/33'] }] },
      ['error /vm/nics/0/ip_addresses/1 vm/ip-address'],
    ],
    [
      'the word dhcp',
      { nics: [{ ...nic, ip_addresses: ['dhcp'] }] },
      ['error /vm/nics/0/ip_addresses/0 vm/ip-address'],
    ],
    [
      'a loopback address',
      { nics: [{ ...nic, ip_addresses: ['127.0.0.1', '::1', 'fe80::1'] }] },
      ['warning /vm/nics/0/ip_addresses/0 vm/ip-address', 'warning /vm/nics/0/ip_addresses/1 vm/ip-address'],
    ],
    [
      'an address twice',
      { nics: [{ ...nic, ip_addresses: ['10.1.0.5', '10.1.0.5/24'] }] },
      ['warning /vm/nics/0/ip_addresses/1 vm/repeated-address'],
    ],
    ['no MAC address', { nics: [{ ...nic, mac_address: 'zz' }] }, ['error /vm/nics/0/mac_address vm/mac-address']],
    [
      'a MAC address without colons',
      { nics: [{ ...nic, mac_address: '525400000001' }] },
      ['warning /vm/nics/0/mac_address vm/mac-address'],
    ],
    [
      'a multicast MAC address',
      { nics: [{ ...nic, mac_address: '53:54:00:00:00:01' }] },
      ['warning /vm/nics/0/mac_address vm/mac-address'],
    ],
    [
      'a MAC address twice',
      { nics: [nic, { ...nic, id: 'nic-1', mac_address: '52-54-00-00-00-01', ip_addresses: [] }] },
      ['warning /vm/nics/1/mac_address vm/mac-address', 'warning /vm/nics/1/mac_address vm/repeated-address'],
    ],
    ['a blank network', { nics: [{ ...nic, network: ' ' }] }, ['error /vm/nics/0/network vm/blank']],
    ['a blank around a name', { name: 'web-01 ' }, ['warning /vm/name vm/surrounding-blanks']],
    ['two disks of one id', { disks: [disk, disk] }, ['error /vm/disks/1/id vm/repeated-id']],
  ])('%s', (_what, change, expected) => {
    expect(found({ ...goldenVm, ...change })).toEqual(expected);
  });
});

describe('one wrong member', () => {
  const environment = {
    network_map: { 'VM Network': 'prod' },
    availability_zone: 'z',
    migr_network: 'm',
    migr_machine_type: 't',
    migr_image_map: { linux: 'l' },
  };
  const withDestination = (vm: object, change: object = {}): string[] =>
    validateDocument(
      { vm, destination: { plugin: 'european-cloud', environment: { ...environment, ...change } } },
      { catalog: {} },
    ).map(({ severity, path, rule }) => `${severity} ${path} ${rule}`);

  test.each<[string, object, string]>([
    ['the name', { name: undefined }, 'error /vm/name vm/missing-key'],
    ['the id', { id: 7 }, 'error /vm/id vm/wrong-type'],
    ['the OS', { os_type: 'solaris' }, 'error /vm/os_type vm/guest-not-supported'],
    ['a disk', { disks: [{ size_bytes: 'x' }, disk] }, 'error /vm/disks/0/id vm/missing-key'],
    ['a disk that is none', { disks: [5, disk] }, 'error /vm/disks/0 vm/wrong-type'],
    ['an address', { nics: [{ ...nic, ip_addresses: [5] }] }, 'error /vm/nics/0/ip_addresses/0 vm/wrong-type'],
    ['the disks', { disks: 'two' }, 'error /vm/disks vm/wrong-type'],
  ])('%s does not keep the rules from the rest of the VM', (_what, change, own) => {
    const vm = JSON.parse(JSON.stringify({ ...goldenVm, ...change })) as object;
    const all = withDestination(vm, { network_map: { Other: 'x' } });
    expect(all).toContain(own);
    expect(all).toContain('error /destination/environment/network_map/VM Network european-cloud/nic-not-mapped');
  });

  test('nor hides repeated ids, and later elements keep their places', () => {
    const vm = {
      ...goldenVm,
      name: 5,
      disks: [5, disk, disk],
      nics: [{ id: 'a' }, { ...nic, ip_addresses: ['10.1.0.5', 'fe80::1'] }],
    };
    expect(withDestination(vm, { preserve_fixed_ips: true })).toEqual([
      'error /vm/name vm/wrong-type',
      'error /vm/disks/0 vm/wrong-type',
      'error /vm/disks/2/id vm/repeated-id',
      'error /vm/nics/0/network vm/missing-key',
      'warning /vm/nics/1/ip_addresses/1 european-cloud/ipv6-dropped',
    ]);
  });
});

test('blanks around values are found everywhere but in secrets and texts of several lines', () => {
  const environment = {
    repository_name: 'repo ',
    export_template_name: ' t',
    export_template_username: 'root',
    export_template_password: ' secret ',
    virtual_disk_clone_type: 'THIN_CLONE',
  };
  const findings = validateDocument({ source: { plugin: 'server-virtualization-manager', environment } });
  expect(
    findings
      .filter(({ rule }) => rule.endsWith('/surrounding-blanks'))
      .map(({ path, message, suggestion, fix }) => [path.slice(19), message, suggestion, fix]),
  ).toEqual([
    ['/repository_name', 'The value ends with whitespace.', 'Write "repo".', { kind: 'set-value', value: 'repo' }],
    ['/export_template_name', 'The value begins with whitespace.', 'Write "t".', { kind: 'set-value', value: 't' }],
  ]);
  const map = validateDocument({
    destination: { plugin: 'open-source-cloud', environment: { network_map: { 'VM Network ': 'prod' } } },
  });
  expect(map.filter(({ rule }) => rule.endsWith('/surrounding-blanks')).map(({ path, fix }) => [path, fix])).toEqual([
    ['/destination/environment/network_map/VM Network ', { kind: 'rename-key', to: 'VM Network' }],
  ]);
});
