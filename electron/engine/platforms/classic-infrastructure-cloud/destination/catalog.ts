import type { Catalog } from '../../../../../shared/model/catalog.ts';
import { lastPart } from '../client/object-names.ts';
import type { Classic } from '../client/open-classic.ts';
import { storagePools } from '../client/storage.ts';
import { shortName } from '../cloud/options.ts';

/** Image lists say nothing of their system but in their names. */
export const systemOf = ({ name }: { readonly name: string }): 'linux' | 'windows' =>
  /windows|win\d/i.test(lastPart(name)) ? 'windows' : 'linux';

/** What the account offers, as the offline validation reads it later. */
export async function readCatalog(
  { network, compute }: Classic,
  capturedAt: Date,
  signal: AbortSignal,
): Promise<Catalog> {
  const [networks, images, shapes, keys] = await Promise.all([
    network.ipNetworks(signal),
    compute.imageLists(signal),
    compute.shapes(signal),
    compute.sshKeys(signal),
  ]);
  return {
    captured_at: capturedAt.toISOString(),
    plugin: 'classic-infrastructure-cloud',
    networks: networks.map((each) => ({ ...shortName(each), cidrs: [each.ipAddressPrefix] })),
    images: images.map((image) => ({ ...shortName(image), os: systemOf(image) })),
    machine_types: shapes.map(({ name, cpus, ram }) => ({ id: name, name, vcpus: cpus, memory_mb: ram })),
    volume_types: storagePools.map((pool) => ({ id: pool, name: pool })),
    keypairs: keys.filter(({ enabled }) => enabled !== false).map(shortName),
  };
}
