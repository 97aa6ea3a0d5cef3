import { expect, test } from 'vitest';
import type { GuestDiff } from '../../../shared/model/guest-preparation.ts';
import { diffEntries, diffText } from './diff-entries.ts';

const none = { added: {}, removed: {}, changed: {} };
const file = { kind: 'file', mode: '0644', owner: '0:0', size: 100 } as const;
const account = { uid: '1000', gid: '1000', home: '/home/debian', shell: '/bin/bash', password: 'locked', keys: 1 };
const diff: GuestDiff = {
  files: {
    added: [{ ...file, path: '/etc/cloud/cloud.cfg.d/90_causeway.cfg', lines: ['+datasource_list: [OpenStack]'] }],
    removed: [{ ...file, path: '/etc/udev/rules.d/70-persistent-net.rules' }],
    changed: [
      {
        path: '/etc/default/grub',
        before: file,
        after: { ...file, size: 2048 },
        lines: ['-GRUB_TERMINAL=""', '+GRUB_TERMINAL="serial"'],
      },
      { path: '/boot/initrd.img', before: file, after: file },
    ],
  },
  packages: {
    ...none,
    added: { 'cloud-init': '22.4.2' },
    changed: { 'base-files': { before: '12.4', after: '12.5' } },
  },
  services: { enabled: ['cloud-init'], disabled: ['open-vm-tools'] },
  users: { ...none, added: { debian: account } },
  sshPolicy: { ...none, changed: { PasswordAuthentication: { before: 'yes', after: 'no' } } },
  sshHostKeys: none,
  network: { ens3: { before: null, after: { dhcp: true } } },
};

test('what changed in a guest is listed in words, part by part and by name', () => {
  expect(diffEntries(diff).map(({ part, sign, name, detail }) => `${part} ${sign} ${name}: ${detail}`)).toEqual([
    'files changed /boot/initrd.img: 100 B',
    'files added /etc/cloud/cloud.cfg.d/90_causeway.cfg: 0644 0:0, 100 B',
    'files changed /etc/default/grub: 100 B → 2 KiB',
    'files removed /etc/udev/rules.d/70-persistent-net.rules: 0644 0:0, 100 B',
    'packages changed base-files: 12.4 → 12.5',
    'packages added cloud-init: 22.4.2',
    'services added cloud-init: Enabled',
    'services removed open-vm-tools: Disabled',
    'users added debian: uid 1000, /bin/bash, password locked, 1 key',
    'sshPolicy changed PasswordAuthentication: yes → no',
    'network changed ens3: – → {"dhcp":true}',
  ]);
});

test('it can be copied with the lines of small files', () => {
  expect(diffText(diffEntries(diff))).toContain(
    '~ files: /etc/default/grub (100 B → 2 KiB)\n    -GRUB_TERMINAL=""\n    +GRUB_TERMINAL="serial"',
  );
});

test('keys of a Windows guest are a part of their own', () => {
  const windows = {
    ...diff,
    registry: { ...none, added: { 'SYSTEM\\ControlSet001\\Services\\viostor Start': 'dword 0' } },
  } as GuestDiff;
  expect(diffEntries(windows).filter(({ part }) => part === 'registry')).toEqual([
    {
      part: 'registry',
      sign: 'added',
      name: 'SYSTEM\\ControlSet001\\Services\\viostor Start',
      detail: 'dword 0',
      lines: [],
    },
  ]);
});
