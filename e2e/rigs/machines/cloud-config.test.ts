import { expect, test } from 'vitest';
import { seedFromUserData } from './cloud-config.ts';

test('accounts, keys, files and commands of a cloud-config become a seed', () => {
  const userData = `#cloud-config
users:
  - default
  - name: causeway
    sudo: [ALL=(ALL) NOPASSWD:ALL]
    shell: /bin/sh
    ssh_authorized_keys: [ssh-ed25519 AAAA one]
ssh_authorized_keys: [ssh-ed25519 BBBB two]
ssh_keys: {ed25519_private: secret, ed25519_public: ssh-ed25519 CCCC}
write_files:
  - {path: /etc/marker, content: aGk=, encoding: b64, permissions: '0600'}
runcmd: [[touch, /run/done], 'echo done']
`;
  expect(seedFromUserData(userData, 'ssh-ed25519 DDDD pair')).toEqual({
    users: [
      { name: 'debian', authorizedKeys: ['ssh-ed25519 DDDD pair', 'ssh-ed25519 BBBB two'] },
      { name: 'causeway', sudo: 'ALL=(ALL) NOPASSWD:ALL', shell: '/bin/sh', authorizedKeys: ['ssh-ed25519 AAAA one'] },
    ],
    hostKeys: { ed25519_private: 'secret', ed25519_public: 'ssh-ed25519 CCCC' },
    files: [{ path: '/etc/marker', content: 'aGk=', permissions: '0600' }],
    commands: [['touch', '/run/done'], 'echo done'],
  });
});

test("without user data, the image's account opens for the key pair alone", () => {
  expect(seedFromUserData('', 'ssh-ed25519 DDDD pair').users).toEqual([
    { name: 'debian', authorizedKeys: ['ssh-ed25519 DDDD pair'] },
  ]);
});

test('what the lab does not do is refused, not ignored', () => {
  expect(() => seedFromUserData('#cloud-config\nswap: {size: 1}\n', undefined)).toThrow('cloud-config module swap');
  expect(() => seedFromUserData('#ps1_sysnative\n', undefined)).toThrow('neither a cloud-config nor a script');
});
