import { randomUUID } from 'node:crypto';
import { ApiError } from '../cloud-kit/call.ts';
import type { Collection } from '../cloud-kit/collection.ts';
import { SimulatedWorld } from '../cloud-kit/start.ts';
import type { Ground } from '../cloud-kit/start.ts';
import type { OperationRecord } from '../cloud-kit/transitions.ts';
import type * as records from './records.ts';

export interface WorldSetup {
  readonly subscriptionId: string;
  readonly tenant: string;
  readonly location: string;
  readonly zones: readonly string[];
  readonly sizes: readonly records.VmSize[];
  readonly diskTypes: readonly records.DiskType[];
  readonly images: readonly records.MarketplaceImage[];
  limits: Readonly<Record<string, number>>;
  networkLimits: Readonly<Record<string, number>>;
}

/** What the signed-in identity may do, as the API lists it. */
export interface Permission {
  readonly actions: readonly string[];
  readonly notActions: readonly string[];
}

/** Grants and takes back addresses by which the bytes of a disk or snapshot are read or written. */
export interface DiskAccess {
  grant(wish: {
    readonly fileId: string;
    readonly access: 'Read' | 'Write';
    readonly seconds: number;
    readonly family?: string;
  }): string;
  revoke(fileId: string): void;
  hasAccess(fileId: string): boolean;
}

/** Page blobs of storage accounts, as imports of disks read them. */
export interface BlobContents {
  /** @throws what the API answers when there is no such page blob */
  sizeOf(uri: string): number;
  copyOut(uri: string, toPath: string, bytes: number): Promise<void>;
}

const noBlobs: BlobContents = {
  sizeOf: (uri) => {
    throw new ApiError(400, `The blob ${uri} was not found.`, { code: 'InvalidParameter' });
  },
  copyOut: async () => undefined,
};

/** Where no data plane is beside the simulator. */
const noAccess: DiskAccess = {
  grant: () => {
    throw new ApiError(501, 'no data plane is running');
  },
  revoke: () => undefined,
  hasAccess: () => false,
};

/** All of the subscription's resources, by their ids in lower case. */
export class World extends SimulatedWorld {
  readonly setup: WorldSetup;
  access: DiskAccess = noAccess;
  blobs: BlobContents = noBlobs;
  /** Items of a page of a listing. */
  pageSize = 200;
  /** The address of the call that is being answered. */
  asked = new URL('https://cloud.invalid/');
  /** A test may restrict them; calls themselves are not refused by them. */
  permissions: readonly Permission[] = [{ actions: ['*'], notActions: [] }];
  /** Operation ids that the identity is refused, as by a role that lacks them. */
  readonly forbidden = new Set<string>();
  readonly resourceGroups = this.collection<records.ResourceGroupRecord>('resource group');
  readonly disks = this.collection<records.DiskRecord>('disk');
  readonly snapshots = this.collection<records.SnapshotRecord>('snapshot');
  readonly virtualMachines = this.collection<records.VirtualMachineRecord>('virtual machine');
  readonly networkInterfaces = this.collection<records.NetworkInterfaceRecord>('network interface');
  readonly publicIps = this.collection<records.PublicIpRecord>('public IP address');
  readonly securityGroups = this.collection<records.SecurityGroupRecord>('network security group');
  readonly virtualNetworks = this.collection<records.VirtualNetworkRecord>('virtual network');
  readonly availabilitySets = this.collection<records.AvailabilitySetRecord>('availability set');
  readonly storageAccounts = this.collection<records.StorageAccountRecord>('storage account');
  /** What the API does not show of virtual machines, by the same ids. */
  readonly inner = new Map<string, records.VirtualMachineInner>();
  /** What was there before anybody asked for anything. */
  readonly #stock = new Set<string>();

  constructor(ground: Ground, setup: WorldSetup) {
    super(ground);
    this.setup = setup;
  }

  idOf(group: string, type: string, name: string): string {
    return `/subscriptions/${this.setup.subscriptionId}/resourceGroups/${group}/providers/${type}/${name}`;
  }

  /** Puts a resource there as if it had always been. */
  stock<R extends records.ArmRecord>(collection: Collection<R>, record: R): R {
    collection.set(record.id.toLowerCase(), record);
    this.#stock.add(record.id.toLowerCase());
    return record;
  }

  openAzureOperation(about: records.AboutOperation): OperationRecord<records.AboutOperation> {
    return this.openOperation<records.AboutOperation>(randomUUID(), about);
  }

  sizeOf(name: string): records.VmSize | undefined {
    return this.setup.sizes.find((size) => size.name.toLowerCase() === name.toLowerCase());
  }

  /** By the names of the API's usages. */
  usage(): Record<string, number> {
    const used: Record<string, number> = {
      cores: 0,
      virtualMachines: this.virtualMachines.size,
      availabilitySets: this.availabilitySets.size,
    };
    const add = (name: string, amount: number): void => {
      used[name] = (used[name] ?? 0) + amount;
    };
    for (const [id, vm] of this.virtualMachines) {
      const size = this.sizeOf(vm.properties.hardwareProfile.vmSize);
      if (size === undefined || this.inner.get(id)?.power === 'deallocated') continue;
      add('cores', size.vcpus);
      add(size.family, size.vcpus);
    }
    for (const disk of this.disks.values()) add(diskCountOf(disk.sku?.name ?? ''), 1);
    return used;
  }

  networkUsage(): Record<string, number> {
    return {
      VirtualNetworks: this.virtualNetworks.size,
      NetworkInterfaces: this.networkInterfaces.size,
      NetworkSecurityGroups: this.securityGroups.size,
      PublicIPAddresses: this.publicIps.size,
      StandardSkuPublicIpAddresses: this.publicIps.size,
    };
  }

  /** Resources that something made and nobody removed, as `kind name`, for tests that demand a clean end. */
  leftovers(): string[] {
    const kinds: readonly (readonly [string, Collection<records.ArmRecord>])[] = [
      ['server', this.virtualMachines as Collection<records.ArmRecord>],
      ['volume', this.disks as Collection<records.ArmRecord>],
      ['snapshot', this.snapshots as Collection<records.ArmRecord>],
      ['nic', this.networkInterfaces as Collection<records.ArmRecord>],
      ['public-ip', this.publicIps as Collection<records.ArmRecord>],
      ['security-group', this.securityGroups as Collection<records.ArmRecord>],
      ['network', this.virtualNetworks as Collection<records.ArmRecord>],
    ];
    return kinds.flatMap(([kind, collection]) =>
      [...collection].filter(([id]) => !this.#stock.has(id)).map(([, one]) => `${kind} ${one.name}`),
    );
  }
}

/** The name of the usage that a disk of this type counts for. */
export function diskCountOf(type: string): string {
  if (type.startsWith('Premium')) return 'PremiumDiskCount';
  if (type.startsWith('StandardSSD')) return 'StandardSSDDiskCount';
  return type.startsWith('Ultra') ? 'UltraSSDDiskCount' : 'StandardDiskCount';
}
