import type { ResourceSku } from '@azure/arm-compute';
import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import type { MachineSize } from '../../../cloud-resources/instance-type.ts';
import type { QuotaNeeds, Quotas, QuotaWords } from '../../../cloud-resources/quota-needs.ts';
import { resolve, resolvedOrThrow, type Resolution } from '../../../cloud-resources/resolve-reference.ts';
import { imageText, type WorkerImage } from './environment.ts';
import type { AzureSession } from './session.ts';

export type Generation = 'V1' | 'V2';
export type Architecture = 'x86_64' | 'arm64';

/** A size of virtual machines in one region. */
export interface VmSize extends MachineSize {
  readonly id: string;
  readonly family: string;
  readonly dataDisks: number;
  readonly nics: number;
  readonly generations: readonly Generation[];
  readonly architecture: Architecture;
  /** Whether disks of the premium types can be attached. */
  readonly premium: boolean;
  readonly zones: readonly string[];
  /** Zones in which ultra disks can be attached. */
  readonly ultraZones: readonly string[];
  /** Whether disks have SCSI numbers; newer series have NVMe only. */
  readonly hasScsi: boolean;
  readonly trustedLaunch: boolean;
  /** Why the subscription can't have it. */
  readonly restriction: string | undefined;
}

/** A storage account type of managed disks in one region. */
export interface DiskType {
  readonly id: string;
  readonly name: string;
  readonly largestGib: number | undefined;
  /** Where disks of it can be; empty: where there are no zones, or for types that span them. */
  readonly zones: readonly string[];
}

export interface Offers {
  readonly sizes: readonly VmSize[];
  readonly diskTypes: readonly DiskType[];
}

/** The lists are long and change rarely: one reading serves for some minutes. */
const lifetimeMs = 10 * 60_000;
const read = new WeakMap<object, Map<string, { readonly at: number; readonly offers: Offers }>>();

/** What a region offers. */
export async function readOffers(session: AzureSession, location: string, signal: AbortSignal): Promise<Offers> {
  const known = read.get(session) ?? new Map<string, { readonly at: number; readonly offers: Offers }>();
  read.set(session, known);
  const before = known.get(location);
  if (before !== undefined && session.clock.wallTime() - before.at < lifetimeMs) return before.offers;
  const offers = await askOffers(session, location, signal);
  known.set(location, { at: session.clock.wallTime(), offers });
  return offers;
}

async function askOffers(session: AzureSession, location: string, signal: AbortSignal): Promise<Offers> {
  const { resourceSkus } = await session.compute();
  const skus = await session.list(
    `list sizes of ${location}`,
    (options) => resourceSkus.list({ ...options, filter: `location eq '${location}'` }),
    signal,
  );
  const types = new Map<string, DiskType>();
  for (const sku of skus.filter(({ resourceType }) => resourceType === 'disks')) {
    // A type is listed once for each of its sizes.
    const [type, before] = [asDiskType(sku), types.get(sku.name ?? '')];
    types.set(
      type.name,
      before === undefined
        ? type
        : { ...type, largestGib: Math.max(before.largestGib ?? 0, type.largestGib ?? 0) || undefined },
    );
  }
  return {
    sizes: skus.filter(({ resourceType }) => resourceType === 'virtualMachines').map(asSize),
    diskTypes: [...types.values()],
  };
}

const capabilityOf = ({ capabilities = [] }: ResourceSku, name: string): string | undefined =>
  capabilities.find((each) => each.name === name)?.value;
const numberOf = (sku: ResourceSku, name: string): number => Number(capabilityOf(sku, name) ?? 0);

function asSize(sku: ResourceSku): VmSize {
  const name = sku.name ?? '';
  const generations = (capabilityOf(sku, 'HyperVGenerations') ?? 'V1')
    .split(',')
    .map((each) => each.trim())
    .filter((each): each is Generation => each === 'V1' || each === 'V2');
  const zoneDetails = (sku.locationInfo ?? []).flatMap((info) => info.zoneDetails ?? []);
  const [restriction] = (sku.restrictions ?? []).filter(({ type }) => type === 'Location');
  const hidden = new Set(
    (sku.restrictions ?? [])
      .filter(({ type }) => type === 'Zone')
      .flatMap(({ restrictionInfo }) => restrictionInfo?.zones ?? []),
  );
  return {
    id: name,
    name,
    family: sku.family ?? '',
    vcpus: numberOf(sku, 'vCPUs'),
    ram: Math.round(numberOf(sku, 'MemoryGB') * 1024),
    dataDisks: numberOf(sku, 'MaxDataDiskCount'),
    nics: numberOf(sku, 'MaxNetworkInterfaces'),
    generations,
    architecture: capabilityOf(sku, 'CpuArchitectureType') === 'Arm64' ? 'arm64' : 'x86_64',
    premium: capabilityOf(sku, 'PremiumIO') === 'True',
    zones: (sku.locationInfo ?? [])
      .flatMap(({ zones }) => zones ?? [])
      .filter((zone) => !hidden.has(zone))
      .sort(),
    ultraZones: zoneDetails
      .filter(({ capabilities = [] }) =>
        capabilities.some((each) => each.name === 'UltraSSDAvailable' && each.value === 'True'),
      )
      .flatMap(({ name: zones }) => zones ?? []),
    hasScsi: (capabilityOf(sku, 'DiskControllerTypes') ?? 'SCSI').includes('SCSI'),
    trustedLaunch: generations.includes('V2') && capabilityOf(sku, 'TrustedLaunchDisabled') !== 'True',
    restriction: restriction?.reasonCode,
  };
}

function asDiskType(sku: ResourceSku): DiskType {
  const largest = numberOf(sku, 'MaxSizeGiB');
  const name = sku.name ?? '';
  return {
    id: name,
    name,
    largestGib: largest === 0 ? undefined : largest,
    zones: (sku.locationInfo ?? []).flatMap(({ zones }) => zones ?? []).sort(),
  };
}

/** A size by its name. @throws `cloud.name-unknown`, `cloud.request-refused` when the subscription can't have it there */
export function sizeNamed({ sizes }: Offers, parameter: string, wanted: string): VmSize {
  const size = resolvedOrThrow('VM size', parameter, wanted, resolveSize(sizes, wanted));
  if (size.restriction === undefined) return size;
  throw new CausewayError(
    'cloud.request-refused',
    `${parameter}: ${size.name} is not available to this subscription (${size.restriction})`,
    { details: { parameter, name: size.name } },
  );
}

/** Names of sizes are the same in any case of letters. */
export function resolveSize(sizes: readonly VmSize[], wanted: string): Resolution<VmSize> {
  return resolve(sizes, sizes.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())?.name ?? wanted);
}

/** A marketplace image as far as it matters for the machine that it runs on. */
export interface ImageFacts {
  readonly name: string;
  readonly version: string;
  readonly system: 'linux' | 'windows' | undefined;
  readonly generation: Generation;
  readonly architecture: Architecture;
  /** Of images that others than the cloud sell; a VM has to name it. */
  readonly plan: { readonly publisher: string; readonly name: string; readonly product: string } | undefined;
}

/** @returns undefined when there is no such image in the region */
export async function findImage(
  session: AzureSession,
  location: string,
  image: WorkerImage,
  signal: AbortSignal,
): Promise<ImageFacts | undefined> {
  const { virtualMachineImages: images } = await session.compute();
  const { publisher, offer, sku } = image;
  const version = image.version === 'latest' ? await latestVersion(session, location, image, signal) : image.version;
  if (version === undefined) return undefined;
  const found = await session.find(
    `read image ${imageText(image)}`,
    (options) => images.get(location, publisher, offer, sku, version, options),
    signal,
  );
  if (found === undefined) return undefined;
  const system = found.osDiskImage?.operatingSystem;
  return {
    name: imageText({ ...image, version }),
    version,
    system: system === 'Windows' ? 'windows' : system === 'Linux' ? 'linux' : undefined,
    generation: found.hyperVGeneration === 'V2' ? 'V2' : 'V1',
    architecture: found.architecture === 'Arm64' ? 'arm64' : 'x86_64',
    plan: found.plan,
  };
}

async function latestVersion(
  session: AzureSession,
  location: string,
  image: WorkerImage,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { virtualMachineImages: images } = await session.compute();
  const versions = await session.find(
    `list versions of image ${imageText(image)}`,
    (options) => images.list(location, image.publisher, image.offer, image.sku, options),
    signal,
  );
  return (versions ?? [])
    .map(({ name }) => name)
    .sort(byVersion)
    .at(-1);
}

/** Parts of versions are numbers. */
function byVersion(one: string, other: string): number {
  const [a, b] = [one, other].map((text) => text.split('.').map(Number)) as [number[], number[]];
  const index = a.findIndex((part, at) => part !== b[at]);
  return index < 0 ? a.length - b.length : (a[index] ?? 0) - (b[index] ?? 0);
}

/** @throws `cloud.name-unknown` */
export async function imageNamed(
  session: AzureSession,
  location: string,
  parameter: string,
  image: WorkerImage,
  signal: AbortSignal,
): Promise<ImageFacts> {
  const found = await findImage(session, location, image, signal);
  if (found !== undefined) return found;
  throw new CausewayError('cloud.name-unknown', `${parameter}: no image ${imageText(image)} in ${location}`, {
    details: { parameter, name: imageText(image) },
  });
}

/** The names of usages of compute and network in words. */
export const quotaWords: QuotaWords = {
  cores: 'vCPUs of the region',
  virtualMachines: 'VMs',
  StandardDiskCount: 'disks of standard HDD',
  StandardSSDDiskCount: 'disks of standard SSD',
  PremiumDiskCount: 'disks of premium SSD',
  UltraSSDDiskCount: 'ultra disks',
  PremiumV2DiskCount: 'disks of premium SSD v2',
  NetworkInterfaces: 'network interfaces',
  NetworkSecurityGroups: 'network security groups',
  StandardSkuPublicIpAddresses: 'public IPs',
  PublicIPAddresses: 'public IPs',
  VirtualNetworks: 'virtual networks',
};

/** What the subscription may have and has in a region. */
export async function readQuotas(session: AzureSession, location: string, signal: AbortSignal): Promise<Quotas> {
  const [compute, network] = [await session.compute(), await session.network()];
  const used = await session.list(
    `list quotas of ${location}`,
    (options) => compute.usage.list(location, options),
    signal,
  );
  const ofNetwork = await session.list(
    `list network quotas of ${location}`,
    (options) => network.usages.list(location, options),
    signal,
  );
  return Object.fromEntries(
    [...used, ...ofNetwork].flatMap(({ name, currentValue, limit }) =>
      name?.value === undefined ? [] : [[name.value, { limit: Number(limit), usage: Number(currentValue) }]],
    ),
  );
}

/** What VMs of a size take of the quotas. */
export const needsOfSize = ({ vcpus, family }: VmSize): QuotaNeeds => ({
  cores: vcpus,
  [family]: vcpus,
  virtualMachines: 1,
});

/** The quota that a disk of this type counts for. */
export function diskQuota(type: string): string {
  if (type.startsWith('PremiumV2')) return 'PremiumV2DiskCount';
  if (type.startsWith('Premium')) return 'PremiumDiskCount';
  if (type.startsWith('StandardSSD')) return 'StandardSSDDiskCount';
  return type.startsWith('Ultra') ? 'UltraSSDDiskCount' : 'StandardDiskCount';
}
