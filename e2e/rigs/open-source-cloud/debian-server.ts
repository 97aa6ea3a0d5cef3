import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ensureDebianGuest } from '../images/ensure.ts';
import { run } from '../machines/child-process.ts';
import type { RigSsh } from '../rig-ssh.ts';
import { guestOn } from './migrated-guest.ts';
import { whenActive } from './origin-server.ts';
import type { OpenSourceCloud } from './start.ts';

/** A server of the project `origin` with an installed Debian that knows the cloud's devices, as servers of a cloud do. */
export interface DebianServer {
  readonly id: string;
  readonly volumeId: string;
  readonly macAddress: string;
  readonly fixedAddress: string;
  readonly ssh: RigSsh;
  close(): Promise<void>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** @param folder for files of a moment, and for the key of its root's account */
export async function startDebianServer(cloud: OpenSourceCloud, name: string, folder: string): Promise<DebianServer> {
  const api = await cloud.api('origin');
  const read = (id: string) => api.call<{ volume: { status: string } }>('block-storage', 'GET', `/volumes/${id}`);
  const { volume } = await api.call<{ volume: Named }>('block-storage', 'POST', '/volumes', {
    volume: { name, size: 2, volume_type: 'standard' },
  });
  await until(`volume of ${name}`, async () => (await read(volume.id)).volume.status === 'available');
  const image = JSON.stringify({
    driver: 'raw',
    file: { driver: 'rbd', pool: 'volumes', image: `volume-${volume.id}`, conf: cloud.cephConfiguration },
  });
  const disk = await debianOfTheCloud(folder);
  await run('qemu-img', ['convert', '-n', '--target-is-zero', '-f', 'raw', '-O', 'raw', disk, `json:${image}`]);
  await rm(disk);
  const act = (action: object) => api.call('block-storage', 'POST', `/volumes/${volume.id}/action`, action);
  await act({ 'os-set_bootable': { bootable: true } });
  await act({ 'os-set_image_metadata': { metadata: { os_type: 'linux', os_distro: 'debian' } } });

  const { networks } = await api.call<{ networks: Named[] }>('network', 'GET', '/v2.0/networks');
  const network = networks.find((each) => each.name.startsWith('private-'))?.id;
  const { server } = await api.call<{ server: Named }>('compute', 'POST', '/servers', {
    server: {
      name,
      flavorRef: 'rig.small',
      networks: [{ uuid: network }],
      security_groups: [{ name: 'open' }],
      block_device_mapping_v2: [
        {
          boot_index: 0,
          source_type: 'volume',
          destination_type: 'volume',
          uuid: volume.id,
          delete_on_termination: true,
        },
      ],
    },
  });
  await whenActive(api, server.id);
  const {
    ports: [port],
  } = await api.call<{ ports: { id: string; mac_address: string; fixed_ips: { ip_address: string }[] }[] }>(
    'network',
    'GET',
    `/v2.0/ports?device_id=${server.id}`,
  );
  const { floatingip: floating } = await api.call<{ floatingip: { id: string; floating_ip_address: string } }>(
    'network',
    'POST',
    '/v2.0/floatingips',
    {
      floatingip: { floating_network_id: networks.find((each) => each.name === 'outside')?.id, port_id: port?.id },
    },
  );
  return {
    id: server.id,
    volumeId: volume.id,
    macAddress: port?.mac_address ?? '',
    fixedAddress: port?.fixed_ips[0]?.ip_address ?? '',
    ssh: await guestOn(floating.floating_ip_address, folder),
    async close() {
      await api.call('network', 'DELETE', `/v2.0/floatingips/${floating.id}`);
      await api.call('compute', 'DELETE', `/servers/${server.id}`);
      await until(
        `server ${name} gone`,
        async () =>
          !(await api.call<{ servers: Named[] }>('compute', 'GET', '/servers')).servers.some(
            ({ id }) => id === server.id,
          ),
      );
    },
  };
}

const knowVirtio = `
mount -o loop,offset=1048576 "$1" "$2"
for each in proc sys dev; do mount --bind "/$each" "$2/$each"; done
printf '%s\\n' virtio_pci virtio_blk virtio_net >> "$2/etc/initramfs-tools/modules"
sed -i s/ens3/ens2/ "$2/etc/network/interfaces"
chroot "$2" update-initramfs -u
for each in dev sys proc; do umount "$2/$each"; done
umount "$2"`;

/** The Debian guest's disk with virtio in its initramfs, and with its NIC where servers here have it: they have no display. */
async function debianOfTheCloud(folder: string): Promise<string> {
  const [disk, root] = [join(folder, 'debian.raw'), join(folder, 'debian')];
  await run('cp', ['--sparse=always', join(await ensureDebianGuest(), 'disk.raw'), disk]);
  await mkdir(root);
  await run('unshare', ['--mount', '--propagation', 'private', 'sh', '-ec', knowVirtio, 'sh', disk, root]);
  return disk;
}

async function until(what: string, is: () => Promise<boolean>): Promise<void> {
  for (const deadline = Date.now() + 180_000; !(await is()); await sleep(300))
    if (Date.now() > deadline) throw new Error(`${what}: not within three minutes`);
}
