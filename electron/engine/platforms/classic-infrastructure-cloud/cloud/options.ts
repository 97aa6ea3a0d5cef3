import type { Option, OptionList } from '../../../ports/platform-common.ts';
import { lastPart } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { storagePools } from '../client/storage.ts';

/** Whole names are ids. An object whose last part is the only one of its kind may be named by that alone. */
export const shortName = ({ name }: { readonly name: string }): { readonly id: string; readonly name: string } => ({
  id: name,
  name: lastPart(name),
});

const described = (
  option: { readonly id: string; readonly name: string },
  description: string | null | undefined,
): Option => ({ ...option, ...(typeof description === 'string' && description !== '' ? { description } : {}) });

const listers: Readonly<Record<string, (classic: Classic, signal: AbortSignal) => Promise<OptionList>>> = {
  networks: async ({ network }, signal) =>
    (await network.ipNetworks(signal)).map((each) => described(shortName(each), each.ipAddressPrefix)),
  images: async ({ compute }, signal) =>
    (await compute.imageLists(signal)).map((image) =>
      described({ id: image.name, name: image.name }, image.description),
    ),
  machine_types: async ({ compute }, signal) =>
    (await compute.shapes(signal)).map(({ name, cpus, ram }) =>
      described({ id: name, name }, `${cpus} vCPU · ${ram / 1024} GiB`),
    ),
  volume_types: async () => storagePools.map((pool) => ({ id: pool, name: pool })),
  keypairs: async ({ compute }, signal) =>
    (await compute.sshKeys(signal)).filter(({ enabled }) => enabled !== false).map(shortName),
};

/** Choices for form fields; a kind that this platform does not have is left out. */
export async function readOptions(
  classic: Classic,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(listers, name));
  return Object.fromEntries(
    await Promise.all(known.map(async (name) => [name, (await listers[name]?.(classic, signal)) ?? []] as const)),
  );
}
