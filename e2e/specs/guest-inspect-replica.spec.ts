// needs: native workers, e2fsprogs, fdisk
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { GuestFound } from '../../shared/model/guest-inspection.ts';
import { run } from '../rigs/machines/child-process.ts';
import { commandLineIn } from '../rigs/project/command-line-in.ts';
import { startProjectLab, type ProjectLab } from '../rigs/project/lab-project.ts';
import { contentDigest } from '../rigs/sparse-files.ts';

const uuid = '11111111-2222-4333-8444-555555555555';
const drivers = ['block/virtio_blk', 'scsi/virtio_scsi', 'net/virtio_net', 'virtio/virtio_pci'].map((name) => [
  `lib/modules/6.1.0-1/kernel/drivers/${name}.ko`,
  '',
]);

/** The least that counts as a Debian with a kernel. */
const debian: Readonly<Record<string, string>> = {
  'etc/os-release': 'ID=debian\nVERSION_ID="12"\nPRETTY_NAME="Debian GNU/Linux 12"\n',
  'etc/fstab': `UUID=${uuid} / ext4 defaults 0 1\n`,
  'etc/hostname': 'inspected\n',
  'boot/vmlinuz-6.1.0-1': 'kernel',
  'usr/sbin/update-initramfs': '#!/bin/sh\n',
  'etc/initramfs-tools/initramfs.conf': 'MODULES=most\n',
  'etc/network/interfaces':
    'auto ens192\niface ens192 inet static\n  address 10.0.0.5/24\nauto ens224\niface ens224 inet dhcp\n',
  // Its beginning tells the architecture.
  'bin/sh': `\x7fELF\x02\x01\x01${'\0'.repeat(11)}\x3e\0`,
  'var/lib/dpkg/status': 'Package: open-vm-tools\nStatus: install ok installed\nVersion: 1\n\n',
  ...(Object.fromEntries(drivers) as Record<string, string>),
};

/** The second card has the address that the guest configures. */
const description = `name: web
nics:
  - network: default
    mac_address: '00:50:56:00:00:02'
  - network: default
    mac_address: '00:50:56:00:00:01'
    ip_addresses: [10.0.0.5]
`;

describe('the guest of a replica, before it is deployed', () => {
  let lab: ProjectLab;
  let causeway: ReturnType<typeof commandLineIn>;
  const volumes = async (): Promise<string[]> =>
    (await lab.use((core) => core.call('replica.show', { replica: 'web' }))).disks.map(({ volumeId }) =>
      lab.cloud.volumePath(volumeId ?? ''),
    );

  beforeAll(async () => {
    lab = await startProjectLab();
    causeway = commandLineIn(lab.project);
    const [tree, disk] = [join(lab.images, '..', 'tree'), join(lab.images, 'web', 'disk.raw')];
    await mkdir(dirname(disk), { recursive: true });
    await writeFile(join(dirname(disk), 'vm.yaml'), description);
    for (const [path, content] of Object.entries(debian)) {
      await mkdir(join(tree, dirname(path)), { recursive: true });
      await writeFile(join(tree, path), content, { mode: 0o755 });
    }
    await run('sh', [
      '-ec',
      'truncate -s 128M "$1"; echo "2048,,83" | sfdisk -q "$1"; mke2fs -q -t ext4 -U "$3" -d "$2" -E offset=1048576 "$1" 120M 2>/dev/null',
      'sh',
      disk,
      tree,
      uuid,
    ]);
    await lab.createReplica('web', 'web', 'SSH', { set_dhcp: false, retain_user_credentials: true });
  });
  afterAll(() => lab?.close());

  it('is not there before the first execution', async () => {
    const { status } = await causeway('guest', 'inspect', '--replica', 'web');
    expect(status).not.toBe(0);
  });

  it("is inspected on the replica's own volumes by a worker that writes nothing to them", async () => {
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
    const [path = ''] = await volumes();
    const before = await contentDigest(path);
    const { status, output } = await causeway('guest', 'inspect', '--replica', 'web', '--json');
    expect(status).toBe(0);
    const found = JSON.parse(output) as GuestFound;
    expect(found).toMatchObject({
      supported: true,
      findings: [],
      dossier: {
        name: 'Debian GNU/Linux 12',
        hostname: 'inspected',
        root: { id: `UUID=${uuid}` },
        hypervisorTools: { vmware: ['open-vm-tools'] },
      },
      files: expect.arrayContaining([
        expect.objectContaining({ path: '/etc/cloud/cloud.cfg.d/99_causeway.cfg', change: 'added' }),
      ]) as unknown,
    });
    expect(found.changes.map(({ step }) => step)).toEqual(
      expect.arrayContaining(['remove-hypervisor-tools', 'rebuild-initramfs', 'configure-cloud-init']),
    );
    // As its environment has it: addresses stay, and no user is made.
    expect(found.files.map((each) => each.path)).not.toContain('/etc/network/interfaces');
    expect(found.files.map((each) => each.path)).toContain('/etc/cloud/cloud.cfg.d/99_causeway_network.cfg');
    expect(found.files.find((each) => each.path.endsWith('/99_causeway.cfg'))?.lines).toContain('+users: []');
    // Which card has which name, without the addresses that only a deployment sets.
    const rules = found.files.find((each) => each.path === '/etc/udev/rules.d/70-causeway-net.rules')?.lines ?? [];
    expect(
      rules
        .filter((line) => line.includes('ATTR'))
        .map((line) => line.replace(/.*"(mac-[a-z0-9-]+)", NAME="(\w+)".*/, '$1 $2')),
    ).toEqual(['mac-address-of-nic-1 ens224', 'mac-address-of-nic-2 ens192']);
    expect(found.doubts).toEqual([]);
    expect(found.changes.find(({ step }) => step === 'install-agent')?.notes).toEqual([
      "install qemu-guest-agent, if the guest's package sources have it",
      'install the agent of the destination platform',
    ]);
    expect(await contentDigest(path)).toBe(before);
    // Neither worker nor snapshot nor copy.
    expect(lab.cloud.world.leftovers().map((line) => line.split(' ')[0])).toEqual(['volume']);
    expect(
      (await lab.use((core) => core.call('ledger.list', {}))).filter((item) => item.lifetime !== 'replica'),
    ).toEqual([]);
    const shown = await lab.use((core) => core.call('guest.inspection', { replica: 'web' }));
    expect(shown).toMatchObject({ state: 'completed', executionNumber: 1 });
  });

  it('tells what a deployment would stop at, with the remedy', async () => {
    const [path = ''] = await volumes();
    for (const [driver] of drivers) await run('debugfs', ['-w', '-R', `rm /${driver ?? ''}`, `${path}?offset=1048576`]);
    const { status, output } = await causeway('guest', 'inspect', '--replica', 'web');
    expect(status).toBe(1);
    expect(output).toContain('OSMorphing would stop:');
    expect(output).toContain('[osmorphing.no-virtio]');
  });

  it('can be executed again after that: the volumes are free, and can be written to', async () => {
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
  });
});
