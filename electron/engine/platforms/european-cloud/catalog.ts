import type { Catalog } from '../../../../shared/model/catalog.ts';
import { catalogQuotas } from '../../cloud-resources/quota-needs.ts';
import type { Option, OptionList } from '../../ports/platform-common.ts';
import type { DestinationEnvironment } from './environment.ts';
import type { Iaas } from './iaas/iaas.ts';

type ListScope = Pick<DestinationEnvironment, 'list_all_images'>;

/** What the project offers, as the offline validation reads it later. */
export async function readCatalog(
  iaas: Iaas,
  scope: ListScope,
  capturedAt: Date,
  signal: AbortSignal,
): Promise<Catalog> {
  const [networks, images, types, classes, groups, affinityGroups, zones, keyPairs, quotas] = await Promise.all([
    iaas.networks.list(signal),
    iaas.lists.images(scope.list_all_images, signal),
    iaas.lists.machineTypes(signal),
    iaas.lists.performanceClasses(signal),
    iaas.securityGroups.list(undefined, signal),
    iaas.lists.affinityGroups(signal),
    iaas.lists.availabilityZones(signal),
    iaas.lists.keyPairs(signal),
    iaas.quotas.read(signal),
  ]);
  return {
    captured_at: capturedAt.toISOString(),
    plugin: 'european-cloud',
    networks: networks.map(({ id, name, ipv4 }) => ({
      id,
      name,
      cidrs: ipv4?.prefixes ?? [],
      ...(typeof ipv4?.gateway === 'string' ? { gateway: ipv4.gateway } : {}),
    })),
    images: images.map(({ id, name, minDiskSize, config }) => ({
      id,
      name,
      ...(minDiskSize === undefined ? {} : { min_disk_gb: minDiskSize }),
      ...(typeof config?.operatingSystem === 'string' ? { os: config.operatingSystem } : {}),
    })),
    machine_types: types.map(({ name, vcpus, ram, disk }) => ({
      id: name,
      name,
      vcpus,
      memory_mb: ram,
      ...(disk === undefined ? {} : { disk_gb: disk }),
    })),
    volume_types: classes.map(({ name }) => ({ id: name, name })),
    security_groups: groups.map(({ id, name }) => ({ id, name })),
    affinity_groups: affinityGroups.map(({ id, name }) => ({ id, name })),
    availability_zones: zones.map((zone) => ({ id: zone, name: zone })),
    keypairs: keyPairs.map(({ name }) => ({ id: name, name })),
    quotas: catalogQuotas(quotas, {
      volumes: 'volumes',
      gigabytes: 'volume_gb',
      vcpu: 'vcpus',
      ram: 'memory_mb',
      nics: 'nics',
      snapshots: 'snapshots',
    }),
  };
}

type Lister = (iaas: Iaas, scope: ListScope, signal: AbortSignal) => Promise<OptionList>;

function described(
  option: { readonly id: string; readonly name: string },
  ...parts: readonly (string | undefined | false)[]
): Option {
  const description = parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
  return { id: option.id, name: option.name, ...(description === '' ? {} : { description }) };
}

const listers: Readonly<Record<string, Lister>> = {
  networks: async (iaas, _scope, signal) =>
    (await iaas.networks.list(signal)).map((network) =>
      described(network, network.ipv4?.prefixes?.join(', '), network.routed === false && 'not routed'),
    ),
  images: async (iaas, scope, signal) =>
    (await iaas.lists.images(scope.list_all_images, signal)).map((image) =>
      described(
        image,
        image.scope,
        image.config?.operatingSystem ?? undefined,
        image.createdAt?.slice(0, 10),
        image.status !== 'AVAILABLE' && image.status,
      ),
    ),
  machine_types: async (iaas, _scope, signal) =>
    (await iaas.lists.machineTypes(signal)).map((type) =>
      described({ id: type.name, name: type.name }, `${type.vcpus} vCPU`, `${type.ram / 1024} GiB`, type.description),
    ),
  volume_types: async (iaas, _scope, signal) =>
    (await iaas.lists.performanceClasses(signal)).map((each) =>
      described(
        { id: each.name, name: each.name },
        each.iops !== undefined && `${each.iops} IOPS`,
        each.throughput !== undefined && `${each.throughput} MB/s`,
      ),
    ),
  security_groups: async (iaas, _scope, signal) =>
    (await iaas.securityGroups.list(undefined, signal)).map((group) =>
      described(group, group.stateful === false && 'stateless'),
    ),
  affinity_groups: async (iaas, _scope, signal) =>
    (await iaas.lists.affinityGroups(signal)).map((group) => described(group, group.policy)),
  availability_zones: async (iaas, _scope, signal) =>
    (await iaas.lists.availabilityZones(signal)).map((zone) => ({ id: zone, name: zone })),
  keypairs: async (iaas, _scope, signal) =>
    (await iaas.lists.keyPairs(signal)).map(({ name, fingerprint }) => described({ id: name, name }, fingerprint)),
  regions: async (iaas) => [{ id: iaas.region, name: iaas.region }],
  projects: async (iaas, _scope, signal) => [{ id: (await iaas.lists.project(signal)).id, name: iaas.projectId }],
};

/** Choices for form fields; a kind that this platform does not have is left out. */
export async function readOptions(
  iaas: Iaas,
  names: readonly string[],
  scope: ListScope,
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(listers, name));
  const lists = await Promise.all(
    known.map(async (name) => [name, (await listers[name]?.(iaas, scope, signal)) ?? []] as const),
  );
  return Object.fromEntries(lists);
}
