import { conflict, pageOf, refuse, type Call, type Operation } from './call.ts';
import type { AboutOperation, VmSize } from '../records.ts';
import type { World } from '../world.ts';

/** What the region and the subscription offer: sizes, disk types, images, quotas; and operations under way. */

/** @throws what the API answers when there would be more than the quotas allow */
export function demandLimits(world: World, more: Readonly<Record<string, number>>): void {
  const used = world.usage();
  for (const [name, amount] of Object.entries(more)) {
    const limit = world.setup.limits[name];
    const now = used[name] ?? 0;
    if (limit === undefined || now + amount <= limit) continue;
    throw conflict(
      'OperationNotAllowed',
      `Operation could not be completed as it results in exceeding approved ${name} quota. Additional details - Current Limit: ${limit}, Current Usage: ${now}, Additional Required: ${amount}.`,
    );
  }
}

const capability = (name: string, value: string | number | boolean): object => ({
  name,
  value: typeof value === 'boolean' ? (value ? 'True' : 'False') : String(value),
});

function showSize(world: World, size: VmSize): object {
  const { location } = world.setup;
  const zoneDetails =
    size.ultraZones === undefined
      ? []
      : [{ name: size.ultraZones, capabilities: [capability('UltraSSDAvailable', true)] }];
  return {
    resourceType: 'virtualMachines',
    name: size.name,
    tier: 'Standard',
    size: size.name.replace('Standard_', ''),
    family: size.family,
    locations: [location],
    locationInfo: [{ location, zones: size.zones, zoneDetails }],
    capabilities: [
      capability('vCPUs', size.vcpus),
      capability('MemoryGB', size.memoryGib),
      capability('MaxDataDiskCount', size.dataDisks),
      capability('MaxNetworkInterfaces', size.nics),
      capability('HyperVGenerations', size.generations),
      capability('CpuArchitectureType', size.architecture),
      capability('PremiumIO', size.premium),
      capability('DiskControllerTypes', size.controllers),
      capability('AcceleratedNetworkingEnabled', size.vcpus > 1),
      capability('TrustedLaunchDisabled', !size.generations.includes('V2')),
    ],
    restrictions:
      size.restricted === undefined
        ? []
        : [
            {
              type: 'Location',
              values: [location],
              restrictionInfo: { locations: [location] },
              reasonCode: size.restricted,
            },
          ],
  };
}

export const listSkus: Operation = (call) => {
  const { world } = call;
  const { location, sizes, diskTypes } = world.setup;
  const wanted = /location eq '([^']+)'/.exec(call.query.get('$filter') ?? '')?.[1];
  if (wanted !== undefined && wanted.toLowerCase() !== location) return { status: 200, body: { value: [] } };
  const disks = diskTypes.map((type) => ({
    resourceType: 'disks',
    name: type.name,
    tier: type.name.split('_')[0],
    locations: [location],
    locationInfo: [{ location, zones: type.zones, zoneDetails: [] }],
    capabilities: [capability('MaxSizeGiB', type.largestGib), capability('MinSizeGiB', 1)],
    restrictions: [],
  }));
  return { status: 200, body: pageOf(call, [...sizes.map((size) => showSize(world, size)), ...disks]) };
};

const usageItem = (
  used: Readonly<Record<string, number>>,
  limits: Readonly<Record<string, number>>,
): readonly object[] =>
  Object.entries(limits).map(([name, limit]) => ({
    name: { value: name, localizedValue: name },
    currentValue: used[name] ?? 0,
    limit,
    unit: 'Count',
  }));

export const listUsage: Operation = (call) => ({
  status: 200,
  body: pageOf(call, usageItem(call.world.usage(), call.world.setup.limits)),
});
export const listNetworkUsage: Operation = (call) => {
  const items = usageItem(call.world.networkUsage(), call.world.setup.networkLimits);
  return {
    status: 200,
    body: pageOf(
      call,
      items.map((item, index) => ({ id: `/usages/${index}`, ...item })),
    ),
  };
};

export const listLocations: Operation = ({ world }) => {
  const { location, subscriptionId } = world.setup;
  return {
    status: 200,
    body: {
      value: [
        {
          id: `/subscriptions/${subscriptionId}/locations/${location}`,
          name: location,
          displayName: location,
          regionalDisplayName: location,
          type: 'Region',
        },
      ],
    },
  };
};

export const getSubscription: Operation = ({ world }) => {
  const { subscriptionId, tenant } = world.setup;
  return {
    status: 200,
    body: {
      id: `/subscriptions/${subscriptionId}`,
      subscriptionId,
      tenantId: tenant,
      displayName: 'Lab',
      state: 'Enabled',
    },
  };
};

export const listPermissions: Operation = ({ world }) => ({ status: 200, body: { value: world.permissions } });

/** Marketplace images, from publisher to version. */
const named = (call: Call, names: readonly string[]): readonly object[] =>
  [...new Set(names)].map((name) => ({ id: `/images/${name}`, name, location: call.world.setup.location }));

const fits = (wanted: string | undefined, given: string): boolean => wanted?.toLowerCase() === given.toLowerCase();

export const listPublishers: Operation = (call) => ({
  status: 200,
  body: named(
    call,
    call.world.setup.images.map(({ publisher }) => publisher),
  ),
});
export const listOffers: Operation = (call) => ({
  status: 200,
  body: named(
    call,
    call.world.setup.images
      .filter((image) => fits(call.params['publisher'], image.publisher))
      .map(({ offer }) => offer),
  ),
});
export const listImageSkus: Operation = (call) => ({
  status: 200,
  body: named(
    call,
    call.world.setup.images
      .filter((image) => fits(call.params['publisher'], image.publisher) && fits(call.params['offer'], image.offer))
      .map(({ sku }) => sku),
  ),
});

const versions = (call: Call): World['setup']['images'] =>
  call.world.setup.images.filter(
    (image) =>
      fits(call.params['publisher'], image.publisher) &&
      fits(call.params['offer'], image.offer) &&
      fits(call.params['sku'], image.sku),
  );

export const listVersions: Operation = (call) => {
  const found = versions(call);
  if (found.length === 0) throw refuse(404, 'NotFound', 'Artifact: VMImage was not found.');
  return {
    status: 200,
    body: named(
      call,
      found.map(({ version }) => version),
    ),
  };
};

export const getImage: Operation = (call) => {
  const image = versions(call).find(({ version }) => fits(call.params['version'], version));
  if (image === undefined) throw refuse(404, 'NotFound', 'Artifact: VMImage was not found.');
  return {
    status: 200,
    body: {
      id: `/images/${image.sku}/${image.version}`,
      name: image.version,
      location: call.world.setup.location,
      properties: {
        hyperVGeneration: image.generation,
        architecture: image.architecture,
        osDiskImage: { operatingSystem: image.os },
        dataDiskImages: [],
        features: [],
      },
    },
  };
};

const labels = { running: 'InProgress', succeeded: 'Succeeded', failed: 'Failed' } as const;

/** What `Azure-AsyncOperation` leads to. */
export const getOperation: Operation = ({ world, params }) => {
  const operation = world.operations.get(params['operationId'] ?? '');
  if (operation === undefined) throw refuse(404, 'NotFound', 'The operation was not found.');
  const { result, failureCode } = operation.about as AboutOperation;
  const output = operation.state === 'succeeded' ? result?.() : undefined;
  return {
    status: 200,
    body: {
      name: operation.id,
      status: labels[operation.state],
      startTime: new Date(operation.startedAt).toISOString(),
      ...(operation.endedAt === undefined ? {} : { endTime: new Date(operation.endedAt).toISOString() }),
      ...(output === undefined ? {} : { properties: { output } }),
      ...(operation.state === 'failed'
        ? { error: { code: failureCode, message: `${operation.reason ?? 'It failed'}.` } }
        : {}),
    },
  };
};

/** What `Location` leads to: nothing yet, or the result. */
export const getOperationResult: Operation = (call) => {
  const operation = call.world.operations.get(call.params['operationId'] ?? '');
  if (operation === undefined) throw refuse(404, 'NotFound', 'The operation was not found.');
  const { result, failureCode } = operation.about as AboutOperation;
  if (operation.state === 'running')
    return {
      status: 202,
      headers: {
        location: call.world.asked.href.replace('http://cloud.invalid', `https://${call.headers.host ?? ''}`),
      },
    };
  if (operation.state === 'failed') throw conflict(failureCode, `${operation.reason ?? 'It failed'}.`);
  return result === undefined ? { status: 200 } : { status: 200, body: result() };
};
