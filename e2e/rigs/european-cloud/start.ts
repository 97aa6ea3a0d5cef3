import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defaultMachineTypes, defaultPerformanceClasses, defaultQuotas, defaultZones } from './catalogue.ts';
import { Conformance } from './conformance.ts';
import { FaultPlan } from './faults.ts';
import { createCloudServer } from './http-server.ts';
import type { CallRecord } from './http-server.ts';
import type { ImageRecord, MachineType, NetworkRecord, PerformanceClass, Quotas } from './records.ts';
import { noMachines } from './server-machines.ts';
import type { ServerMachines } from './server-machines.ts';
import { TokenEndpoint } from './token-endpoint.ts';
import type { ServiceAccountKey } from './token-endpoint.ts';
import { VolumeFiles } from './volume-files.ts';
import { newId, now, World } from './world.ts';
import { leaseAddresses } from './address-lease.ts';

export interface EuropeanCloudOptions {
  /** Where volumes and machines live. Default: a new temporary folder that goes with `close()`. */
  readonly folder?: string;
  /** Port of the API on 127.0.0.1. Default 0: any that is free. */
  readonly port?: number;
  /** How long intermediate statuses last, ms. Default 20. */
  readonly transitionMs?: number;
  /** What stands behind servers. Default: nothing, they are records only. */
  readonly machines?: (folder: string) => Promise<ServerMachines>;
  readonly projectId?: string;
  readonly region?: string;
  readonly zones?: readonly string[];
  readonly machineTypes?: readonly MachineType[];
  readonly performanceClasses?: readonly PerformanceClass[];
  readonly quotas?: Partial<Quotas>;
  /** Names of networks beside the usual ones, and their prefixes. */
  readonly networks?: readonly { readonly name: string; readonly prefix: string; readonly labels?: Readonly<Record<string, string>> }[];
  readonly images?: readonly Partial<ImageRecord>[];
  readonly onCall?: (call: CallRecord) => void;
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
  readonly conformance: Conformance;
  /** The file behind a volume or snapshot. */
  volumePath(id: string): string;
  close(): Promise<void>;
}

/** Starts a cloud of its own on loopback: API, token endpoint, storage, and machines if asked for. */
export async function startEuropeanCloud(options: EuropeanCloudOptions = {}): Promise<EuropeanCloud> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'causeway-european-cloud-')));
  await mkdir(folder, { recursive: true });
  const lease = await leaseAddresses();
  const machines = options.machines === undefined ? noMachines : await options.machines(folder);
  const world = new World({
    projectId: options.projectId ?? newId(),
    region: options.region ?? 'eu01',
    zones: options.zones ?? defaultZones,
    machineTypes: options.machineTypes ?? defaultMachineTypes,
    performanceClasses: options.performanceClasses ?? defaultPerformanceClasses,
    quotas: { ...defaultQuotas, ...options.quotas },
    delays: { transitionMs: options.transitionMs ?? 20 },
    files: new VolumeFiles(join(folder, 'volumes')),
    machines,
    publicAddresses: lease.publicAddresses,
  });
  stock(world, options, lease.privatePrefix);
  const tokens = new TokenEndpoint('https://service-account.invalid');
  const faults = new FaultPlan();
  const conformance = new Conformance();
  const calls: CallRecord[] = [];
  const server = createCloudServer({
    world, tokens, faults, conformance,
    onCall: (call) => {
      calls.push(call);
      options.onCall?.(call);
    },
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const iaas = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const token = `${iaas}/token`;
  return {
    urls: { iaas, token },
    serviceAccountKey: tokens.serviceAccountKey(token),
    organizationId: newId(),
    projectId: world.setup.projectId,
    region: world.setup.region,
    folder, world, faults, tokens, calls, conformance,
    violations: conformance.violations,
    volumePath: (id) => world.setup.files.path(id),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await world.close();
      await machines.close();
      await lease.release();
      if (options.folder === undefined) await rm(folder, { recursive: true, force: true });
    },
  };
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
      id: newId(), createdAt: now(), name, status: 'CREATED', labels: 'labels' in rest ? (rest.labels ?? {}) : {}, dhcp: true, routed: true,
      ipv4: { prefixes: [prefix], gateway: prefix.replace(/\d+\/\d+$/, '1'), nameservers: ['192.0.2.53'] },
    };
    world.networks.set(network.id, network);
  }
  const linux = { operatingSystem: 'linux', architecture: 'x86', uefi: false };
  const images: Partial<ImageRecord>[] = [
    { name: 'Debian 12', minDiskSize: 4, config: { ...linux, operatingSystemDistro: 'debian', operatingSystemVersion: '12' } },
    { name: 'Ubuntu 24.04', minDiskSize: 8, config: { ...linux, operatingSystemDistro: 'ubuntu', operatingSystemVersion: '24.04' } },
    { name: 'Windows Server 2022', minDiskSize: 40, minRam: 4096, config: { operatingSystem: 'windows', architecture: 'x86', uefi: true } },
    { name: 'Shared appliance', minDiskSize: 8, scope: 'organization', config: linux },
    ...(options.images ?? []),
  ];
  for (const image of images) {
    const made: ImageRecord = {
      id: newId(), createdAt: now(), updatedAt: now(), name: 'image', scope: 'public', status: 'AVAILABLE', minDiskSize: 4,
      minRam: 0, diskFormat: 'qcow2', config: linux, labels: {}, ...image,
    };
    world.images.set(made.id, made);
  }
  const id = newId();
  world.securityGroups.set(id, {
    id, createdAt: now(), name: 'default', labels: {}, stateful: true,
    rules: [{ id: newId(), createdAt: now(), securityGroupId: id, direction: 'egress', ethertype: 'IPv4' }],
  });
}
