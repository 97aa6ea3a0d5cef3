import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ensureLayout, layoutDisk } from '../rigs/guests/layouts.ts';
import { startPackageProxy } from '../rigs/open-source-cloud/package-proxy.ts';
import { startOpenSourceLab, type OpenSourceLab } from '../rigs/open-source-cloud/project-lab.ts';
import { RigSsh } from '../rigs/rig-ssh.ts';

const minute = 60_000;

describe('a Debian that boots by UEFI', () => {
  let lab: OpenSourceLab;
  let proxy: Awaited<ReturnType<typeof startPackageProxy>>;
  let layout: string;

  beforeAll(async () => {
    lab = await startOpenSourceLab();
    proxy = await startPackageProxy();
    layout = await ensureLayout('uefi');
    await mkdir(join(lab.images, 'web'));
    await layoutDisk(layout, 0)(join(lab.images, 'web', 'disk.raw'));
    await writeFile(
      join(lab.images, 'web', 'vm.yaml'),
      'name: web\nvcpus: 1\nmemory_mb: 512\nfirmware: uefi\nnics:\n  - network: default\n    mac_address: 52:54:00:aa:00:09\n',
    );
    await lab.createReplica('web', 'web', { use_floating_ip: true, floating_ip_pool: 'outside' });
    expect(await lab.execute('web')).toMatchObject({ state: 'completed' });
  }, 15 * minute);
  afterAll(async () => {
    await proxy?.close();
    await lab?.close();
  });

  it(
    'boots by the firmware of the cloud, which has no entry for it',
    async () => {
      const deployment = await lab.deploy('web', { httpProxy: proxy.url, bootCheck: { mode: 'network' } });
      expect(
        deployment,
        `${deployment.error?.code}: ${deployment.error?.message}\n${deployment.boot?.console.slice(-3000)}`,
      ).toMatchObject({
        state: 'completed',
        leftBehind: 0,
        boot: { outcome: 'up' },
        guest: { dossier: { distribution: 'debian', bootloader: 'grub-efi' } },
      });
      const keyPath = join(lab.folder, 'guest-key');
      await copyFile(join(layout, 'id_ed25519'), keyPath);
      const ssh = new RigSsh({ host: deployment.server?.addresses[0] ?? '', port: 22, user: 'root', keyPath });
      await ssh.waitUntilUp(3 * minute);
      expect(
        await ssh.text(
          '[ -d /sys/firmware/efi ] && echo uefi; ls /sys/bus/virtio/drivers/virtio_blk/ | grep -c virtio',
        ),
      ).toBe('uefi\n1');
      await lab.use((core) => core.call('deployment.delete', { deployment: deployment.id, dryRun: false }));
      expect((await lab.leftovers()).map((line) => line.split(' ')[0])).toEqual(['volume']);
    },
    30 * minute,
  );
});
