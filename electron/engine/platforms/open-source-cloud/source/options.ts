import type { Option, OptionList } from '../../../ports/platform-common.ts';
import type { OpenStackCloud } from '../client/open-cloud.ts';

interface Named {
  readonly id: string;
  readonly name?: string | null | undefined;
}

const named = ({ id, name }: Named): Option => ({ id, name: name ?? id });

/** How each option source of the source's environment is read. */
const readers: Readonly<Record<string, (cloud: OpenStackCloud, signal: AbortSignal) => Promise<OptionList>>> = {
  volume_types: async (cloud, signal) => (await cloud.volume.types(signal)).map(named),
  // Kernels and ramdisks are parts of other images.
  images: async (cloud, signal) =>
    (await cloud.image.list({}, signal))
      .filter((image) => image.status === 'active' && !['aki', 'ari'].includes(image.disk_format ?? ''))
      .map(named),
  networks: async (cloud, signal) => (await cloud.network.networks({}, signal)).map(named),
  'vm.networks': async (cloud, signal) => (await cloud.network.networks({}, signal)).map(named),
  machine_types: async (cloud, signal) =>
    (await cloud.compute.flavors(signal)).map((flavor) => ({
      ...named(flavor),
      description: `${flavor.vcpus} vCPU, ${flavor.ram} MiB, ${flavor.disk} GiB`,
    })),
  floating_ip_pools: async (cloud, signal) => (await cloud.network.networks({ external: true }, signal)).map(named),
};

/** Choices for the environment's leaves, by the names of the schemas' metadata; a name that is not known has none. */
export async function sourceOptions(
  cloud: OpenStackCloud,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const lists = await Promise.all(names.map((name) => readers[name]?.(cloud, signal) ?? Promise.resolve([])));
  return Object.fromEntries(names.map((name, index) => [name, lists[index] ?? []]));
}
