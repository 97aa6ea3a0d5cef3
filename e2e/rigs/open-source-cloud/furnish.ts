import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RigApi } from './admin-api.ts';
import { privateNetwork } from './destination-environment.ts';

/** What is to be found in the cloud, and of which kind. */
const volumeTypes = ['standard', 'archive'];
const flavors = [
  { name: 'rig.small', vcpus: 1, ram: 512, disk: 0 },
  { name: 'rig.worker', vcpus: 1, ram: 768, disk: 0 },
  { name: 'rig.disk', vcpus: 1, ram: 512, disk: 1 },
  { name: 'rig.local', vcpus: 1, ram: 512, disk: 0, 'OS-FLV-EXT-DATA:ephemeral': 1, swap: 64 },
  { name: 'rig.large', vcpus: 2, ram: 2048, disk: 0 },
];

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Finds something by name in a list, or makes it. */
async function ensure(
  api: RigApi,
  service: string,
  path: string,
  key: string,
  list: string,
  body: { readonly name: string },
): Promise<string> {
  const found = await api.call<Record<string, Named[]>>(
    service,
    'GET',
    `${path}?name=${encodeURIComponent(body.name)}`,
  );
  const existing = found[list]?.find((one) => one.name === body.name);
  if (existing !== undefined) return existing.id;
  return (await api.call<Record<string, Named>>(service, 'POST', path, { [key]: body }))[key]?.id ?? '';
}

/** Volume types, flavors, the external network and the images that everybody may use. Safe to repeat. */
export async function furnishCloud(admin: RigApi, workerFolder: string): Promise<void> {
  const types = await admin.call<{ volume_types: Named[] }>('block-storage', 'GET', '/types');
  for (const name of volumeTypes.filter((one) => !types.volume_types.some((type) => type.name === one))) {
    await admin.call('block-storage', 'POST', '/types', {
      volume_type: { name, extra_specs: { volume_backend_name: name } },
    });
  }
  const known = (await admin.call<{ flavors: Named[] }>('compute', 'GET', '/flavors')).flavors.map(
    (flavor) => flavor.name,
  );
  for (const flavor of flavors.filter(({ name }) => !known.includes(name))) {
    await admin.call('compute', 'POST', '/flavors', { flavor: { ...flavor, id: flavor.name } });
  }
  const external = await ensure(admin, 'network', '/v2.0/networks', 'network', 'networks', {
    name: 'outside',
    'router:external': true,
    'provider:network_type': 'flat',
    'provider:physical_network': 'physnet1',
  } as { name: string });
  await ensure(admin, 'network', '/v2.0/subnets', 'subnet', 'subnets', {
    name: 'outside',
    network_id: external,
    ip_version: 4,
    cidr: '198.51.100.0/24',
    gateway_ip: '198.51.100.1',
    enable_dhcp: false,
    allocation_pools: [{ start: '198.51.100.10', end: '198.51.100.199' }],
  } as { name: string });
  await furnishImages(admin, workerFolder);
}

interface Image extends Named {
  readonly status: string;
  readonly kernel_id?: string;
}

/**
 * The image `worker`: a kernel and an initramfs with Python and sshd, set up by its config drive; its disk is blank. It
 * serves as the guest whose volumes are exported as well. Kernel and initramfs carry the build's name, so that a cloud
 * that was furnished with an older build gets the newer one.
 */
async function furnishImages(admin: RigApi, workerFolder: string): Promise<void> {
  const build = basename(workerFolder).slice(-8);
  const image = async (
    name: string,
    format: string,
    content: () => Promise<Uint8Array>,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const { images } = await admin.call<{ images: Image[] }>('image', 'GET', `/v2/images?name=${name}`);
    const ready = images.find((one) => one.status === 'active' && one.kernel_id === more['kernel_id']);
    for (const stale of images.filter((one) => one !== ready))
      await admin.call('image', 'DELETE', `/v2/images/${stale.id}`);
    if (ready !== undefined) return ready.id;
    const form = { disk_format: format, container_format: format === 'raw' ? 'bare' : format };
    const made = await admin.call<Named>('image', 'POST', '/v2/images', {
      name,
      visibility: 'public',
      ...form,
      ...more,
    });
    await admin.upload('image', `/v2/images/${made.id}/file`, await content());
    return made.id;
  };
  const kernel = await image(`worker-kernel-${build}`, 'aki', () => readFile(join(workerFolder, 'vmlinuz')));
  const ramdisk = await image(`worker-initramfs-${build}`, 'ari', () => readFile(join(workerFolder, 'initrd')));
  await image('worker', 'raw', () => Promise.resolve(Buffer.alloc(2 ** 20)), {
    kernel_id: kernel,
    ramdisk_id: ramdisk,
    os_type: 'linux',
    os_distro: 'debian',
    os_command_line: 'console=ttyS0 quiet',
  });
}

/** A private network with a way out, and a group `open` that lets everything in. Safe to repeat. */
export async function furnishProject(project: RigApi, range: string): Promise<void> {
  const networks = await project.call<{ networks: Named[] }>('network', 'GET', '/v2.0/networks?name=outside');
  const name = privateNetwork(project);
  const network = await ensure(project, 'network', '/v2.0/networks', 'network', 'networks', { name });
  // None can be reached from here, and without one the cloud names its own host's: each sudo of a worker would wait 20 s for it.
  const dns_nameservers = ['127.0.0.1'];
  const subnet = await ensure(project, 'network', '/v2.0/subnets', 'subnet', 'subnets', {
    name,
    network_id: network,
    ip_version: 4,
    cidr: `${range}.0/24`,
    dns_nameservers,
  } as { name: string });
  const routers = await project.call<{ routers: Named[] }>('network', 'GET', '/v2.0/routers');
  if (routers.routers.length === 0) {
    const { router } = await project.call<{ router: Named }>('network', 'POST', '/v2.0/routers', {
      router: { name: 'way-out', external_gateway_info: { network_id: networks.networks[0]?.id } },
    });
    await project.call('network', 'PUT', `/v2.0/routers/${router.id}/add_router_interface`, { subnet_id: subnet });
  }
  const groups = await project.call<{ security_groups: Named[] }>('network', 'GET', '/v2.0/security-groups?name=open');
  if (groups.security_groups.length > 0) return;
  const { security_group: group } = await project.call<{ security_group: Named }>(
    'network',
    'POST',
    '/v2.0/security-groups',
    { security_group: { name: 'open' } },
  );
  await project.call('network', 'POST', '/v2.0/security-group-rules', {
    security_group_rule: { security_group_id: group.id, direction: 'ingress', ethertype: 'IPv4' },
  });
}
