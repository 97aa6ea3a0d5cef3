import { z } from 'zod';
import type { Catalog } from '../../../../../shared/model/catalog.ts';
import { isJsonObject, type JsonObject } from '../../../../../shared/model/json.ts';
import { builtInImages } from '../../../../../shared/plugins/resource-group-cloud/destination.ts';
import { missing } from '../../../cloud-resources/read-environment.ts';
import type { Option, OptionList } from '../../../ports/platform-common.ts';
import { imageText, readScope, type WorkerImage } from './environment.ts';
import { listSubnets, securityGroupCalls, securityGroupType } from './network-calls.ts';
import { findImage, readOffers, type ImageFacts } from './offers.ts';
import { groupOf, ownId, type AzureSession } from './session.ts';

/** Where lists look. */
interface Scope {
  readonly location: string | undefined;
  readonly group: string | undefined;
}

/** Marketplace images that workers can start from; the marketplace itself has tens of thousands. */
const usualImages: readonly WorkerImage[] = [
  ['Canonical', 'ubuntu-24_04-lts', 'server'],
  ['Canonical', 'ubuntu-24_04-lts', 'server-gen1'],
  ['Canonical', '0001-com-ubuntu-server-jammy', '22_04-lts-gen2'],
  ['Debian', 'debian-12', '12-gen2'],
  ['MicrosoftWindowsServer', 'WindowsServer', '2022-datacenter-g2'],
  ['MicrosoftWindowsServer', 'WindowsServer', '2025-datacenter-g2'],
].map(([publisher = '', offer = '', sku = '']) => ({ publisher, offer, sku, version: 'latest' }));

/** Those of the usual images, and of the environment's, that the region has. */
async function listImages(
  session: AzureSession,
  location: string,
  environment: JsonObject,
  signal: AbortSignal,
): Promise<readonly { readonly image: WorkerImage; readonly facts: ImageFacts }[]> {
  const own = [environment['linux_migr_image'], environment['windows_migr_image']].flatMap((value) => {
    if (value === undefined || value === null || !isJsonObject(value)) return [];
    const { publisher, offer, sku, version } = value;
    return typeof publisher === 'string' && typeof offer === 'string' && typeof sku === 'string'
      ? [{ publisher, offer, sku, version: typeof version === 'string' ? version : 'latest' }]
      : [];
  });
  const wanted = new Map(
    [...own, ...usualImages, ...Object.values(builtInImages)].map((image) => [imageText(image), image]),
  );
  const found = await Promise.all(
    [...wanted.values()].map(async (image) => ({ image, facts: await findImage(session, location, image, signal) })),
  );
  return found.flatMap(({ image, facts }) => (facts === undefined ? [] : [{ image, facts }]));
}

/** What the subscription offers in a region and a resource group, as the offline validation reads it later. */
export async function readCatalog(
  session: AzureSession,
  environment: JsonObject,
  capturedAt: Date,
  signal: AbortSignal,
): Promise<Catalog> {
  const scope = readScope(environment);
  const location = scope.location ?? missing('location');
  const group = groupOf(session, scope.group);
  const [offers, subnets, images, groups] = await Promise.all([
    readOffers(session, location, signal),
    listSubnets(session, { group, location }, signal),
    listImages(session, location, environment, signal),
    listSecurityGroups(session, group, signal),
  ]);
  const zones = [...new Set(offers.sizes.flatMap((size) => size.zones))].sort();
  return {
    captured_at: capturedAt.toISOString(),
    plugin: 'resource-group-cloud',
    networks: subnets.map(({ id, name, prefixes, gateway }) => ({
      id,
      name,
      cidrs: [...prefixes],
      ...(typeof gateway === 'string' ? { gateway } : {}),
    })),
    images: images.map(({ image, facts }) => ({
      id: imageText(image),
      name: imageText(image),
      ...(facts.system === undefined ? {} : { os: facts.system }),
    })),
    machine_types: offers.sizes
      .filter(({ restriction }) => restriction === undefined)
      .map(({ name, vcpus, ram }) => ({ id: name, name, vcpus, memory_mb: ram })),
    volume_types: offers.diskTypes.map(({ name }) => ({ id: name, name })),
    security_groups: [...groups],
    availability_zones: zones.map((zone) => ({ id: zone, name: zone })),
  };
}

async function listSecurityGroups(
  session: AzureSession,
  group: string,
  signal: AbortSignal,
): Promise<readonly { readonly id: string; readonly name: string }[]> {
  return (await securityGroupCalls(session).list(group, signal)).map(({ name = '' }) => ({
    id: ownId(session, group, securityGroupType, name),
    name,
  }));
}

type Lister = (
  session: AzureSession,
  scope: Scope,
  environment: JsonObject,
  signal: AbortSignal,
) => Promise<OptionList>;

function described(
  option: { readonly id: string; readonly name: string },
  ...parts: readonly (string | undefined | false)[]
): Option {
  const description = parts.filter((part) => typeof part === 'string' && part !== '').join(' · ');
  return { id: option.id, name: option.name, ...(description === '' ? {} : { description }) };
}

const regional =
  (
    list: (
      session: AzureSession,
      location: string,
      environment: JsonObject,
      signal: AbortSignal,
    ) => Promise<OptionList>,
  ): Lister =>
  async (session, { location }, environment, signal) =>
    location === undefined ? [] : list(session, location, environment, signal);

const grouped =
  (list: (session: AzureSession, group: string, scope: Scope, signal: AbortSignal) => Promise<OptionList>): Lister =>
  async (session, scope, _environment, signal) => {
    const group = scope.group ?? session.connection.defaultResourceGroup;
    return group === undefined ? [] : list(session, group, scope, signal);
  };

const listers: Readonly<Record<string, Lister>> = {
  networks: grouped(async (session, group, { location }, signal) =>
    (await listSubnets(session, { group, location }, signal)).map((subnet) =>
      described(subnet, subnet.prefixes.join(', ')),
    ),
  ),
  images: regional(async (session, location, environment, signal) =>
    (await listImages(session, location, environment, signal)).map(({ image, facts }) =>
      described(
        { id: imageText(image), name: imageText(image) },
        facts.system,
        `generation ${facts.generation === 'V2' ? 2 : 1}`,
        facts.architecture,
        facts.version,
      ),
    ),
  ),
  machine_types: regional(async (session, location, _environment, signal) =>
    (await readOffers(session, location, signal)).sizes
      .filter(({ restriction }) => restriction === undefined)
      .map((size) =>
        described(
          size,
          `${size.vcpus} vCPU`,
          `${size.ram / 1024} GiB`,
          `${size.dataDisks} data disks`,
          `generation ${size.generations.map((each) => each.slice(1)).join(' and ')}`,
          size.architecture === 'arm64' && 'ARM',
          !size.hasScsi && 'NVMe only',
        ),
      ),
  ),
  volume_types: regional(async (session, location, _environment, signal) =>
    (await readOffers(session, location, signal)).diskTypes.map((type) =>
      described(
        type,
        type.largestGib !== undefined && `up to ${type.largestGib} GiB`,
        type.zones.length > 0 && `zones ${type.zones.join(', ')}`,
      ),
    ),
  ),
  security_groups: grouped((session, group, _scope, signal) => listSecurityGroups(session, group, signal)),
  availability_zones: regional(async (session, location, _environment, signal) =>
    [...new Set((await readOffers(session, location, signal)).sizes.flatMap(({ zones }) => zones))]
      .sort()
      .map((zone) => ({ id: zone, name: zone })),
  ),
  regions: async (session, _scope, _environment, signal) =>
    (await listLocations(session, signal)).map(({ name, displayName }) => described({ id: name, name }, displayName)),
  resource_groups: async (session, { location }, _environment, signal) => {
    const { resourceGroups } = await session.resources();
    const groups = await session.list('list resource groups', (options) => resourceGroups.list(options), signal);
    return groups
      .filter((group) => location === undefined || group.location === location)
      .map(({ name = '', location: at }) => described({ id: name, name }, at));
  },
  storage_accounts: grouped(async (session, group, _scope, signal) => {
    const { storageAccounts } = await session.storage();
    const accounts = await session.list(
      `list storage accounts of ${group}`,
      (options) => storageAccounts.listByResourceGroup(group, options),
      signal,
    );
    return accounts.map(({ name = '', sku, location }) => described({ id: name, name }, sku?.name, location));
  }),
};

const locationSchema = z.looseObject({ name: z.string(), displayName: z.string().optional() });

/** The regions that the subscription may use. */
export async function listLocations(
  session: AzureSession,
  signal: AbortSignal,
): Promise<readonly { readonly name: string; readonly displayName: string | undefined }[]> {
  const found = await session.armList(
    'list regions',
    locationSchema,
    `/subscriptions/${session.connection.subscriptionId}/locations`,
    '2022-12-01',
    signal,
  );
  return found.map(({ name, displayName }) => ({ name, displayName }));
}

/** Choices for form fields; a kind that this platform does not have is left out. */
export async function readOptions(
  session: AzureSession,
  names: readonly string[],
  scope: Scope,
  environment: JsonObject,
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const known = [...new Set(names)].filter((name) => Object.hasOwn(listers, name));
  const lists = await Promise.all(
    known.map(async (name) => [name, (await listers[name]?.(session, scope, environment, signal)) ?? []] as const),
  );
  return Object.fromEntries(lists);
}
