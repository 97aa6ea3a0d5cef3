import { randomUUID } from 'node:crypto';
import { ApiError } from '../cloud-kit/call.ts';
import type { Operation } from '../cloud-kit/call.ts';
import type { DescriptionCheck } from '../cloud-kit/descriptions/description.ts';
import type { FaultPlan } from '../cloud-kit/faults.ts';
import type { CallRecord } from '../cloud-kit/http-server.ts';
import { jsonProtocol } from '../cloud-kit/json-protocol.ts';
import { startSimulation } from '../cloud-kit/start.ts';
import type { SimulationOptions } from '../cloud-kit/start.ts';
import { groupKey } from './arm/call.ts';
import { openOperations, table } from './arm/all.ts';
import { describedOperations, vendorDescription } from './arm/vendor-description.ts';
import {
  defaultDiskTypes,
  defaultImages,
  defaultLimits,
  defaultNetworkLimits,
  defaultSizes,
  defaultZones,
} from './catalogue.ts';
import { simulatorCertificate } from './certificate.ts';
import type * as records from './records.ts';
import { SignIn } from './sign-in.ts';
import { Throttling } from './throttling.ts';
import { World, type WorldSetup } from './world.ts';

export interface ResourceGroupCloudOptions extends Omit<SimulationOptions, 'tls'> {
  readonly location?: string;
  readonly sizes?: readonly records.VmSize[];
  readonly diskTypes?: readonly records.DiskType[];
  readonly images?: readonly records.MarketplaceImage[];
  readonly limits?: Readonly<Record<string, number>>;
  readonly networkLimits?: Readonly<Record<string, number>>;
  readonly availabilitySets?: readonly string[];
  readonly storageAccounts?: readonly string[];
  /** Quotas of requests. Default: none is ever reached. */
  readonly throttling?: ConstructorParameters<typeof Throttling>[0];
}

export interface ResourceGroupCloud {
  /** Of the Resource Manager and the directory, by the name that the certificate has. */
  readonly url: string;
  readonly certificate: { readonly key: string; readonly cert: string };
  readonly subscriptionId: string;
  readonly tenant: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly location: string;
  /** The one that is there, with the networks `production` and `backup`. */
  readonly resourceGroup: string;
  readonly folder: string;
  /** Resources as they are; a test may look and may change. */
  readonly world: World;
  readonly signIn: SignIn;
  readonly faults: FaultPlan;
  /** Every call so far, in order. */
  readonly calls: readonly CallRecord[];
  /** What did not conform to the models of the vendor's libraries. */
  readonly violations: readonly string[];
  readonly conformance: DescriptionCheck;
  /** The file behind a disk or snapshot, by its id. */
  volumePath(id: string): string;
  close(): Promise<void>;
}

/** Starts a cloud of its own on loopback: Resource Manager, directory, storage, and machines if asked for. */
export async function startResourceGroupCloud(options: ResourceGroupCloudOptions = {}): Promise<ResourceGroupCloud> {
  const setup: WorldSetup = {
    subscriptionId: randomUUID(),
    tenant: randomUUID(),
    location: options.location ?? 'westeurope',
    zones: defaultZones,
    sizes: options.sizes ?? defaultSizes,
    diskTypes: options.diskTypes ?? defaultDiskTypes,
    images: options.images ?? defaultImages,
    limits: { ...defaultLimits, ...options.limits },
    networkLimits: { ...defaultNetworkLimits, ...options.networkLimits },
  };
  const [clientId, clientSecret] = [randomUUID(), `lab-${randomUUID()}`];
  const certificate = await simulatorCertificate();
  const signIn = new SignIn(setup.tenant, clientId, clientSecret);
  const all: Readonly<Record<string, readonly [string, Operation<World>]>> = {
    ...table,
    ...(signIn.operations as Record<string, readonly [string, Operation<World>]>),
  };
  const throttling = new Throttling(options.throttling);
  const resourceGroup = 'migration';
  const simulation = await startSimulation(
    'resource-group-cloud',
    { ...options, tls: certificate },
    (ground) => {
      const world = new World(ground, setup);
      stock(world, resourceGroup, options);
      return world;
    },
    () => ({
      protocol: jsonProtocol(Object.fromEntries(Object.entries(all).map(([route, [id]]) => [route, id])), {
        prefixes: {
          S: '/subscriptions/{subscriptionId}',
          G: '/subscriptions/{subscriptionId}/resourceGroups/{resourceGroupName}',
        },
        ignoreCase: true,
        forms: ['Token', 'DeviceCode'],
        errorBody: ({ status, code, message }) => ({
          error: { code: code ?? errorCodes[status] ?? 'BadRequest', message },
        }),
      }),
      operations: Object.fromEntries(
        Object.entries(all).map(([route, [id, operation]]) => [
          id,
          openOperations.includes(id) ? operation : throttling.over(route.split(' ')[0] ?? '', operation),
        ]),
      ),
      requestIdHeader: 'x-ms-request-id',
      admit(world, route, request) {
        if (openOperations.includes(route.operation)) return;
        world.asked = request.url;
        const { subscriptionId } = route.params;
        if (subscriptionId?.toLowerCase() !== setup.subscriptionId)
          throw new ApiError(404, `The subscription '${subscriptionId ?? ''}' could not be found.`, {
            code: 'SubscriptionNotFound',
          });
        if (request.url.searchParams.get('api-version') === null)
          throw new ApiError(400, 'The api-version query parameter (?api-version=) is required for all requests.', {
            code: 'MissingApiVersionParameter',
          });
        if (world.forbidden.has(route.operation))
          throw new ApiError(
            403,
            `The client '${clientId}' does not have authorization to perform action '${route.operation}' over scope '${request.url.pathname}'.`,
            { code: 'AuthorizationFailed' },
          );
      },
      authenticate: ({ headers }, operation) => {
        if (!openOperations.includes(operation) && !signIn.accepts(headers.authorization))
          throw new ApiError(401, 'The access token is missing or invalid.', { code: 'InvalidAuthenticationToken' });
      },
      description: vendorDescription(),
      undescribed: [...Object.values(all)].map(([id]) => id).filter((id) => !describedOperations.includes(id)),
    }),
  );
  const { url, world, folder, faults, calls, check, violations, close } = simulation;
  return {
    url: url.replace('127.0.0.1', 'localhost'),
    certificate,
    subscriptionId: setup.subscriptionId,
    tenant: setup.tenant,
    clientId,
    clientSecret,
    location: setup.location,
    resourceGroup,
    folder,
    world,
    signIn,
    faults,
    calls,
    violations,
    close,
    conformance: check,
    volumePath: (id) =>
      world.ground.files.path(
        (world.disks.get(id.toLowerCase()) ?? world.snapshots.get(id.toLowerCase()))?.properties.uniqueId ?? 'none',
      ),
  };
}

const errorCodes: Readonly<Record<number, string>> = {
  404: 'ResourceNotFound',
  429: 'TooManyRequests',
  500: 'InternalServerError',
  503: 'ServerTimeout',
};

/** What every subscription of the lab has: a resource group, networks, and what a test names besides. */
function stock(world: World, group: string, options: ResourceGroupCloudOptions): void {
  const { location, subscriptionId } = world.setup;
  const record: records.ResourceGroupRecord = {
    id: `/subscriptions/${subscriptionId}/resourceGroups/${group}`,
    name: group,
    type: 'Microsoft.Resources/resourceGroups',
    location,
    properties: { provisioningState: 'Succeeded' },
  };
  world.resourceGroups.set(groupKey(world, group), record);
  const networks: readonly (readonly [string, string, readonly (readonly [string, string])[]])[] = [
    [
      'production',
      '10.20.0.0/16',
      [
        ['default', '10.20.0.0/24'],
        ['data', '10.20.1.0/24'],
      ],
    ],
    ['backup', '10.30.0.0/16', [['default', '10.30.0.0/24']]],
    ['workers', world.ground.privatePrefix, [['default', world.ground.privatePrefix]]],
  ];
  for (const [name, prefix, subnets] of networks) {
    const id = world.idOf(group, 'Microsoft.Network/virtualNetworks', name);
    world.stock(world.virtualNetworks, {
      id,
      name,
      type: 'Microsoft.Network/virtualNetworks',
      location,
      properties: {
        addressSpace: { addressPrefixes: [prefix] },
        provisioningState: 'Succeeded',
        subnets: subnets.map(([subnet, addressPrefix]) => ({
          id: `${id}/subnets/${subnet}`,
          name: subnet,
          properties: { addressPrefix, provisioningState: 'Succeeded' },
        })),
      },
    });
  }
  for (const name of ['web', 'closed']) {
    const id = world.idOf(group, 'Microsoft.Network/networkSecurityGroups', name);
    world.stock(world.securityGroups, {
      id,
      name,
      type: 'Microsoft.Network/networkSecurityGroups',
      location,
      properties: { securityRules: [], defaultSecurityRules: [], provisioningState: 'Succeeded' },
    });
  }
  for (const name of options.availabilitySets ?? []) {
    const id = world.idOf(group, 'Microsoft.Compute/availabilitySets', name);
    world.stock(world.availabilitySets, {
      id,
      name,
      type: 'Microsoft.Compute/availabilitySets',
      location,
      sku: { name: 'Aligned' },
      properties: {
        platformFaultDomainCount: 2,
        platformUpdateDomainCount: 5,
        virtualMachines: [],
        provisioningState: 'Succeeded',
      },
    });
  }
  for (const name of options.storageAccounts ?? []) {
    const id = world.idOf(group, 'Microsoft.Storage/storageAccounts', name);
    world.stock(world.storageAccounts, {
      id,
      name,
      type: 'Microsoft.Storage/storageAccounts',
      location,
      kind: 'StorageV2',
      sku: { name: 'Standard_LRS', tier: 'Standard' },
      properties: { primaryEndpoints: { blob: `https://${name}.blob.invalid/` }, provisioningState: 'Succeeded' },
    });
  }
}
