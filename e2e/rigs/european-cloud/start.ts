import { readFileSync } from 'node:fs';
import { ApiError, notFound } from '../cloud-kit/call.ts';
import type { Route } from '../cloud-kit/call.ts';
import type { DescriptionCheck } from '../cloud-kit/descriptions/description.ts';
import { openApiDescription } from '../cloud-kit/descriptions/openapi.ts';
import type { FaultPlan } from '../cloud-kit/faults.ts';
import type { CallRecord } from '../cloud-kit/http-server.ts';
import { startSimulation } from '../cloud-kit/start.ts';
import type { SimulationOptions } from '../cloud-kit/start.ts';
import { defaultMachineTypes, defaultPerformanceClasses, defaultQuotas, defaultZones } from './catalogue.ts';
import { operations, protocol } from './operations/all.ts';
import type { ImageRecord, MachineType, NetworkRecord, PerformanceClass, Quotas } from './records.ts';
import { TokenEndpoint } from './token-endpoint.ts';
import type { ServiceAccountKey } from './token-endpoint.ts';
import { newId, newRequestId, now, World } from './world.ts';

/** Where the vendor's document is, if the machine has it. It is not part of the project. */
export const openApiVariable = 'CAUSEWAY_EUROPEAN_CLOUD_OPENAPI';

export interface EuropeanCloudOptions extends SimulationOptions {
  readonly projectId?: string;
  readonly region?: string;
  readonly zones?: readonly string[];
  readonly machineTypes?: readonly MachineType[];
  readonly performanceClasses?: readonly PerformanceClass[];
  readonly quotas?: Partial<Quotas>;
  /** Names of networks beside the usual ones, and their prefixes. */
  readonly networks?: readonly {
    readonly name: string;
    readonly prefix: string;
    readonly labels?: Readonly<Record<string, string>>;
  }[];
  readonly images?: readonly Partial<ImageRecord>[];
}

export interface EuropeanCloud {
  readonly urls: { readonly iaas: string; readonly token: string };
  readonly serviceAccountKey: ServiceAccountKey;
  readonly organizationId: string;
  readonly projectId: string;
  readonly region: string;
  readonly folder: string;
  /** Resources as they are; a test may look and may change. */
  readonly world: World;
  readonly faults: FaultPlan;
  readonly tokens: TokenEndpoint;
  /** Every call so far, in order. */
  readonly calls: readonly CallRecord[];
  /** What did not conform to the vendor's document; empty as well when there is no document, see `conformance.active`. */
  readonly violations: readonly string[];
  readonly conformance: DescriptionCheck;
  /** The file behind a volume or snapshot. */
  volumePath(id: string): string;
  close(): Promise<void>;
}

/** Starts a cloud of its own on loopback: API, token endpoint, storage, and machines if asked for. */
export async function startEuropeanCloud(options: EuropeanCloudOptions = {}): Promise<EuropeanCloud> {
  const setup = {
    projectId: options.projectId ?? newId(),
    region: options.region ?? 'eu01',
    zones: options.zones ?? defaultZones,
    machineTypes: options.machineTypes ?? defaultMachineTypes,
    performanceClasses: options.performanceClasses ?? defaultPerformanceClasses,
    quotas: { ...defaultQuotas, ...options.quotas },
  };
  const tokens = new TokenEndpoint('https://service-account.invalid');
  const simulation = await startSimulation(
    'european-cloud',
    options,
    (ground) => {
      const world = new World(ground, setup, tokens);
      stock(world, options, ground.privatePrefix);
      return world;
    },
    () => ({
      protocol,
      operations,
      newRequestId,
      admit,
      authenticate: ({ headers }, operation) => {
        if (operation !== 'CreateShortLivedAccessToken' && !tokens.accepts(headers.authorization))
          throw new ApiError(401, 'Unauthorized');
      },
      description: vendorDescription(),
      undescribed: ['CreateShortLivedAccessToken'],
    }),
  );
  const { url, world, folder, faults, calls, check, violations, close } = simulation;
  const token = `${url}/token`;
  return {
    urls: { iaas: url, token },
    serviceAccountKey: tokens.serviceAccountKey(token),
    organizationId: newId(),
    projectId: setup.projectId,
    region: setup.region,
    folder,
    world,
    faults,
    tokens,
    calls,
    violations,
    close,
    conformance: check,
    volumePath: (id) => world.ground.files.path(id),
  };
}

function admit({ setup }: World, { params: { projectId, region } }: Route): void {
  if (projectId !== undefined && projectId !== setup.projectId) throw new ApiError(403, 'Forbidden');
  if (region !== undefined && region !== setup.region) throw notFound('region');
}

/** The vendor's document, whose enumerations may get further values at any time. */
function vendorDescription(): ReturnType<typeof openApiDescription> | undefined {
  const path = process.env[openApiVariable];
  return path === undefined || path === ''
    ? undefined
    : openApiDescription(JSON.parse(readFileSync(path, 'utf8')) as Record<string, unknown>, { openEnums: true });
}

/** Networks, images and the default security group that every project of the lab has. */
function stock(world: World, options: EuropeanCloudOptions, reachablePrefix: string): void {
  const networks = [
    { name: 'migration', prefix: reachablePrefix },
    { name: 'production', prefix: '10.20.0.0/24' },
    { name: 'backup', prefix: '10.30.0.0/24' },
    ...(options.networks ?? []),
  ];
  for (const { name, prefix, ...rest } of networks) {
    const network: NetworkRecord = {
      id: newId(),
      createdAt: now(),
      name,
      status: 'CREATED',
      labels: 'labels' in rest ? (rest.labels ?? {}) : {},
      dhcp: true,
      routed: true,
      ipv4: { prefixes: [prefix], gateway: prefix.replace(/\d+\/\d+$/, '1'), nameservers: ['192.0.2.53'] },
    };
    world.networks.set(network.id, network);
  }
  const linux = { operatingSystem: 'linux', architecture: 'x86', uefi: false };
  const images: Partial<ImageRecord>[] = [
    {
      name: 'Debian 12',
      minDiskSize: 4,
      config: { ...linux, operatingSystemDistro: 'debian', operatingSystemVersion: '12' },
    },
    {
      name: 'Ubuntu 24.04',
      minDiskSize: 8,
      config: { ...linux, operatingSystemDistro: 'ubuntu', operatingSystemVersion: '24.04' },
    },
    {
      name: 'Windows Server 2022',
      minDiskSize: 40,
      minRam: 4096,
      config: { operatingSystem: 'windows', architecture: 'x86', uefi: true },
    },
    { name: 'Shared appliance', minDiskSize: 8, scope: 'organization', config: linux },
    ...(options.images ?? []),
  ];
  for (const image of images) {
    const made: ImageRecord = {
      id: newId(),
      createdAt: now(),
      updatedAt: now(),
      name: 'image',
      scope: 'public',
      status: 'AVAILABLE',
      minDiskSize: 4,
      minRam: 0,
      diskFormat: 'qcow2',
      config: linux,
      labels: {},
      ...image,
    };
    world.images.set(made.id, made);
  }
  const id = newId();
  world.securityGroups.set(id, {
    id,
    createdAt: now(),
    name: 'default',
    labels: {},
    stateful: true,
    rules: [{ id: newId(), createdAt: now(), securityGroupId: id, direction: 'egress', ethertype: 'IPv4' }],
  });
}
