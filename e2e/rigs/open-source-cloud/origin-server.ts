import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { labEnvironment, run } from '../machines/child-process.ts';
import type { RigApi } from './admin-api.ts';
import type { OpenSourceCloud } from './start.ts';

/** A server of the project `origin` whose disks are exported; its guest changes them when it is told to, and never else. */
export interface OriginServer {
  readonly id: string;
  readonly name: string;
  /** In the order of their devices. */
  readonly volumeIds: readonly string[];
  /** Runs a command in the guest as root. */
  guest(command: string): Promise<string>;
  /** Has the guest write random bytes, durably. @param device e.g. `vda`; offset and length in KiB, multiples of 64 */
  scribble(device: string, offsetKib: number, lengthKib: number): Promise<void>;
  /** Switches it off, and resolves once the cloud says so. */
  powerOff(): Promise<void>;
  close(): Promise<void>;
}

interface Named {
  readonly id: string;
  readonly name: string;
}

export interface OriginServerWishes {
  readonly name: string;
  /** `volume`: the root disk is a volume of 1 GiB. `image`: it lies on the compute host. */
  readonly boots: 'volume' | 'image';
  /** Default: one without disks of its own for a server of volumes, with a root disk for one of an image. */
  readonly flavor?: string;
  /** Sizes of further volumes in GiB, by their types. */
  readonly more?: readonly { readonly type: string; readonly sizeGib: number }[];
}

/** Boots one and waits until its guest answers. */
export async function startOriginServer(cloud: OpenSourceCloud, wishes: OriginServerWishes): Promise<OriginServer> {
  const api = await cloud.api('origin');
  const folder = await mkdtemp(join(tmpdir(), 'causeway-origin-'));
  const key = join(folder, 'key');
  await run('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', wishes.name, '-f', key]);
  const publicKey = await run('cat', [`${key}.pub`]);
  const first = async <T extends Named>(
    service: string,
    path: string,
    list: string,
    is: (one: T) => boolean,
  ): Promise<T> => {
    const found = (await api.call<Record<string, T[]>>(service, 'GET', path))[list]?.find(is);
    if (found === undefined) throw new Error(`the rig has nothing fitting under ${path}`);
    return found;
  };
  const image = await first<Named>('image', '/v2/images?name=worker', 'images', () => true);
  const network = await first<Named>('network', '/v2.0/networks', 'networks', ({ name }) =>
    name.startsWith('private-'),
  );
  const outside = await first<Named>('network', '/v2.0/networks?name=outside', 'networks', () => true);
  await api.call('compute', 'DELETE', `/os-keypairs/${wishes.name}`);
  await api.call('compute', 'POST', '/os-keypairs', { keypair: { name: wishes.name, public_key: publicKey.trim() } });
  const root = {
    boot_index: 0,
    source_type: 'image',
    destination_type: 'volume',
    uuid: image.id,
    volume_size: 1,
    delete_on_termination: true,
  };
  const more = (wishes.more ?? []).map(({ type, sizeGib }) => ({
    boot_index: -1,
    source_type: 'blank',
    destination_type: 'volume',
    volume_size: sizeGib,
    volume_type: type,
    delete_on_termination: true,
  }));
  const local = {
    boot_index: 0,
    source_type: 'image',
    destination_type: 'local',
    uuid: image.id,
    delete_on_termination: true,
  };
  const { server } = await api.call<{ server: Named }>('compute', 'POST', '/servers', {
    server: {
      name: wishes.name,
      flavorRef: wishes.flavor ?? (wishes.boots === 'volume' ? 'rig.small' : 'rig.disk'),
      key_name: wishes.name,
      config_drive: true,
      ...(wishes.boots === 'volume' ? {} : { imageRef: image.id }),
      networks: [{ uuid: network.id }],
      security_groups: [{ name: 'open' }],
      block_device_mapping_v2: [wishes.boots === 'volume' ? root : local, ...more],
    },
  });
  const active = await whenActive(api, server.id);
  const { ports } = await api.call<{ ports: Named[] }>('network', 'GET', `/v2.0/ports?device_id=${server.id}`);
  const { floatingip: floating } = await api.call<{ floatingip: { id: string; floating_ip_address: string } }>(
    'network',
    'POST',
    '/v2.0/floatingips',
    {
      floatingip: { floating_network_id: outside.id, port_id: ports[0]?.id },
    },
  );
  const options = [
    '-i',
    key,
    '-o',
    'StrictHostKeyChecking=no',
    '-o',
    'UserKnownHostsFile=/dev/null',
    '-o',
    'LogLevel=ERROR',
    '-o',
    'ConnectTimeout=5',
    '-o',
    'BatchMode=yes',
  ];
  const guest = async (command: string): Promise<string> =>
    (
      await promisify(execFile)('ssh', [...options, `root@${floating.floating_ip_address}`, command], {
        env: labEnvironment,
        timeout: 120_000,
      })
    ).stdout;
  const deadline = Date.now() + 180_000;
  while (
    !(await guest('true').then(
      () => true,
      () => false,
    ))
  ) {
    if (Date.now() > deadline)
      throw new Error(`the guest of server ${wishes.name} does not answer on ${floating.floating_ip_address}`);
    await sleep(1000);
  }
  const volumeIds = active['os-extended-volumes:volumes_attached'].map(({ id }) => id);
  return {
    id: server.id,
    name: wishes.name,
    volumeIds,
    guest,
    async scribble(device, offsetKib, lengthKib) {
      await guest(
        `dd if=/dev/urandom of=/dev/${device} bs=64k seek=${offsetKib / 64} count=${lengthKib / 64} conv=fsync,notrunc`,
      );
    },
    async powerOff() {
      await guest('poweroff -f').catch(() => undefined);
      await api.call('compute', 'POST', `/servers/${server.id}/action`, { 'os-stop': null }).catch(() => undefined);
      for (const end = Date.now() + 120_000; ; await sleep(500)) {
        if (
          (await api.call<{ server: { status: string } }>('compute', 'GET', `/servers/${server.id}`)).server.status ===
          'SHUTOFF'
        )
          return;
        if (Date.now() > end) throw new Error(`server ${wishes.name} does not stop`);
      }
    },
    async close() {
      await api.call('network', 'DELETE', `/v2.0/floatingips/${floating.id}`);
      await api.call('compute', 'DELETE', `/servers/${server.id}`);
      const end = Date.now() + 120_000;
      for (;;) {
        const { servers } = await api.call<{ servers: Named[] }>('compute', 'GET', '/servers');
        if (!servers.some(({ id }) => id === server.id)) break;
        if (Date.now() > end) throw new Error(`server ${wishes.name} is not deleted`);
        await sleep(500);
      }
      // One that was detached and attached again doesn't go with its server.
      for (;;) {
        const left = (
          await api.call<{ volumes: { id: string; status: string }[] }>('block-storage', 'GET', '/volumes/detail')
        ).volumes.filter(({ id }) => volumeIds.includes(id));
        if (left.length === 0) break;
        if (Date.now() > end)
          throw new Error(
            `server ${wishes.name} leaves volumes: ${left.map(({ id, status }) => `${id} ${status}`).join(', ')}`,
          );
        for (const { id } of left.filter(({ status }) => status === 'available'))
          await api.call('block-storage', 'DELETE', `/volumes/${id}`);
        await sleep(500);
      }
      await api.call('compute', 'DELETE', `/os-keypairs/${wishes.name}`);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface ActiveServer {
  readonly status: string;
  readonly fault?: { readonly message: string };
  readonly 'os-extended-volumes:volumes_attached': readonly { readonly id: string }[];
}

/** Resolves once a server runs. */
export async function whenActive(api: RigApi, id: string): Promise<ActiveServer> {
  const deadline = Date.now() + 300_000;
  for (;;) {
    const { server } = await api.call<{ server: ActiveServer }>('compute', 'GET', `/servers/${id}`);
    if (server.status === 'ACTIVE') return server;
    if (server.status === 'ERROR' || Date.now() > deadline)
      throw new Error(`server ${id} is ${server.status}: ${server.fault?.message ?? 'not in time'}`);
    await sleep(500);
  }
}

/** A volume's bytes as the distributed storage has them now, in a file. */
export async function volumeBytes(
  cloud: OpenSourceCloud,
  volumeId: string,
  file: string,
  pool = 'volumes',
): Promise<void> {
  await rm(file, { force: true });
  await run('rbd', ['--conf', cloud.cephConfiguration, 'export', '--no-progress', `${pool}/volume-${volumeId}`, file]);
}

/**
 * What the project `origin` has besides its servers' own: what an export may have left.
 *
 * @param kept ids of what the product says it keeps on purpose
 */
export async function leftInOrigin(cloud: OpenSourceCloud, kept: readonly string[] = []): Promise<readonly string[]> {
  const api = await cloud.api('origin');
  const lists = [
    ['compute', '/servers', 'servers'],
    ['block-storage', '/volumes', 'volumes'],
    ['block-storage', '/snapshots', 'snapshots'],
    ['block-storage', '/backups', 'backups'],
    ['network', '/v2.0/ports', 'ports'],
    ['network', '/v2.0/security-groups', 'security_groups'],
    ['image', '/v2/images', 'images'],
  ] as const;
  const left: string[] = [];
  for (const [service, path, list] of lists) {
    const found = (await api.call<Record<string, Named[]>>(service, 'GET', path))[list] ?? [];
    left.push(
      ...found
        .filter(({ id, name }) => name?.startsWith('causeway-') && !kept.includes(id))
        .map(({ name }) => `${list}: ${name}`),
    );
  }
  return left;
}
