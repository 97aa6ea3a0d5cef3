/** What the console of a guest shows, as written for tests, and what is true of that guest. */
export interface BootConsole {
  readonly name: string;
  readonly osType: 'linux' | 'windows';
  /** `locked`: needs a passphrase, so nothing is proven until someone enters it. */
  readonly truth: 'up' | 'failed' | 'locked';
  readonly text: string;
  /** The boot stopped for some time and went on: a verdict before that is right, too. */
  readonly hadStop?: true;
  /** What the evidence of a failure has to name. */
  readonly evidence?: RegExp;
}

const kernelStart = (version: string): string =>
  [
    `[    0.000000] Linux version ${version} (builder@example) (gcc 12.2.0) #1 SMP PREEMPT_DYNAMIC`,
    '[    0.000000] Command line: root=UUID=5d6b1b0c-6a0a-4a58-9d55-0f6f1a2b3c4d ro console=tty0 console=ttyS0,115200n8',
    '[    0.412345] Run /init as init process',
    '[    1.104220] virtio_blk virtio1: [vda] 41943040 512-byte logical blocks (21.5 GB/20.0 GiB)',
    '[    1.120011]  vda: vda1 vda2 vda3',
    '',
  ].join('\r\n');
const ok = (text: string): string => `[\u001b[0;32m  OK  \u001b[0m] ${text}\r\n`;
const seabios =
  'SeaBIOS (version 1.16.2-debian-1.16.2-1)\r\n\r\niPXE (https://ipxe.example) 00:03.0 CA00\r\n\r\nBooting from Hard Disk...\r\n';

export const bootConsoles: readonly BootConsole[] = [
  {
    name: 'Debian',
    osType: 'linux',
    truth: 'up',
    text:
      `${seabios}Booting from Hard Disk...\r\nGRUB loading.\r\nWelcome to GRUB!\r\n\r\n${kernelStart('6.1.0-18-amd64')}` +
      `Loading, please wait...\r\n/dev/vda3: clean, 41822/1310720 files, 512331/5242880 blocks\r\n${ok('Started getty@tty1.service - Getty on tty1.')}\r\n` +
      'Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ',
  },
  {
    name: "Debian whose cloud-init writes onto the prompt's line",
    osType: 'linux',
    truth: 'up',
    text:
      `${kernelStart('6.1.0-18-amd64')}\r\nDebian GNU/Linux 12 host ttyS0\r\n\r\nhost login: [   34.862051] cloud-init[508]: Cloud-init v. 22.4.2 running 'modules:final' at Tue, 05 Mar 2024 10:00:00 +0000. Up 34.62 seconds.\r\n` +
      'ci-info: no authorized SSH keys fingerprints found for user debian.\r\n<14>Mar  5 10:00:01 cloud-init: #############################################################\r\n',
  },
  {
    name: 'a prompt that the kernel writes into',
    osType: 'linux',
    truth: 'up',
    text: `${kernelStart('6.1.0-18-amd64')}\r\nDebian GNU/Linux 12 web ttyS0\r\n\r\nweb lo[   12.550001] IPv6: ADDRCONF(NETDEV_CHANGE): ens3: link becomes ready\r\ngin: `,
  },
  {
    name: 'Debian that waits for a swap device of the past, then boots',
    osType: 'linux',
    truth: 'up',
    text:
      `${kernelStart('5.10.0-28-amd64')}Begin: Running /scripts/local-block ... done.\r\nGave up waiting for suspend/resume device\r\n` +
      '/dev/vda1: clean, 32211/655360 files\r\n\r\nDebian GNU/Linux 11 db ttyS0\r\n\r\ndb login: ',
  },
  {
    name: 'RHEL 9',
    osType: 'linux',
    truth: 'up',
    text:
      `${kernelStart('5.14.0-362.8.1.el9_3.x86_64')}${ok('Reached target Initrd Root Device.')}${ok('Reached target Multi-User System.')}\r\n` +
      'Red Hat Enterprise Linux 9.3 (Plow)\r\nKernel 5.14.0-362.8.1.el9_3.x86_64 on an x86_64\r\n\r\nActivate the web console with: systemctl enable --now cockpit.socket\r\n\r\napp01 login: ',
  },
  {
    name: 'RHEL whose initial RAM disk assembles a degraded array late',
    osType: 'linux',
    truth: 'up',
    text:
      `${kernelStart('4.18.0-513.el8.x86_64')}[  132.004511] dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts\r\n` +
      `[  133.104511] md/raid1:md127: active with 1 out of 2 mirrors\r\n${ok('Reached target multi-user.target - Multi-User System.')}`,
  },
  {
    name: 'CentOS 6',
    osType: 'linux',
    truth: 'up',
    text:
      `${kernelStart('2.6.32-754.el6.x86_64')}\t\tWelcome to \u001b[0;36mCentOS\u001b[0;39m \r\nStarting udev: \u001b[60G[\u001b[0;32m  OK  \u001b[0;39m]\r\r\n` +
      'Starting sshd: \u001b[60G[\u001b[0;32m  OK  \u001b[0;39m]\r\r\n\r\nCentOS release 6.10 (Final)\r\nKernel 2.6.32-754.el6.x86_64 on an x86_64\r\n\r\nlegacy.example.com login: ',
  },
  {
    name: 'SLES 15',
    osType: 'linux',
    truth: 'up',
    text:
      `BdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Not Found\r\nBdsDxe: loading Boot0002 "UEFI Hard Drive"\r\nBdsDxe: starting Boot0002 "UEFI Hard Drive"\r\n${kernelStart('5.14.21-150500.55.19-default')}` +
      `${ok('Reached target Login Prompts.')}\r\n\r\nWelcome to SUSE Linux Enterprise Server 15 SP5  (x86_64) - Kernel 5.14.21-150500.55.19-default (ttyS0).\r\n\r\neth0: 10.0.0.7 fe80::f816:3eff:fe11:2233\r\n\r\n\r\nsap01 login: `,
  },
  {
    name: "Ubuntu with cloud-init's messages behind the prompt",
    osType: 'linux',
    truth: 'up',
    text:
      `\u001b[2J\u001b[01;01H${kernelStart('5.15.0-101-generic')}${ok('Finished Cloud-init: Network Stage.')}\r\nUbuntu 22.04.4 LTS ubuntu ttyS0\r\n\r\nubuntu login: \u001b[6n` +
      'ci-info: ++++++++++++++++Authorized keys from /home/ubuntu/.ssh/authorized_keys for user ubuntu+++++++++++++++\r\n-----BEGIN SSH HOST KEY KEYS-----\r\nssh-ed25519 AAAA root@ubuntu\r\n-----END SSH HOST KEY KEYS-----\r\n' +
      '[   61.220014] cloud-init[1104]: Cloud-init v. 23.4.4 finished at Tue, 05 Mar 2024 10:00:40 +0000. Datasource DataSourceOpenStackLocal [net,ver=2].  Up 61.19 seconds\r\n',
  },
  {
    name: 'Amazon Linux',
    osType: 'linux',
    truth: 'up',
    text: `${kernelStart('6.1.79-99.167.amzn2023.x86_64')}\r\n   ,     #_\r\n   ~\\_  ####_        Amazon Linux 2023\r\n  ~~  \\_#####\\\r\n\r\nAmazon Linux 2023.3.20240304\r\nKernel 6.1.79-99.167.amzn2023.x86_64 on an x86_64 (-)\r\n\r\nip-10-0-0-12 login: `,
  },
  {
    name: 'a screen that is cleared after the boot, with a German prompt',
    osType: 'linux',
    truth: 'up',
    text: `${kernelStart('6.4.0-150600-default')}\u001bc\u001b[2J\u001b[H\u001b(B\u001b[mWillkommen bei openSUSE Leap 15.6 - Kernel 6.4.0 (ttyS0).\r\n\r\nleap Anmeldung: `,
  },
  {
    name: 'a relabel by SELinux and the restart after it',
    osType: 'linux',
    truth: 'up',
    text:
      `${kernelStart('5.14.0-362.el9.x86_64')}\r\n*** Warning -- SELinux targeted policy relabel is required.\r\n*** Relabeling could take a very long time, depending on file\r\n*** system size and speed of hard drives.\r\n` +
      'Running: /sbin/fixfiles -T 0 restore\r\n\r12.5%\r40.1%\r88.0%\r100.0%\r\n[  212.120011] reboot: Restarting system\r\n' +
      `${kernelStart('5.14.0-362.el9.x86_64')}\r\nRocky Linux 9.3 (Blue Onyx)\r\nKernel 5.14.0-362.el9.x86_64 on an x86_64\r\n\r\nrocky login: `,
  },
  {
    name: 'a quiet boot with a banner and no newline',
    osType: 'linux',
    truth: 'up',
    text: 'GRUB loading.\r\nWelcome to GRUB!\r\n\r\n\u001b[H\u001b[J\u001b[1;1H** Authorized users only **\r\nsrv-1 login: ',
  },
  {
    name: 'Windows with the Special Administration Console',
    osType: 'windows',
    truth: 'up',
    text: '\u001b[2J\u001b[1;1HComputer is booting, SAC started and initialized.\r\n\r\nUse the "ch -?" command for information about using channels.\r\nUse the "?" command for general help.\r\n\r\n\r\nSAC>\r\nEVENT:   The CMD command is now available.\r\nSAC>',
  },
  {
    name: 'Windows without its disk driver',
    osType: 'windows',
    truth: 'failed',
    evidence: /STOP: 0x0000007B/,
    text: 'Computer is booting, SAC started and initialized.\r\nSAC>\r\n\r\nA problem has been detected and Windows has been shut down.\r\n\r\n*** STOP: 0x0000007B (0xFFFFF880009A97E8,0xFFFFFFFFC0000034,0x0000000000000000,0x0000000000000000)\r\n',
  },
  {
    name: 'a root that is not found',
    osType: 'linux',
    truth: 'failed',
    evidence: /Gave up waiting for root file system device/,
    text:
      `${seabios}${kernelStart('6.1.0-18-amd64')}Begin: Waiting for root file system ... Begin: Running /scripts/local-block ... done.\r\ndone.\r\nGave up waiting for root file system device.  Common problems:\r\n` +
      ' - Boot args (cat /proc/cmdline)\r\n   - Check rootdelay= (did the system wait long enough?)\r\n - Missing modules (cat /proc/modules; ls /dev)\r\nALERT!  UUID=5d6b1b0c-6a0a-4a58-9d55-0f6f1a2b3c4d does not exist.  Dropping to a shell!\r\n\r\n(initramfs) ',
  },
  {
    name: 'emergency mode for a disk that is not there',
    osType: 'linux',
    truth: 'failed',
    evidence: /Timed out waiting for device .*data/,
    text:
      `${kernelStart('5.14.0-362.el9.x86_64')}[\u001b[0;31m\u001b[1m TIME \u001b[0m] Timed out waiting for device /dev/disk/by-id/scsi-data.\r\n[\u001b[0;1;38:5:185mDEPEND\u001b[0m] Dependency failed for /data.\r\n[\u001b[0;1;38:5:185mDEPEND\u001b[0m] Dependency failed for Local File Systems.\r\n` +
      'You are in emergency mode. After logging in, type "journalctl -xb" to view\r\nsystem logs, "systemctl reboot" to reboot, "systemctl default" or "exit"\r\nto boot into default mode.\r\nGive root password for maintenance\r\n(or press Control-D to continue): ',
  },
  {
    name: 'emergency mode of SLES 11',
    osType: 'linux',
    truth: 'failed',
    evidence: /fsck failed for at least one filesystem/,
    text: `${kernelStart('3.0.101-63-default')}fsck failed for at least one filesystem (not /).\r\nPlease repair manually and reboot.\r\nThe root file system is is already mounted read-write.\r\n\r\nAttention: Only CONTROL-D will reboot the system in this\r\nmaintanance mode. shutdown or reboot will not work.\r\n\r\nGive root password for login: `,
  },
  {
    name: 'the shell of dracut',
    osType: 'linux',
    truth: 'failed',
    evidence: /\/dev\/disk\/by-uuid\/\S+ does not exist/,
    text: `${kernelStart('5.14.0-362.el9.x86_64')}[  190.104511] dracut-initqueue[321]: Warning: dracut-initqueue timeout - starting timeout scripts\r\n[  191.004511] dracut-initqueue[321]: Warning: Could not boot.\r\nWarning: /dev/disk/by-uuid/5d6b1b0c-6a0a-4a58-9d55-0f6f1a2b3c4d does not exist\r\n\r\nGenerating "/run/initramfs/rdsosreport.txt"\r\n\r\n\r\nEntering emergency mode. Exit the shell to continue.\r\nType "journalctl" to view system logs.\r\n\r\n\r\ndracut:/# `,
  },
  {
    name: 'the rescue shell of GRUB',
    osType: 'linux',
    truth: 'failed',
    evidence: /no such device: 5d6b1b0c/,
    text: 'GRUB loading.\r\nWelcome to GRUB!\r\n\r\nerror: no such device: 5d6b1b0c-6a0a-4a58-9d55-0f6f1a2b3c4d.\r\nEntering rescue mode...\r\ngrub rescue> ',
  },
  {
    name: 'a kernel panic',
    osType: 'linux',
    truth: 'failed',
    evidence: /Kernel panic - not syncing: VFS/,
    text: `${kernelStart('3.10.0-1160.el7.x86_64')}[    1.900011] VFS: Cannot open root device "UUID=5d6b" or unknown-block(0,0): error -6\r\n[    1.910011] Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0)\r\n[    1.920011] CPU: 0 PID: 1 Comm: swapper/0 Not tainted\r\n[    1.990011] ---[ end Kernel panic - not syncing: VFS: Unable to mount root fs on unknown-block(0,0) ]---\r\n`,
  },
  {
    name: 'a panic after the login prompt',
    osType: 'linux',
    truth: 'failed',
    evidence: /Kernel panic - not syncing: Fatal exception/,
    text: `${kernelStart('6.1.0-18-amd64')}\r\nDebian GNU/Linux 12 web ttyS0\r\n\r\nweb login: [   40.220014] BUG: kernel NULL pointer dereference, address: 0000000000000010\r\n[   40.320014] Kernel panic - not syncing: Fatal exception in interrupt\r\n`,
  },
  {
    name: 'a file system check that needs a person',
    osType: 'linux',
    truth: 'failed',
    evidence: /requires a manual fsck|RUN fsck MANUALLY/,
    text: `${kernelStart('5.15.0-101-generic')}/dev/vda1: Inodes that were part of a corrupted orphan linked list found.\r\n\r\n/dev/vda1: UNEXPECTED INCONSISTENCY; RUN fsck MANUALLY.\r\n\t(i.e., without -a or -p options)\r\nfsck exited with status code 4\r\nThe root filesystem on /dev/vda1 requires a manual fsck\r\n\r\nBusyBox v1.30.1 (Ubuntu) built-in shell (ash)\r\n(initramfs) `,
  },
  {
    name: 'firmware without a boot loader',
    osType: 'linux',
    truth: 'failed',
    evidence: /failed to load Boot0001/,
    text: '\u001b[=3hBdsDxe: failed to load Boot0001 "UEFI Misc Device" from PciRoot(0x0)/Pci(0x3,0x0): Not Found\r\nUEFI Interactive Shell v2.2\r\nEDK II\r\n\u001b[14;01HShell> ',
  },
  {
    name: 'a BIOS without a boot loader',
    osType: 'linux',
    truth: 'failed',
    evidence: /No bootable device/,
    text: 'SeaBIOS (version 1.16.2)\r\nBooting from Hard Disk...\r\nBoot failed: not a bootable disk\r\n\r\nBooting from ROM...\r\nNo bootable device.\r\n',
  },
  {
    name: 'emergency mode of Debian 12 with a locked root account',
    osType: 'linux',
    truth: 'failed',
    evidence: /Timed out waiting for device .*data/,
    text:
      `${kernelStart('6.1.0-18-amd64')}[ \u001b[0;1;31mTIME\u001b[0m ] Timed out waiting for device dev-disk-by-id-data.device.\r\nYou are in emergency mode. After logging in, type "journalctl -xb" to view\r\nsystem logs, "systemctl reboot" to reboot, "systemctl default" or "exit"\r\nto boot into default mode.\r\n` +
      '\r\nCannot open access to console, the root account is locked.\r\nSee sulogin(8) man page for more details.\r\n\r\nPress Enter to continue.\r\n',
  },
  {
    name: 'emergency mode of Ubuntu 24.04 without a root password',
    osType: 'linux',
    truth: 'failed',
    evidence: /File System Check on/,
    text:
      `${kernelStart('6.8.0-31-generic')}[\u001b[0;1;31mFAILED\u001b[0m] Failed to start systemd-fsck@dev-vdb1.service - File System Check on /dev/vdb1.\r\n[FAILED] Failed to start File System Check on /dev/vdb1.\r\n${ok('Reached target emergency.target - Emergency Mode.')}` +
      'You are in emergency mode. After logging in, type "journalctl -xb" to view\r\nPress Enter for maintenance\r\n(or press Control-D to continue): \r\nDefault login: ubuntu\r\n',
  },
  {
    name: 'emergency mode with a kernel message in its prompt and a banner behind it',
    osType: 'linux',
    truth: 'failed',
    evidence: /emergency mode/,
    text: `${kernelStart('5.14.0-427.el9.x86_64')}You are in emergency mode. After logging in, type "journalctl -xb" to view\r\nGive root password for [   95.120011] usb 1-1: new high-speed USB device number 2\r\nlogin: \r\nLogin incorrect\r\n\r\nrocky login: `,
  },
  {
    name: 'emergency mode in German',
    osType: 'linux',
    truth: 'failed',
    evidence: /Wartung|Strg-D/,
    text: `${kernelStart('5.14.21-150500.53-default')}Sie befinden sich im Notfallmodus.\r\nRoot-Passwort zur Wartung eingeben\r\n(oder drücken Sie Strg-D, um fortzufahren): \r\nlinux login: `,
  },
  {
    name: 'the end of an emergency prompt in a truncated buffer',
    osType: 'linux',
    truth: 'failed',
    evidence: /Control-D to continue/,
    text: 'er logging in, type "journalctl -xb" to view\r\nsystem logs, "systemctl reboot" to reboot.\r\n\u001b[0;3Give root pass\r\n(or press Control-D to continue): ',
  },
  {
    name: "the previous boot's prompt before emergency mode",
    osType: 'linux',
    truth: 'failed',
    evidence: /Timed out waiting/,
    text: `Debian GNU/Linux 12 web ttyS0\r\n\r\nweb login: \r\n${kernelStart('6.1.0-18-amd64')}[ TIME ] Timed out waiting for device dev-vdb1.device.\r\nWelcome to emergency mode! After logging in, type "journalctl -xb" to view\r\nGive root password for maintenance\r\n(or type Control-D to continue): `,
  },
  {
    name: 'a login prompt that turns into rescue mode',
    osType: 'linux',
    truth: 'failed',
    evidence: /Rescue Shell/,
    text: `${kernelStart('6.1.0-18-amd64')}web login: \r\n${ok('Started rescue.service - Rescue Shell.')}You are in rescue mode. After logging in, type "journalctl -xb" to view\r\nGive root password for maintenance\r\n(or press Control-D to continue): \r\nweb login: `,
  },
  {
    name: 'a maintenance shell of sysvinit',
    osType: 'linux',
    truth: 'failed',
    evidence: /automatic file system check/,
    text:
      `${kernelStart('3.16.0-11-amd64')}fsck died with exit status 4\r\nfailed (code 4).\r\nAn automatic file system check (fsck) of the root filesystem failed. A manual fsck must be performed, then the system restarted. The fsck should be performed in maintenance mode with the root filesystem mounted in read-only mode. ... failed!\r\n` +
      'The root filesystem is currently mounted in read-only mode. A maintenance shell will now be started. After performing system maintenance, press CONTROL-D to terminate the maintenance shell and restart the system. ... (warning).\r\nsulogin: root account is locked, starting shell\r\nroot@(none):~# ',
  },
  {
    name: 'a file system check of CentOS 6 that needs a person',
    osType: 'linux',
    truth: 'failed',
    evidence: /An error occurred during the file system check/,
    text: `${kernelStart('2.6.32-754.el6.x86_64')}Checking filesystems\r\n/dev/vda2: UNEXPECTED INCONSISTENCY\r\n*** An error occurred during the file system check.\r\n*** Dropping you to a shell; the system will reboot\r\n*** when you leave the shell.\r\nGive root password for maintenance\r\n(or type Control-D to continue): `,
  },
  {
    name: "the shell of RHEL 8's initial RAM disk",
    osType: 'linux',
    truth: 'failed',
    evidence: /Could not boot|does not exist/,
    text: `${kernelStart('4.18.0-513.el8.x86_64')}dracut-initqueue[412]: Warning: dracut-initqueue timeout - starting timeout scripts\r\ndracut-initqueue[412]: Warning: Could not boot.\r\n         Starting Dracut Emergency Shell...\r\nWarning: /dev/mapper/rhel-root does not exist\r\n\r\nPress Enter for maintenance\r\n(or press Control-D to continue): \r\n:/# [  200.120011] random: crng init done\r\nroot login: disabled\r\n`,
  },
  {
    name: 'the emergency shell of Arch Linux',
    osType: 'linux',
    truth: 'failed',
    evidence: /device '[^']+' not found|on real root/,
    text:
      `${kernelStart('6.9.3-arch1-1')}:: running hook [udev]\r\nWaiting 10 seconds for device /dev/disk/by-uuid/5d6b ...\r\nERROR: device 'UUID=5d6b' not found. Skipping fsck.\r\n:: mounting 'UUID=5d6b' on real root\r\nmount: /new_root: no valid filesystem type specified.\r\nERROR: Failed to mount 'UUID=5d6b' on real root\r\n` +
      "You are now being dropped into an emergency shell.\r\nsh: can't access tty; job control turned off\r\n[rootfs ~]# ",
  },
  {
    name: 'the recovery shell of Alpine Linux',
    osType: 'linux',
    truth: 'failed',
    evidence: /mount: mounting UUID=5d6b/,
    text: `${kernelStart('6.6.31-0-virt')}Mounting root: mount: mounting UUID=5d6b on /sysroot failed: No such file or directory\r\nMounting root: failed.\r\ninitramfs emergency recovery shell launched. Type 'exit' to continue boot\r\nsh: can't access tty; job control turned off\r\n~ # `,
  },
  {
    name: "Ubuntu's initial RAM disk with a kernel message behind its prompt",
    osType: 'linux',
    truth: 'failed',
    evidence: /Gave up waiting for root/,
    text: `${kernelStart('5.15.0-101-generic')}Gave up waiting for root file system device.  Common problems:\r\nALERT!  /dev/mapper/ubuntu--vg-ubuntu--lv does not exist.  Dropping to a shell!\r\n\r\nBusyBox v1.30.1 (Ubuntu 1:1.30.1-7ubuntu3) built-in shell (ash)\r\nEnter 'help' for a list of built-in commands.\r\n\r\n\u001b[6n(initramfs)[   95.000011] usb 1-1: new device\r\nubuntu login: `,
  },
  {
    name: 'Windows that asks for repair',
    osType: 'windows',
    truth: 'failed',
    evidence: /needs to be repaired/,
    text: "\u001b[2J\u001b[1;1HRecovery\r\n\r\nYour PC/Device needs to be repaired\r\n\r\nA required device isn't connected or can't be accessed.\r\n\r\nFile: \\Windows\\system32\\winload.efi\r\nError code: 0xc000000e\r\n",
  },
  {
    name: 'Windows whose boot manager gives up',
    osType: 'windows',
    truth: 'failed',
    evidence: /Windows failed to start/,
    text: '\u001b[2J\u001b[1;1H                         Windows Boot Manager\r\n\r\nWindows failed to start. A recent hardware or software change might be the\r\ncause.\r\n    File: \\Boot\\BCD\r\n    Status: 0xc000000f\r\n',
  },
  {
    name: 'emergency mode that a closed console ends, and the boot that goes on',
    osType: 'linux',
    truth: 'up',
    hadStop: true,
    text: `${kernelStart('6.1.0-18-amd64')}You are in emergency mode. After logging in, type "journalctl -xb" to view\r\nGive root password for maintenance\r\n(or press Control-D to continue): \r\nReloading system manager configuration\r\nStarting default target\r\n\r\nDebian GNU/Linux 12 web ttyS0\r\n\r\nweb login: `,
  },
  {
    name: 'Rocky Linux that failed once and was started again',
    osType: 'linux',
    truth: 'up',
    hadStop: true,
    text: `${kernelStart('5.14.0-427.el9.x86_64')}Give root password for maintenance\r\n(or press Control-D to continue): \r\n[   30.000011] reboot: Restarting system\r\n${kernelStart('5.14.0-427.el9.x86_64')}\r\nRocky Linux 9.4 (Blue Onyx)\r\n\r\nrocky login: `,
  },
  {
    name: 'a passphrase prompt of Debian',
    osType: 'linux',
    truth: 'locked',
    text: `${kernelStart('6.1.0-18-amd64')}cryptsetup: Waiting for encrypted source device ...\r\nPlease unlock disk vda3_crypt: `,
  },
  {
    name: 'a passphrase prompt of systemd',
    osType: 'linux',
    truth: 'locked',
    text: `${kernelStart('5.14.0-362.el9.x86_64')}Please enter passphrase for disk VirtIO_Disk (luks-5d6b1b0c): (press TAB for no echo) `,
  },
];

/** What cloud-init, the kernel and others write at any moment. */
export const strayLines: readonly string[] = [
  '[   35.114220] cloud-init[508]: Generating public/private rsa key pair.\r\n',
  '[   36.000001] random: crng init done\r\n',
  '[   36.220014] EXT4-fs (vdb1): mounted filesystem with ordered data mode. Quota mode: none.\r\n',
  '[   41.000001] IPv6: ADDRCONF(NETDEV_CHANGE): ens3: link becomes ready\r\n',
  '[   55.000001][  T101] audit: type=1400 audit(1700000000.1:2): apparmor="STATUS" operation="profile_load"\r\n',
];
/** Console text that waits for input and looks like a login prompt. */
export const loginTexts: readonly string[] = [
  '\r\nweb login: ',
  '\r\nlogin: ',
  '\r\nDebian GNU/Linux 12 web ttyS0\r\n\r\nweb login: ',
  '\r\nDefault login: root\r\n',
  'Login incorrect\r\n\r\nweb login: ',
  '\r\nLast login: Tue Mar  5 10:00:00 on ttyS0\r\n',
  'Give root password for [   95.000011] usb 1-1: new device\r\nlogin: ',
  '\r\nweb lo[   96.000011] usb 1-2: new device\r\ngin: ',
  '\r\nweb Anmeldung: ',
];
export const strayEscapes: readonly string[] = [
  '\u001b[0m',
  '\u001b[1;32m',
  '\u001b[0;1;38:5:185m',
  '\u001b[K',
  '\u001b[?25h',
  '\u001b[6n',
  '\u001b(B',
  '\u001b]0;web\u0007',
];
