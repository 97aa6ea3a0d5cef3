import type { Catalog } from '../../../../../shared/model/catalog.ts';
import type { Option, OptionList } from '../../../ports/platform-common.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';
import { catalogQuotas } from '../../../cloud-resources/quota-needs.ts';
import { listNetworks } from './networks.ts';
import { readQuotas } from './quotas.ts';
import { listImages } from './worker-plan.ts';

/**
 * What the project offers, as the offline validation reads it later. All networks that it can use are in it: which of
 * them a form offers is another matter.
 */
export async function readCatalog(cloud: OpenStackCloud, capturedAt: Date, signal: AbortSignal): Promise<Catalog> {
  const [networks, pools, subnets, images, flavors, types, groups, serverGroups, zones, keyPairs, quotas] =
    await Promise.all([
      listNetworks(cloud, true, signal),
      cloud.network.networks({ external: true }, signal),
      cloud.network.subnets({}, signal),
      listImages(cloud, signal),
      cloud.compute.flavors(signal),
      cloud.volume.types(signal),
      ownGroups(cloud, signal),
      cloud.compute.serverGroups(signal),
      cloud.compute.availabilityZones(signal),
      cloud.compute.keyPairs(signal),
      readQuotas(cloud, signal),
    ]);
  return {
    captured_at: capturedAt.toISOString(),
    plugin: 'open-source-cloud',
    networks: networks.map(({ id, name }) => {
      const own = subnets.filter((subnet) => subnet.network_id === id);
      const gateway = own.find((subnet) => subnet.ip_version === 4)?.gateway_ip;
      return { id, name, cidrs: own.map(({ cidr }) => cidr), ...(typeof gateway === 'string' ? { gateway } : {}) };
    }),
    images: images.map(({ id, name, min_disk, os_type }) => ({
      id,
      name,
      ...(typeof min_disk === 'number' && min_disk > 0 ? { min_disk_gb: min_disk } : {}),
      ...(typeof os_type === 'string' ? { os: os_type } : {}),
    })),
    machine_types: flavors.map(({ id, name, vcpus, ram, disk }) => ({
      id,
      name,
      vcpus,
      memory_mb: ram,
      disk_gb: disk,
    })),
    volume_types: types.map(({ id, name }) => ({ id, name })),
    security_groups: groups.map(({ id, name }) => ({ id, name })),
    quotas: catalogQuotas(quotas, {
      instances: 'servers',
      cores: 'vcpus',
      ram: 'memory_mb',
      volumes: 'volumes',
      gigabytes: 'volume_gb',
      snapshots: 'snapshots',
      port: 'nics',
    }),
    server_groups: serverGroups.map(({ id, name }) => ({ id, name })),
    floating_ip_pools: pools.map(({ id, name }) => ({ id, name })),
    availability_zones: zones.map((zone) => ({ id: zone, name: zone })),
    keypairs: keyPairs.map(({ name }) => ({ id: name, name })),
  };
}

async function ownGroups(cloud: OpenStackCloud, signal: AbortSignal) {
  const { projectId } = await cloud.identity(signal);
  return cloud.network.securityGroups({ projectId }, signal);
}

type Lister = (cloud: OpenStackCloud, allNetworks: boolean, signal: AbortSignal) => Promise<OptionList>;

function described(
  option: { readonly id: string; readonly name: string },
  ...parts: readonly (string | undefined | null | false)[]
): Option {
  const description = parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
  return { id: option.id, name: option.name, ...(description === '' ? {} : { description }) };
}

const listers: Readonly<Record<string, Lister>> = {
  async networks(cloud, all, signal) {
    const [networks, subnets] = await Promise.all([
      listNetworks(cloud, all, signal),
      cloud.network.subnets({}, signal),
    ]);
    return networks.map((network) =>
      described(
        network,
        subnets
          .filter((subnet) => subnet.network_id === network.id)
          .map(({ cidr }) => cidr)
          .join(', '),
        network.shared === true && 'shared',
        network['router:external'] === true && 'external',
      ),
    );
  },
  async floating_ip_pools(cloud, _all, signal) {
    const external = await cloud.network.networks({ external: true }, signal);
    const subnets = (
      await Promise.all(external.map(({ id }) => cloud.network.subnets({ networkId: id }, signal)))
    ).flat();
    return external.flatMap((network) => {
      const own = subnets.filter((subnet) => subnet.network_id === network.id && subnet.ip_version === 4);
      const pools =
        own.length < 2
          ? []
          : own.map((subnet) =>
              described(
                { id: `${network.id}/${subnet.id}`, name: `${network.name}/${subnet.name ?? subnet.id}` },
                subnet.cidr,
              ),
            );
      return [described(network, own.map(({ cidr }) => cidr).join(', ')), ...pools];
    });
  },
  images: async (cloud, _all, signal) =>
    (await listImages(cloud, signal)).map((image) =>
      described(
        image,
        image.visibility,
        image.os_distro,
        image.created_at?.slice(0, 10),
        image.status !== 'active' && image.status,
      ),
    ),
  machine_types: async (cloud, _all, signal) =>
    (await cloud.compute.flavors(signal)).map((flavor) =>
      described(
        flavor,
        `${flavor.vcpus} vCPU`,
        `${flavor.ram / 1024} GiB`,
        flavor.disk > 0 && `${flavor.disk} GB disk`,
      ),
    ),
  volume_types: async (cloud, _all, signal) =>
    (await cloud.volume.types(signal)).map((type) => described(type, type.description)),
  security_groups: async (cloud, _all, signal) =>
    (await ownGroups(cloud, signal)).map((group) =>
      described(group, group.description !== group.name && group.description, group.stateful === false && 'stateless'),
    ),
  server_groups: async (cloud, _all, signal) =>
    (await cloud.compute.serverGroups(signal)).map((group) =>
      described(group, group.policy ?? group.policies?.join(', ')),
    ),
  availability_zones: async (cloud, _all, signal) =>
    (await cloud.compute.availabilityZones(signal)).map((zone) => ({ id: zone, name: zone })),
  keypairs: async (cloud, _all, signal) =>
    (await cloud.compute.keyPairs(signal)).map(({ name, fingerprint }) => described({ id: name, name }, fingerprint)),
};

/** Choices for form fields; a kind that this platform does not have is left out. */
export async function readOptions(
  cloud: OpenStackCloud,
  names: readonly string[],
  allNetworks: boolean,
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(listers, name));
  const lists = await Promise.all(
    known.map(async (name) => [name, (await listers[name]?.(cloud, allNetworks, signal)) ?? []] as const),
  );
  return Object.fromEntries(lists);
}
