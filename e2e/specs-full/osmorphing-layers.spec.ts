// needs: emulated machines
// lease: emulated guests
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { inspectOnWorker, morphLinuxGuest } from '../../electron/engine/osmorphing/index.ts';
import { startMorphLab, type MorphLab } from '../rigs/guests/morph-lab.ts';

const signal = new AbortController().signal;
const passphrase = 'correct horse battery staple';

/**
 * Layers of block devices need a kernel with device mapper and md, which is what an emulated worker is for. The
 * installation on top is only what makes a root: it is found, mounted and let go of, not prepared to the end.
 */
describe('a guest on layers of block devices', () => {
  let lab: MorphLab;
  let disks: readonly string[];
  const log: string[] = [];
  const shell = (script: string): Promise<string> =>
    lab.worker.ssh.text('sudo bash -s', { input: `set -e\n${script}`, timeoutMs: 180_000 });
  const active = (): Promise<string> =>
    shell(
      'dmsetup ls | grep -v "No devices" || true; grep "^md" /proc/mdstat || true; grep -o "/run/causeway-osmorphing[^ ]*" /proc/self/mountinfo || true',
    );

  beforeAll(async () => {
    lab = await startMorphLab('qemu');
    const volumes = [await lab.volume(1), await lab.volume(1), await lab.volume(1)];
    disks = volumes.map(({ device }) => device);
    // A mirror of two disks, in it an encrypted volume, in that a volume group with / and /var.
    await shell(`
      modprobe -a raid1 dm_mod dm_crypt ext4 aesni_intel
      mdadm --create /dev/md0 --run --level=1 --raid-devices=2 --metadata=1.2 --bitmap=none --assume-clean --homehost=elsewhere --name=root ${disks[0]} ${disks[1]} 2>&1
      printf '${passphrase}' | cryptsetup luksFormat --batch-mode --type luks2 --pbkdf pbkdf2 --pbkdf-force-iterations 1000 --key-file - /dev/md0
      printf '${passphrase}' | cryptsetup open --key-file - /dev/md0 building
      # There is no device manager on this worker that would make the nodes.
      c='activation { udev_sync=0 udev_rules=0 }'
      vgcreate guest /dev/mapper/building
      lvcreate --config "$c" -y -n root -L 200m guest
      lvcreate --config "$c" -y -n var -L 100m guest
      mkfs.ext4 -q /dev/guest/root; mkfs.ext4 -q /dev/guest/var
      mkdir -p /run/t; mount /dev/guest/root /run/t
      mkdir -p /run/t/etc /run/t/var /run/t/usr/bin /run/t/lib/modules
      printf 'ID=debian\\nVERSION_ID=12\\nPRETTY_NAME="Debian 12"\\n' > /run/t/etc/os-release
      printf '/dev/mapper/guest-root / ext4 defaults 0 1\\n/dev/guest/var /var ext4 defaults 0 2\\n' > /run/t/etc/fstab
      echo layered > /run/t/etc/hostname
      printf 'cryptroot UUID=%s none luks\\n' "$(blkid -p -s UUID -o value /dev/md0)" > /run/t/etc/crypttab
      mount /dev/guest/var /run/t/var; mkdir -p /run/t/var/lib/dpkg
      printf 'Package: cloud-init\\nStatus: install ok installed\\nVersion: 1\\n\\n' > /run/t/var/lib/dpkg/status
      umount /run/t/var /run/t; vgchange --config "$c" -an guest; cryptsetup close building; mdadm --stop /dev/md0 2>&1
    `);
  });

  afterAll(async () => lab?.close());

  it('is found through mirror, encryption and volume group, and all of them are closed again', async () => {
    const options = { luksKeys: [{ key: 'not this one' }, { key: passphrase }] };
    const found = await inspectOnWorker({
      ssh: lab.ssh,
      devices: disks,
      options,
      signal,
      onLog: (line) => log.push(line),
    });
    expect(found.dossier).toMatchObject({
      hostname: 'layered',
      cloudInit: '1',
      root: { kind: 'logical', name: 'Debian 12', path: '/dev/mapper/guest-root' },
    });
    expect(Object.entries(found.dossier.mounts).map(([point, { name }]) => [point, name])).toEqual([
      ['/', 'guest/root'],
      ['/var', 'guest/var'],
    ]);
    // Its own tools look for the open volume by this name when they make an initial RAM disk that has to open it.
    expect(found.devices.find(({ kind }) => kind === 'decrypted')?.path).toBe('/dev/mapper/cryptroot');
    expect(found.devices.map(({ kind }) => kind)).toEqual(
      expect.arrayContaining(['disk', 'raid', 'decrypted', 'logical']),
    );
    expect(await active()).toBe('');
  });

  it('needs its key, and says which volume is locked', async () => {
    await expect(inspectOnWorker({ ssh: lab.ssh, devices: disks, options: {}, signal })).rejects.toMatchObject({
      code: 'osmorphing.locked',
    });
    expect(await active()).toBe('');
  });

  it('is closed again after a preparation that failed, and its key is in no log', async () => {
    const options = { nics: [], luksKeys: [{ key: passphrase }] };
    const failed = morphLinuxGuest({ ssh: lab.ssh, devices: disks, options, signal, onLog: (line) => log.push(line) });
    await expect(failed).rejects.toMatchObject({
      code: 'osmorphing.initramfs',
      details: { step: 'rebuild-initramfs' },
    });
    expect(await active()).toBe('');
    expect(log.join('\n')).not.toContain(passphrase);
    expect(log.join('\n')).not.toContain(Buffer.from(passphrase).toString('base64'));
  });

  it('is refused when another disk has a volume group of the same name', async () => {
    await shell(`vgcreate --config 'devices { global_filter=["a|^${disks[2]}$|", "r|.*|"] }' guest ${disks[2]}`);
    const options = { luksKeys: [{ key: passphrase }] };
    await expect(inspectOnWorker({ ssh: lab.ssh, devices: disks, options, signal })).rejects.toMatchObject({
      code: 'osmorphing.duplicate-volume-groups',
      details: { groups: ['guest'] },
    });
    expect(await active()).toBe('');
  });
});
