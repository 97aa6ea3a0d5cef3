import type { OptionList } from '../../../ports/platform-common.ts';
import type { AwsCloud } from '../client/aws-cloud.ts';
import { listImages, listInstances, listInstanceTypes, listSubnets, nameTag } from '../client/compute.ts';

/** How each option source of the source's environment is read. */
const readers: Readonly<Record<string, (cloud: AwsCloud, signal: AbortSignal) => Promise<OptionList>>> = {
  async machine_types(cloud, signal) {
    const types = await listInstanceTypes(cloud, undefined, signal);
    return types
      .flatMap(({ InstanceType: id, VCpuInfo: cpu, MemoryInfo: memory, ProcessorInfo: processor }) => {
        // Workers run the architecture of their image; images of the usual one are what is listed below.
        if (id === undefined || processor?.SupportedArchitectures?.includes('x86_64') === false) return [];
        return [{ id, name: id, description: `${cpu?.DefaultVCpus ?? '?'} vCPU, ${memory?.SizeInMiB ?? '?'} MiB` }];
      })
      .toSorted((one, other) => one.name.localeCompare(other.name));
  },
  /** The account's own, and those that its VMs were started from: public ones are many thousands. */
  async images(cloud, signal) {
    const used = [...new Set((await listInstances(cloud, [], signal)).flatMap(({ ImageId: id }) => id ?? []))].slice(
      0,
      200,
    );
    const images = [
      ...(await listImages(cloud, undefined, signal)),
      ...(used.length === 0 ? [] : await listImages(cloud, used, signal)),
    ];
    const usable = new Map(
      images.flatMap((image) =>
        image.ImageId === undefined || image.State !== 'available' || image.Architecture !== 'x86_64'
          ? []
          : [[image.ImageId, image] as const],
      ),
    );
    return [...usable].map(([id, image]) => ({
      id,
      name: id,
      description: [image.Name, image.PlatformDetails].filter((part) => part !== undefined).join(', '),
    }));
  },
  'vm.networks': async (cloud, signal) =>
    (await listSubnets(cloud, [], signal)).flatMap(({ SubnetId: id, CidrBlock: range, Tags: tags }) =>
      id === undefined
        ? []
        : [{ id, name: nameTag(tags) ?? id, ...(range === undefined ? {} : { description: range }) }],
    ),
};

/** Choices for the environment's leaves, by the names of the schemas' metadata; a name that is not known has none. */
export async function sourceOptions(
  cloud: AwsCloud,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const lists = await Promise.all(names.map((name) => readers[name]?.(cloud, signal) ?? Promise.resolve([])));
  return Object.fromEntries(names.map((name, index) => [name, lists[index] ?? []]));
}
