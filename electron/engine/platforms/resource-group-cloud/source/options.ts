import { z } from 'zod';
import type { Option, OptionList } from '../../../ports/platform-common.ts';
import type { AzureCloud } from '../client/open-azure.ts';

const locationSchema = z.looseObject({ name: z.string(), displayName: z.string().optional() });

/** How each option source of the source's environment is read. */
const readers: Readonly<Record<string, (cloud: AzureCloud, signal: AbortSignal) => Promise<OptionList>>> = {
  async regions(cloud, signal) {
    const path = `/subscriptions/${encodeURIComponent(cloud.connection.subscriptionId)}/locations`;
    return (await cloud.armList('list regions', locationSchema, path, '2022-12-01', signal)).map(
      ({ name, displayName }): Option => ({
        id: name,
        name,
        ...(displayName === undefined ? {} : { description: displayName }),
      }),
    );
  },
  async resource_groups(cloud, signal) {
    const resources = await cloud.resources();
    const groups = await cloud.list(
      'list resource groups',
      (options) => resources.resourceGroups.list(options),
      signal,
    );
    const { defaultResourceGroup } = cloud.connection;
    const named = groups.map(({ id, name, location }): Option => ({
      id: id ?? name ?? '',
      name: name ?? '',
      description: location,
    }));
    // The endpoint's own group is suggested first.
    return named.toSorted(
      (one, other) =>
        Number(other.name === defaultResourceGroup) - Number(one.name === defaultResourceGroup) ||
        one.name.localeCompare(other.name),
    );
  },
  async machine_types(cloud, signal) {
    const compute = await cloud.compute();
    const skus = await cloud.list('list VM sizes', (options) => compute.resourceSkus.list(options), signal);
    const capability = (sku: (typeof skus)[number], wanted: string): string =>
      sku.capabilities?.find((one) => one.name === wanted)?.value ?? '?';
    const sizes = new Map(
      skus
        .filter(({ resourceType, name }) => resourceType === 'virtualMachines' && name !== undefined)
        .map((sku) => [sku.name ?? '', sku]),
    );
    return [...sizes].map(([name, sku]) => ({
      id: name,
      name,
      description: `${capability(sku, 'vCPUs')} vCPU, ${capability(sku, 'MemoryGB')} GiB`,
    }));
  },
  async storage_accounts(cloud, signal) {
    const storage = await cloud.storage();
    return (await cloud.list('list storage accounts', (options) => storage.storageAccounts.list(options), signal)).map(
      ({ id, name, location }) => ({ id: id ?? name ?? '', name: name ?? '', description: location }),
    );
  },
};

/** Choices for the environment's leaves, by the names of the schemas' metadata; a name that is not known has none. */
export async function sourceOptions(
  cloud: AzureCloud,
  names: readonly string[],
  signal: AbortSignal,
): Promise<Readonly<Record<string, OptionList>>> {
  const lists = await Promise.all(names.map((name) => readers[name]?.(cloud, signal) ?? Promise.resolve([])));
  return Object.fromEntries(names.map((name, index) => [name, lists[index] ?? []]));
}
