import { describe, expect, test } from 'vitest';
import { bootVerdict, readConsole, withoutEscapes, type BootSigns } from './boot-verdict.ts';

const signs = (rest: Partial<BootSigns> = {}): BootSigns => ({
  console: { sign: 'none' }, answeredAt: undefined, askedAt: ['192.0.2.1:22'], elapsedSeconds: 1, loginForSeconds: 0, ...rest,
});
const login = { sign: 'login', line: 'web login:' } as const;
const stopped = { sign: 'stopped', line: 'Kernel panic - not syncing: VFS' } as const;

describe('reading a console', () => {
  test.each([
    ['Gave up waiting for root file system device.  Common problems:', 'stopped'],
    ['[    1.2] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)', 'stopped'],
    ['dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts', 'stopped'],
    ['You are in emergency mode. After logging in, type "journalctl -xb"', 'stopped'],
    ['Entering emergency mode. Exit the shell to continue.', 'stopped'],
    ['Boot failed: not a bootable disk\r\n\r\nNo bootable device.', 'stopped'],
    ['grub rescue> ', 'stopped'],
    ['BdsDxe: No bootable option or device was found.', 'stopped'],
    ['BdsDxe: failed to load Boot0001 "UEFI Misc Device": Not Found\nBdsDxe: starting Boot0002 "UEFI disk"', 'none'],
    ['Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ', 'login'],
    ['\u001b[0m\u001b[1;32mweb\u001b[0m login: ', 'login'],
    ['[    0.0] Linux version 6.1.0', 'none'],
    ['', 'none'],
  ])('%j shows %s', (text, sign) => expect(readConsole(text).sign).toBe(sign));

  test('what comes last counts', () => {
    expect(readConsole('Gave up waiting for root file system device.\nrebooting\nweb login: ').sign).toBe('login');
    expect(readConsole('web login: \nKernel panic - not syncing: x').sign).toBe('stopped');
  });

  test.each([
    ['Gave up waiting for root file system device.  Common problems:\n - Boot args\nALERT!  UUID=1 does not exist.  Dropping to a shell!\n(initramfs) ', 'Gave up waiting for root file system device'],
    [
      '\u001b[=3hBdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Not Found\r\nUEFI Interactive Shell v2.2\r\n\u001b[14;01HShell> ',
      'BdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Not Found',
    ],
    ['[  190.1] dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts\nWarning: /dev/disk/by-uuid/1 does not exist\nEntering emergency mode. Exit the shell to continue.',
      'dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts'],
    ['mount: No such device\nFailed to mount /dev/vda1 as root file system.\n(initramfs) ', 'Failed to mount /dev/vda1 as root file system'],
    ['error: no such device: 1111.\nEntering rescue mode...\ngrub rescue> ', 'error: no such device: 1111.'],
    ['Gave up waiting for root file system device.\nweb login: \nYou are in emergency mode. ', 'You are in emergency mode.'],
  ])('of %j the reason is told, not where it waits', (text, line) => expect(readConsole(text)).toEqual({ sign: 'stopped', line }));

  test('a line about logins is no login', () => expect(readConsole('Last login: Tue from 192.0.2.7\n').sign).toBe('none'));

  test('escape sequences and carriage returns go', () => expect(withoutEscapes('\u001b[2J\u001b[01;01Ha\r\nb\u001b]0;t\u0007c')).toBe('a\nbc'));
});

describe('judging a boot', () => {
  test('an answer over the network proves it, whatever an earlier start left on the console', () => {
    expect(bootVerdict('linux', {}, 600, signs({ answeredAt: '192.0.2.1:22', console: stopped }))).toMatchObject({ outcome: 'up' });
  });

  test('a guest that stopped fails at once', () => {
    expect(bootVerdict('linux', {}, 600, signs({ console: stopped }))).toMatchObject({ outcome: 'failed', evidence: expect.stringContaining('Kernel panic') });
  });

  test('a login waits for the network for a minute, then counts by itself', () => {
    expect(bootVerdict('linux', {}, 600, signs({ console: login, loginForSeconds: 10 }))).toBeUndefined();
    expect(bootVerdict('linux', {}, 600, signs({ console: login, loginForSeconds: 61 }))).toMatchObject({ outcome: 'up', evidence: expect.stringContaining('did not answer') });
    expect(bootVerdict('linux', {}, 600, signs({ console: login, askedAt: [] }))).toMatchObject({ outcome: 'up' });
  });

  test('where the network has to answer, a login alone fails at the deadline', () => {
    const options = { mode: 'network' } as const;
    expect(bootVerdict('linux', options, 600, signs({ console: login, loginForSeconds: 300, elapsedSeconds: 400 }))).toBeUndefined();
    expect(bootVerdict('linux', options, 600, signs({ console: login, elapsedSeconds: 600 }))).toMatchObject({ outcome: 'failed' });
  });

  test('where the console has to show a login, the network does not count', () => {
    expect(bootVerdict('linux', { mode: 'console' }, 600, signs({ answeredAt: 'x' }))).toBeUndefined();
    expect(bootVerdict('linux', { mode: 'console' }, 600, signs({ console: login }))).toMatchObject({ outcome: 'up' });
  });

  test('silence fails at the deadline, but is no proof against Windows', () => {
    expect(bootVerdict('linux', {}, 600, signs({ elapsedSeconds: 599 }))).toBeUndefined();
    expect(bootVerdict('linux', {}, 600, signs({ elapsedSeconds: 600 }))).toMatchObject({ outcome: 'failed' });
    expect(bootVerdict('windows', {}, 600, signs({ elapsedSeconds: 600 }))).toMatchObject({ outcome: 'unproven' });
    expect(bootVerdict('windows', { mode: 'network' }, 600, signs({ elapsedSeconds: 600 }))).toMatchObject({ outcome: 'failed' });
  });
});
