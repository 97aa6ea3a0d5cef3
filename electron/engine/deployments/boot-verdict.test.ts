import { describe, expect, test } from 'vitest';
import { bootVerdict, type BootSigns } from './boot-verdict.ts';
import { gapMark, nothingRead, readConsole, type ConsoleReading } from './console-signs.ts';
import { withoutEscapes } from './console-text.ts';

const signs = (rest: Partial<BootSigns> = {}): BootSigns => ({
  console: nothingRead,
  signForSeconds: 0,
  lastLines: [],
  answeredAt: undefined,
  askedAt: ['192.0.2.1:22'],
  isOver: false,
  elapsedSeconds: 1,
  ...rest,
});
const up: ConsoleReading = { ...nothingRead, sign: 'up', line: 'web login:' };
const stopped: ConsoleReading = { ...nothingRead, sign: 'stopped', line: 'Kernel panic - not syncing: VFS' };

describe('reading a console', () => {
  test.each([
    ['Gave up waiting for root file system device.  Common problems:', 'stopped'],
    ['[    1.2] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)', 'stopped'],
    ['You are in emergency mode. After logging in, type "journalctl -xb"', 'stopped'],
    ['Entering emergency mode. Exit the shell to continue.', 'stopped'],
    ['Boot failed: not a bootable disk\r\n\r\nNo bootable device.', 'stopped'],
    ['Boot failed: not a bootable disk\r\n\r\nBooting from DVD/CD...', 'none'],
    ['dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts', 'none'],
    ['Gave up waiting for suspend/resume device', 'none'],
    ['grub rescue> ', 'stopped'],
    ['Give root password for login: ', 'stopped'],
    ['(initramfs) [   35.000000] usb 1-1: new high-speed USB device', 'stopped'],
    ['BdsDxe: No bootable option or device was found.', 'stopped'],
    ['BdsDxe: failed to load Boot0001 "UEFI Misc Device": Not Found\nBdsDxe: starting Boot0002 "UEFI disk"', 'none'],
    ['Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ', 'up'],
    ['\u001b[0m\u001b[1;32mweb\u001b[0m login: ', 'up'],
    ['host login: [   34.862051] cloud-init[508]: Cloud-init v. 22.4.2 running', 'up'],
    ['Started Getty on ttyS0.web login: \u001b[6n', 'up'],
    ['web lo[   12.550001] random: crng init done\r\ngin: ', 'up'],
    ['web ログイン: ', 'up'],
    ['login: ', 'up'],
    ['Last login: Tue from 192.0.2.7\n', 'none'],
    ['sshd[1]: Failed login: bob\n', 'none'],
    ['pam_unix(login:session): session opened for user root\n', 'none'],
    ['[    0.0] Linux version 6.1.0', 'none'],
    ['', 'none'],
  ])('%j shows %s', (text, sign) => expect(readConsole(text).sign).toBe(sign));

  test('signs count in their order', () => {
    expect(readConsole('Gave up waiting for root file system device.\nrebooting\nweb login: ').sign).toBe('up');
    expect(readConsole('web login: \nKernel panic - not syncing: x').sign).toBe('stopped');
    expect(readConsole('web login: \n[    0.000000] Linux version 6.1')).toMatchObject({
      sign: 'none',
      earlierUp: 'web login:',
    });
  });

  test.each([
    'Give root password for [   35.000000] usb 1-1: new high-speed USB device\nlogin: ',
    'Give root passw[   35.000000] usb 1-1: new high-speed USB device\nord for maintenance\n',
    'ss Control-D to continue): ',
    'Enter root password for system maintenance\n(or type Control-D to continue): ',
    'Root-Passwort zur Wartung eingeben\n(oder drücken Sie Strg-D, um fortzufahren): ',
    'Press Enter for maintenance\n(or press Control-D to continue): \nDefault login: root\n',
    "initramfs emergency recovery shell launched. Type 'exit' to continue boot\n~ # ",
    'You are now being dropped into an emergency shell.\n[rootfs ~]# ',
    ':/# [   35.000000] usb 1-1: new high-speed USB device\n',
  ])('%j is a stop', (text) => expect(readConsole(text).sign).toBe('stopped'));

  test('a prompt after a stop is no boot: only a restart, a boot that goes on, or a sign of its end', () => {
    const stop =
      '[    0.000000] Linux version 6.1.0\r\nYou are in emergency mode. After logging in, type "journalctl -xb"\r\nGive root password for maintenance\r\n(or press Control-D to continue): \r\n';
    const prompt = 'Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ';
    expect(readConsole(stop + prompt).sign).toBe('stopped');
    expect(readConsole(`${stop}Starting default target\r\n${prompt}`).sign).toBe('up');
    expect(readConsole(`${stop}[    9.000000] reboot: Restarting system\r\n${prompt}`).sign).toBe('up');
    expect(readConsole(`${stop}[  OK  ] Reached target multi-user.target - Multi-User System.\r\n`).sign).toBe('up');
    // A restart may have been in the text that is missing.
    expect(readConsole(`${stop}${gapMark}\n${prompt}`)).toMatchObject({ sign: 'none', isPartial: true });
  });

  test.each(['Default login: root / secret', 'Please login: use your company account', 'Maintenance login: disabled'])(
    '%j is a banner',
    (text) => {
      expect(readConsole(`${text}\n`).sign).toBe('none');
    },
  );

  test.each([
    [
      'Gave up waiting for root file system device.  Common problems:\n - Boot args\nALERT!  UUID=1 does not exist.  Dropping to a shell!\n(initramfs) ',
      'Gave up waiting for root file system device',
    ],
    [
      '\u001b[=3hBdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Not Found\r\nUEFI Interactive Shell v2.2\r\n\u001b[14;01HShell> ',
      'BdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Not Found',
    ],
    [
      '[  190.1] dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts\nWarning: /dev/disk/by-uuid/1 does not exist\nEntering emergency mode. Exit the shell to continue.',
      'Warning: /dev/disk/by-uuid/1 does not exist',
    ],
    [
      'mount: No such device\nFailed to mount /dev/vda1 as root file system.\n(initramfs) ',
      'Failed to mount /dev/vda1 as root file system',
    ],
    ['error: no such device: 1111.\nEntering rescue mode...\ngrub rescue> ', 'error: no such device: 1111.'],
    [
      'Gave up waiting for root file system device.\nRebooting.\nweb login: \nYou are in emergency mode. ',
      'You are in emergency mode.',
    ],
  ])('of %j the reason is told, not where it waits', (text, line) =>
    expect(readConsole(text)).toMatchObject({ sign: 'stopped', line }),
  );

  test('escape sequences and carriage returns go', () => {
    expect(
      withoutEscapes(
        '\u001b[2J\u001b[01;01Ha\r\nb\u001b]0;t\u0007c\u001b]0;t\u001b\\d\u001bce\u001b(B\u009b0mf\u001b[0;3',
      ),
    ).toBe('a\nbcdef');
  });
});

describe('judging a boot', () => {
  test('an answer over the network proves it, whatever an earlier start left on the console', () => {
    expect(bootVerdict('linux', {}, signs({ answeredAt: '192.0.2.1:22', console: stopped }))).toMatchObject({
      outcome: 'up',
    });
  });

  test('a guest that stays stopped for some seconds fails, with the messages before', () => {
    expect(bootVerdict('linux', {}, signs({ console: stopped, signForSeconds: 3 }))).toBeUndefined();
    expect(
      bootVerdict(
        'linux',
        {},
        signs({ console: { ...stopped, hints: ['Warning: /dev/vda1 does not exist'] }, signForSeconds: 10 }),
      ),
    ).toEqual({
      outcome: 'failed',
      evidence: 'the console shows: Warning: /dev/vda1 does not exist | Kernel panic - not syncing: VFS',
    });
  });

  test('a login waits for the network for a minute, then counts by itself', () => {
    expect(bootVerdict('linux', {}, signs({ console: up, signForSeconds: 10 }))).toBeUndefined();
    expect(bootVerdict('linux', {}, signs({ console: up, signForSeconds: 61 }))).toMatchObject({
      outcome: 'up',
      evidence: expect.stringContaining('did not respond'),
    });
  });

  test('a login that nothing else can confirm has to last for some seconds: a guest can stop right after its prompt', () => {
    for (const [options, rest] of [
      [{}, { askedAt: [] }],
      [{ mode: 'console' }, {}],
    ] as const) {
      expect(bootVerdict('linux', options, signs({ console: up, signForSeconds: 4, ...rest }))).toBeUndefined();
      expect(bootVerdict('linux', options, signs({ console: up, signForSeconds: 5, ...rest }))).toMatchObject({
        outcome: 'up',
      });
    }
  });

  test('where the network has to answer, a login alone fails at the deadline', () => {
    const options = { mode: 'network' } as const;
    expect(bootVerdict('linux', options, signs({ console: up, signForSeconds: 300 }))).toBeUndefined();
    expect(bootVerdict('linux', options, signs({ console: up, isOver: true }))).toMatchObject({ outcome: 'failed' });
  });

  test('where the console has to show a login, the network does not count', () => {
    expect(bootVerdict('linux', { mode: 'console' }, signs({ answeredAt: 'x' }))).toBeUndefined();
    expect(bootVerdict('linux', { mode: 'console' }, signs({ console: up, signForSeconds: 5 }))).toMatchObject({
      outcome: 'up',
    });
  });

  test('silence fails at the deadline, but is no proof against Windows', () => {
    expect(bootVerdict('linux', {}, signs())).toBeUndefined();
    expect(bootVerdict('linux', {}, signs({ isOver: true }))).toMatchObject({
      outcome: 'failed',
      evidence: expect.stringContaining('the console is empty'),
    });
    expect(bootVerdict('windows', {}, signs({ isOver: true }))).toMatchObject({ outcome: 'unproven' });
    expect(bootVerdict('windows', { mode: 'network' }, signs({ isOver: true }))).toMatchObject({ outcome: 'failed' });
  });
});

test('without a console only the network tells', () => {
  expect(bootVerdict('linux', {}, signs({ hasConsole: false, answeredAt: '192.0.2.1:22' }))).toMatchObject({
    outcome: 'up',
  });
  expect(bootVerdict('linux', {}, signs({ hasConsole: false, isOver: true }))).toMatchObject({
    outcome: 'failed',
    evidence: expect.stringContaining('provides no console log'),
  });
  expect(bootVerdict('linux', {}, signs({ hasConsole: false, isOver: true, askedAt: [] }))).toMatchObject({
    outcome: 'unproven',
  });
});
