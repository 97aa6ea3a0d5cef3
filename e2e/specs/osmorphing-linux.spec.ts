// needs: native workers, e2fsprogs, fdisk, openssl, slirp4netns
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectOnWorker, morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import type { MorphOptions, MorphOutcome, MorphStepEvent } from '../../electron/engine/osmorphing/index.ts';
import { CausewayError } from '../../shared/model/causeway-error.ts';
import { GuestFiles } from '../rigs/guests/guest-files.ts';
import { changedProgram, debianGuest, failingAt, startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';
import { ensureDebianGuest } from '../rigs/images/ensure.ts';
import { run } from '../rigs/machines/child-process.ts';
import { contentDigest } from '../rigs/sparse-files.ts';

const everyStep = process.env['CAUSEWAY_EVERY_STEP'] === '1';
const never = new AbortController().signal;
const nics = [{ macAddress: '52:54:00:00:00:77', sourceMacAddress: '52:54:00:12:34:56' }];

interface Attached {
  readonly id: string;
  readonly device: string;
  readonly path: string;
}

/** Whether the initial RAM disk of the guest's kernel holds the driver for virtual disks, as a file: its index names all. */
async function hasVirtio(files: GuestFiles): Promise<boolean> {
  const name = (await files.names('/boot')).find((one) => one.startsWith('initrd.img-'));
  return gunzipSync(await files.bytes(`/boot/${String(name)}`)).includes('/virtio_blk.ko\0');
}

describe('the preparation of a Debian guest on a native worker', () => {
  let lab: MorphLab;
  let guest: Attached;
  let untouched: string;
  let first: MorphOutcome;
  const steps: MorphStepEvent[] = [];

  const morph = (
    options: Partial<MorphOptions> = {},
    more: Partial<Parameters<typeof morphLinuxGuest>[0]> = {},
  ): Promise<MorphOutcome> =>
    morphLinuxGuest({ ssh: lab.ssh, devices: [guest.device], options: { nics, ...options }, signal: never, ...more });

  beforeAll(async () => {
    lab = await startMorphLab('native', { outbound: true });
    guest = await lab.volume(2, debianGuest);
    untouched = join(await ensureDebianGuest(), 'disk.raw');
  });

  afterAll(async () => lab?.close());

  it('tells what is on the disk without writing a byte to it', async () => {
    const before = await contentDigest(guest.path);
    const found = await inspectOnWorker({ ssh: lab.ssh, devices: [guest.device], options: {}, signal: never });
    expect(await contentDigest(guest.path)).toBe(before);
    expect(found).toMatchObject({
      supported: true,
      findings: [],
      candidates: [{ id: 'UUID=11111111-2222-4333-8444-555555555555', distribution: 'debian', partition: 1, disk: 0 }],
      dossier: {
        distribution: 'debian',
        family: 'debian',
        architecture: 'x86_64',
        hostname: 'source-vm',
        bootloader: 'grub-bios',
        firmware: 'bios',
        init: 'systemd',
        network: ['ifupdown'],
        selinux: 'absent',
        cloudInit: null,
        hypervisorTools: {},
      },
    });
    expect(found.dossier.kernels).toHaveLength(1);
    expect(await lab.traces()).toBe('');
  });

  it("installs cloud-init and adds the drivers to the initial RAM disk, with the guest's own tools and repositories", async () => {
    expect(await hasVirtio(new GuestFiles(guest.path))).toBe(false);
    const scripts = {
      beforeMount: [{ name: 'worker', content: 'echo "disks: $CAUSEWAY_DEVICES"' }],
      inGuest: [
        { name: 'inside', content: '. /etc/os-release; echo "in $ID"; echo kept > /srv/by-script' },
        // The guest comes from another hypervisor.
        {
          name: 'tools',
          content:
            '(apt-get -q update && apt-get -q -y --no-install-recommends install open-vm-tools) >/dev/null 2>&1 && systemctl is-enabled vmtoolsd',
        },
      ],
      firstBoot: [{ name: 'later', content: 'touch /root/first-boot-ran' }],
    };
    first = await morph({ scripts }, { onStep: (event) => steps.push(event) });
    expect(await hasVirtio(new GuestFiles(guest.path))).toBe(true);
    expect(first.dossier.distribution).toBe('debian');
    expect(first.scripts.map(({ output }) => output.trim())).toEqual([
      `disks: ${guest.device}`,
      'in debian',
      expect.stringMatching(/alias|enabled/),
    ]);
    expect(steps.filter(({ state }) => state === 'running').map(({ step }) => step)).toEqual([
      'scripts-before-mount',
      'open-disks',
      'mount',
      'scripts-in-guest',
      'remove-hypervisor-tools',
      'install-cloud-init',
      'configure-cloud-init',
      'install-agent',
      'configure-network',
      'remove-leftovers',
      'name-disks-by-uuid',
      'unbind-volumes',
      'rebuild-initramfs',
      'configure-kernel',
      'ensure-efi-loader',
      'install-first-boot-scripts',
      'relabel-files',
      'unmount',
    ]);
    expect(await lab.traces()).toBe('');
  });

  it('tells what it changed: packages, files with their lines, services, names of interfaces, and nothing of accounts or SSH', () => {
    const { diff } = first;
    expect(Object.keys(diff.packages.added)).toContain('cloud-init');
    expect(diff.packages.removed).toEqual({});
    const added = new Map(diff.files.added.map((file) => [file.path, file]));
    expect(added.get('/etc/cloud/cloud.cfg.d/99_causeway.cfg')?.lines).toEqual(
      expect.arrayContaining([
        '+datasource_list: [OpenStack, ConfigDrive, NoCloud]',
        '+ssh_deletekeys: false',
        '+ssh_pwauth: unchanged',
      ]),
    );
    expect(added.get('/etc/udev/rules.d/70-causeway-net.rules')?.lines?.at(-1)).toBe(
      '+SUBSYSTEM=="net", ACTION=="add", DRIVERS=="?*", ATTR{address}=="52:54:00:00:00:77", NAME="ens3"',
    );
    const changed = diff.files.changed.map(({ path }) => path);
    expect(changed.some((path) => path.startsWith('/boot/initrd.img-'))).toBe(true);
    expect(diff.files.changed.find(({ path }) => path === '/etc/initramfs-tools/modules')?.lines).toContain(
      '+virtio_blk',
    );
    expect(diff.services.enabled.some((service) => service.startsWith('cloud-init'))).toBe(true);
    expect(diff.services.disabled).toEqual([]);
    expect(diff.users).toEqual({ added: {}, removed: {}, changed: {} });
    expect(diff.sshPolicy).toEqual({ added: {}, removed: {}, changed: {} });
    expect(diff.sshHostKeys).toEqual({ added: {}, removed: {}, changed: {} });
  });

  it('removes the tools of the hypervisor that the guest comes from, and leaves no alias of theirs behind', async () => {
    const { notes } = first.steps.find(({ step }) => step === 'remove-hypervisor-tools') ?? { notes: [] };
    expect(notes[0]).toMatch(/^removed .*open-vm-tools/);
    const files = new GuestFiles(guest.path);
    const units = [
      ...(await files.names('/etc/systemd/system')),
      ...(await files.names('/etc/systemd/system/multi-user.target.wants')),
    ];
    expect(units.filter((name) => /vmtools|vm-tools|vgauth/.test(name))).toEqual([]);
    expect(await files.names('/etc/vmware-tools')).toEqual([]);
  });

  it("leaves the guest's resolver alone and no trace of the worker", async () => {
    const files = new GuestFiles(guest.path);
    expect(await files.names('/run')).toEqual(await new GuestFiles(untouched).names('/run'));
    expect(await files.bytes('/etc/resolv.conf')).toEqual(await new GuestFiles(untouched).bytes('/etc/resolv.conf'));
    expect(await files.names('/usr/sbin')).not.toContain('policy-rc.d');
    expect([...first.diff.files.added, ...first.diff.files.changed].map(({ path }) => path)).not.toContain(
      '/etc/resolv.conf',
    );
  });

  it('changes nothing when it runs again', async () => {
    const again = await morph({ scripts: { firstBoot: [{ name: 'later', content: 'touch /root/first-boot-ran' }] } });
    expect(again.steps.filter(({ changed }) => changed)).toEqual([]);
    expect(again.diff.files).toEqual({ added: [], removed: [], changed: [] });
    expect(again.diff.packages).toEqual({ added: {}, removed: {}, changed: {} });
    expect(await lab.traces()).toBe('');
  });

  it('leaves nothing mounted whichever step fails, and the file system clean', async () => {
    // Among the few are the first and the last step with something mounted.
    for (const { step } of first.steps.filter((_step, index) => everyStep || index % 7 === 2)) {
      const programFolder = await changedProgram(lab.folder, `fails-at-${step}`, failingAt(step));
      const told = await morph({}, { programFolder }).then(
        () => undefined,
        (error: unknown) => error,
      );
      expect(told, step).toBeInstanceOf(CausewayError);
      expect(told, step).toMatchObject({
        code: 'osmorphing.command-failed',
        message: `made to fail at ${step}`,
        details: { step },
      });
      expect(await lab.traces(), step).toBe('');
    }
    await run('e2fsck', ['-fn', `${guest.path}?offset=1048576`]);
  });

  it('stops a command in the guest and unmounts when it is cancelled', async () => {
    const cancel = new AbortController();
    // Longer than a test may take.
    const script = { name: 'slow', content: 'sleep 3000 & sleep 3000' };
    const onLog = (line: string): void => {
      if (line.includes('running the script')) setTimeout(() => cancel.abort(), 200);
    };
    await expect(morph({ scripts: { inGuest: [script] } }, { signal: cancel.signal, onLog })).rejects.toMatchObject({
      code: 'general.cancelled',
    });
    expect(await lab.traces()).toBe('');
    await expect.poll(() => lab.worker.ssh.text('pgrep -x sleep || echo none')).toBe('none');
  });

  it('is unmounted by the worker itself when the connection is lost', async () => {
    const ssh = await lab.connect();
    const onLog = (line: string): void => {
      if (line.includes('running the script')) setTimeout(() => void ssh.close(), 200);
    };
    const options = { nics, scripts: { inGuest: [{ name: 'slow', content: 'sleep 300' }] } };
    const lost = morphLinuxGuest({ ssh, devices: [guest.device], options, signal: never, onLog });
    await expect(lost).rejects.toMatchObject({ code: 'transport.lost' });
    const left =
      'for i in $(seq 100); do sudo grep -q causeway-osmorphing /proc/self/mountinfo || exit 0; sleep 0.2; done; exit 1';
    expect(await lab.worker.ssh.text(left)).toBe('');
    await expect.poll(() => lab.worker.ssh.text('pgrep -x sleep || echo none')).toBe('none');
    await lab.worker.ssh.text('sudo rm -rf --one-file-system /run/causeway-osmorphing');
    expect(await lab.traces()).toBe('');
  });

  it('keeps the guest mounted after a failure when that is asked for, and says how it is unmounted', async () => {
    const script = { name: 'bad', content: 'echo this went wrong >&2; exit 3' };
    const log: string[] = [];
    const failed = morph(
      { scripts: { inGuest: [script] }, keepMountedOnFailure: true },
      { onLog: (line) => log.push(line) },
    );
    await expect(failed).rejects.toMatchObject({
      code: 'osmorphing.script-failed',
      details: { exitCode: 3, output: 'this went wrong\n', step: 'scripts-in-guest' },
    });
    const [, place = '', command = ''] = /mounted at (\S+); `(.+)`/.exec(log.at(-1) ?? '') ?? [];
    expect(await lab.traces()).toContain(place);
    expect(await lab.worker.ssh.text(`sudo cat ${place}/etc/hostname`)).toBe('source-vm');
    await lab.worker.ssh.text(command);
    expect(await lab.traces()).toBe('');
  });

  it('says which systems there are when there are two, and takes the chosen one', async () => {
    const second = await lab.volume(2, debianGuest);
    await lab.detach(second.id);
    // A clone of the boot disk with an identity of its own, as a second system has.
    await run('tune2fs', ['-U', '99999999-2222-4333-8444-555555555555', `${second.path}?offset=1048576`]);
    await lab.worker.attach(second.id);
    const devices = [guest.device, second.device];
    const inspected = inspectOnWorker({ ssh: lab.ssh, devices, options: {}, signal: never });
    await expect(inspected).rejects.toMatchObject({
      code: 'osmorphing.several-roots',
      details: { candidates: [{ disk: 0 }, { disk: 1 }] },
    });
    const root = 'UUID=99999999-2222-4333-8444-555555555555';
    const { dossier } = await inspectOnWorker({ ssh: lab.ssh, devices, options: { root }, signal: never });
    expect(dossier.root).toMatchObject({ id: root, disk: 1 });
    expect(await lab.traces()).toBe('');
    await lab.detach(second.id);
  });

  it('is refused when it is of a family that nobody prepared yet', async () => {
    const other = await lab.volume(2, async (path) => {
      await debianGuest(path);
      const release = join(lab.folder, 'os-release');
      await writeFile(release, 'ID=alpine\nVERSION_ID=3.20\nPRETTY_NAME="Alpine Linux v3.20"\n');
      await new GuestFiles(path).replace('/usr/lib/os-release', release);
    });
    const devices = [other.device];
    expect(await inspectOnWorker({ ssh: lab.ssh, devices, options: {}, signal: never })).toMatchObject({
      supported: false,
      dossier: { distribution: 'alpine', family: 'other' },
    });
    await expect(morphLinuxGuest({ ssh: lab.ssh, devices, options: { nics }, signal: never })).rejects.toMatchObject({
      code: 'osmorphing.not-supported',
      message: expect.stringContaining('Alpine Linux v3.20') as string,
    });
    expect(await lab.traces()).toBe('');
    await lab.detach(other.id);
    // And before that, when it is hibernated to a file, as the kernel leaves one: its file systems are open.
    const image = join(lab.folder, 'hibernated');
    await writeFile(image, Buffer.concat([Buffer.alloc(4086), Buffer.from('S1SUSPEND\0'), Buffer.alloc(4096)]));
    await new GuestFiles(other.path).replace('/swapfile', image);
    await lab.worker.attach(other.id);
    const before = await contentDigest(other.path);
    const { findings } = await inspectOnWorker({ ssh: lab.ssh, devices, options: {}, signal: never });
    expect(findings).toEqual([
      { code: 'osmorphing.hibernated', message: expect.stringContaining('/swapfile') as string },
    ]);
    await expect(morphLinuxGuest({ ssh: lab.ssh, devices, options: { nics }, signal: never })).rejects.toMatchObject({
      code: 'osmorphing.hibernated',
      message: expect.stringContaining('/swapfile') as string,
    });
    expect(await contentDigest(other.path)).toBe(before);
    expect(await lab.traces()).toBe('');
    await lab.detach(other.id);
  });

  it.runIf(everyStep)(
    'prepares a root in a btrfs subvolume, with /var in another, and does not take a snapshot for a second system',
    async () => {
      const copy = await lab.volume(2);
      const script = [
        'set -e',
        `new=$(readlink -f ${copy.device}) old=$(readlink -f ${guest.device})`,
        'mkfs.btrfs -q -U 22222222-2222-4333-8444-555555555555 $new',
        'mkdir -p /run/new /run/old; mount -t btrfs $new /run/new; cd /run/new',
        'for s in @ @var .snapshots; do btrfs -q subvolume create $s; done',
        'partx -a $old; p=${old##*/}p1; n=$(cat /sys/devices/virtual/block/${old##*/}/$p/dev); mknod /run/p b ${n%:*} ${n#*:}; mount -o dev,ro /run/p /run/old',
        'cp -a /run/old/var/. @var; (cd /run/old; tar -c --exclude=./var --exclude=./srv .) | tar -x -C @; mkdir @/var',
        'umount /run/old; rm /run/p; partx -d $old',
        'u=UUID=22222222-2222-4333-8444-555555555555; printf "$u / btrfs subvol=@ 0 0\n$u /var btrfs subvol=/@var 0 0\n" > @/etc/fstab',
        // As it was before the first preparation.
        'sed -i "/virtio/d;/platform/d" @/etc/initramfs-tools/modules; chroot @ true',
        'mkdir .snapshots/1; btrfs -q subvolume snapshot @ .snapshots/1/snapshot',
        'cd /; umount /run/new',
      ].join('\n');
      await lab.worker.ssh.text('sudo bash -s', { input: script, timeoutMs: 240_000 });
      const {
        dossier,
        steps: done,
        diff,
      } = await morphLinuxGuest({ ssh: lab.ssh, devices: [copy.device], options: { nics }, signal: never });
      expect(dossier.root).toMatchObject({
        content: 'btrfs',
        subvolume: '@',
        id: 'UUID=22222222-2222-4333-8444-555555555555,subvol=@',
      });
      expect(Object.keys(dossier.mounts)).toEqual(['/', '/var']);
      expect(done.filter(({ changed }) => changed).map(({ step }) => step)).toEqual(['rebuild-initramfs']);
      expect(diff.files.changed.map(({ path }) => path)).toEqual([
        expect.stringContaining('/boot/initrd.img-'),
        '/etc/initramfs-tools/modules',
      ]);
      expect(await lab.traces()).toBe('');
      await lab.detach(copy.id);
    },
  );
});
