import { describe, expect, it } from 'vitest';
import { sshDestination } from './ssh-destination.ts';

const config = `
Host bastion
  HostName bastion.example.com
  User gate
  Port 2222

Host data-*
  HostName %h.internal.example.com
  User migration
  IdentityFile ~/.ssh/migration
  ProxyJump bastion,other@relay.example.com:2200

Host chained
  ProxyJump data-1

Host direct
  ProxyJump none
`;
const read = (text: string) => sshDestination(text, config, '/home/me', 'me');

describe('the destination of an SSH connection', () => {
  it.each([
    ['host.example.com', { host: 'host.example.com', port: 22, username: 'me' }],
    ['you@host.example.com:2022', { host: 'host.example.com', port: 2022, username: 'you' }],
    ['ssh://you@host.example.com/', { host: 'host.example.com', port: 22, username: 'you' }],
    ['[fd00::1]:2022', { host: 'fd00::1', port: 2022, username: 'me' }],
    ['bastion', { host: 'bastion.example.com', port: 2222, username: 'gate' }],
    ['you@bastion:22', { host: 'bastion.example.com', port: 22, username: 'you' }],
    ['direct', { host: 'direct', port: 22, username: 'me' }],
  ])('is read from %s', (text, expected) => {
    expect(read(text)).toMatchObject({ ...expected, jumps: [] });
  });

  it('takes names, keys and the servers on the way from the configuration of OpenSSH', () => {
    expect(read('data-1')).toEqual({
      host: 'data-1.internal.example.com',
      port: 22,
      username: 'migration',
      identityFiles: ['/home/me/.ssh/migration'],
      jumps: [
        { host: 'bastion.example.com', port: 2222, username: 'gate', identityFiles: expect.any(Array) as string[] },
        { host: 'relay.example.com', port: 2200, username: 'other', identityFiles: expect.any(Array) as string[] },
      ],
    });
    expect(read('host').identityFiles).toEqual([
      '/home/me/.ssh/id_ed25519',
      '/home/me/.ssh/id_ecdsa',
      '/home/me/.ssh/id_rsa',
    ]);
  });

  it.each(['', 'a b', 'host:0', 'host:70000', 'me@', 'chained'])('refuses "%s"', (text) => {
    expect(() => read(text)).toThrow(expect.objectContaining({ code: 'general.invalid-input' }) as Error);
  });
});
