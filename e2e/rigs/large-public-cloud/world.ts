import { randomBytes } from 'node:crypto';
import type { Collection } from '../cloud-kit/collection.ts';
import { ClientTokens } from '../cloud-kit/listing.ts';
import { ApiError } from '../cloud-kit/call.ts';
import { SimulatedWorld, type Ground } from '../cloud-kit/start.ts';
import type { RequestQuotas } from './quotas.ts';
import type { AccessKey } from './signatures.ts';

export interface Tagged {
  readonly id: string;
  tags: Record<string, string>;
}

export interface SubnetRecord extends Tagged {
  readonly vpcId: string;
  readonly zone: string;
  readonly range: string;
}

export interface ImageRecord extends Tagged {
  readonly name: string;
  readonly architecture: string;
  /** The lab's machine image behind it. */
  readonly machine: string;
  /** Root volumes stay when their instance ends, unless who starts it says otherwise. */
  readonly keepsRoot?: boolean;
}

export interface InstanceType {
  readonly name: string;
  readonly vcpus: number;
  readonly memoryMib: number;
  readonly hypervisor: 'xen' | 'nitro';
  readonly architecture: string;
  /** GB. */
  readonly instanceStore?: number;
}

export interface InstanceRecord extends Tagged {
  state: 'pending' | 'running' | 'stopping' | 'stopped' | 'shutting-down' | 'terminated';
  readonly type: string;
  readonly imageId: string;
  readonly subnetId: string;
  readonly rootDevice: string;
  readonly platformDetails: string;
  readonly bootMode: 'legacy-bios' | 'uefi';
  readonly privateIp: string;
  readonly publicIp: string | undefined;
  readonly mac: string;
  readonly groupIds: readonly string[];
  readonly userData: string;
  readonly keepsRoot?: boolean;
  stateReason?: { readonly code: string; readonly message: string };
}

export interface VolumeRecord extends Tagged {
  /** In the unit of the API. */
  size: number;
  readonly zone: string;
  readonly type: string;
  readonly kmsKeyId: string | undefined;
  readonly snapshotId: string | undefined;
  /** Snapshots of volumes of one origin can be compared. */
  readonly lineage: string;
  state: 'creating' | 'available' | 'in-use' | 'deleting' | 'error';
  attachment:
    | { readonly instanceId: string; readonly device: string; state: 'attaching' | 'attached' | 'detaching' }
    | undefined;
}

export interface SnapshotRecord extends Tagged {
  readonly volumeId: string;
  readonly size: number;
  readonly lineage: string;
  readonly kmsKeyId: string | undefined;
  readonly description: string;
  readonly startedAt: Date;
  state: 'pending' | 'completed' | 'error';
  stateMessage?: string;
}

export interface GroupRecord extends Tagged {
  readonly name: string;
  readonly description: string;
  readonly vpcId: string;
  readonly rules: { readonly port: number; readonly range: string }[];
}

export interface Setup {
  readonly region: string;
  readonly account: string;
  /** Bytes of the unit that sizes are given in: a GiB in the real cloud. */
  readonly unit: number;
}

export const newId = (prefix: string): string => `${prefix}-0${randomBytes(8).toString('hex')}`;

/** Everything in one region of one account. A test may look and change. */
export class World extends SimulatedWorld {
  readonly setup: Setup;
  readonly instances: Collection<InstanceRecord>;
  readonly volumes: Collection<VolumeRecord>;
  readonly snapshots: Collection<SnapshotRecord>;
  readonly groups: Collection<GroupRecord>;
  readonly subnets: Collection<SubnetRecord>;
  readonly images: Collection<ImageRecord>;
  readonly types: InstanceType[] = [];
  readonly keys = new Map<string, AccessKey>();
  readonly clientTokens = new ClientTokens(
    (token) =>
      new ApiError(400, `the token ${token} came with other parameters before`, {
        code: 'IdempotentParameterMismatch',
      }),
  );
  /** Actions that nobody is allowed, e.g. `ebs:ListSnapshotBlocks`. */
  readonly denied = new Set<string>();
  /** Only snapshots with the tag of Causeway may be deleted. */
  deletesOnlyTagged = false;
  /** Keys that encrypted snapshots cannot be read with. */
  readonly deniedKeys = new Set<string>();
  /** Roles that can be assumed, with the external id that they want. */
  readonly roles = new Map<string, string | undefined>();
  /** So many requests for what was created from now on, each by its id, are answered with "not found", as by a service that is only consistent in the end. */
  requestsBehind = 0;
  readonly #unknown = new Map<string, number>();
  /** Default: requests are not counted. */
  quotas: RequestQuotas | undefined;
  /** More blocks at a time than this are refused as too many. */
  mostBlocksAtOnce = Infinity;
  blocksUnderWay = 0;
  throttledBlocks = 0;
  /** So many blocks from now on arrive with a wrong byte. */
  damagedBlocks = 0;
  /** Milliseconds that tokens of blocks count for. */
  tokenLifeMs = 7 * 24 * 3600_000;
  /** Tokens of earlier generations are refused. */
  tokenGeneration = 1;
  /** Of a listing of blocks; the caller's wish where that is smaller. */
  mostBlocksPerPage = 10_000;

  constructor(ground: Ground, setup: Setup) {
    super(ground);
    this.setup = setup;
    this.instances = this.collection('instance');
    this.volumes = this.collection('volume');
    this.snapshots = this.collection('snapshot');
    this.groups = this.collection('security group');
    this.subnets = this.collection('subnet');
    this.images = this.collection('image');
  }

  /** To be called with what a request created. */
  born(id: string): void {
    if (this.requestsBehind > 0) this.#unknown.set(id, this.requestsBehind);
  }

  /** Whether a request for this id comes too early. */
  isUnknown(id: string): boolean {
    const left = this.#unknown.get(id) ?? 0;
    if (left > 0) this.#unknown.set(id, left - 1);
    return left > 0;
  }

  /** What a request names by its id. */
  known<T extends object>(collection: Collection<T>, id: string, error: () => ApiError): T {
    if (this.isUnknown(id)) throw error();
    return collection.demand(id, error);
  }

  /** Adds a blank volume as an owner would have it. */
  async addVolume(
    size: number,
    more: Partial<Pick<VolumeRecord, 'zone' | 'type' | 'kmsKeyId' | 'tags'>> = {},
  ): Promise<VolumeRecord> {
    const id = newId('vol');
    await this.ground.files.createBlank(id, size * this.setup.unit);
    const volume: VolumeRecord = {
      id,
      size,
      zone: more.zone ?? `${this.setup.region}a`,
      type: more.type ?? 'gp3',
      kmsKeyId: more.kmsKeyId,
      snapshotId: undefined,
      lineage: id,
      state: 'available',
      attachment: undefined,
      tags: more.tags ?? {},
    };
    this.volumes.set(id, volume);
    return volume;
  }

  attach(volume: VolumeRecord, instanceId: string, device: string): void {
    volume.state = 'in-use';
    volume.attachment = { instanceId, device, state: 'attached' };
  }

  /** Adds a running instance without disks. */
  addInstance(name: string, more: Partial<Omit<InstanceRecord, 'id'>> = {}): InstanceRecord {
    const subnet = [...this.subnets.values()][0];
    const instance: InstanceRecord = {
      id: newId('i'),
      state: 'running',
      type: 't3.medium',
      imageId: [...this.images.keys()][0] ?? '',
      subnetId: subnet?.id ?? '',
      rootDevice: '/dev/xvda',
      platformDetails: 'Linux/UNIX',
      bootMode: 'uefi',
      privateIp: `10.1.0.${10 + this.instances.size}`,
      publicIp: undefined,
      mac: `0A:00:00:00:00:${(10 + this.instances.size).toString(16).padStart(2, '0')}`,
      groupIds: [],
      userData: '',
      ...more,
      tags: { Name: name, ...more.tags },
    };
    this.instances.set(instance.id, instance);
    return instance;
  }

  volumesOf(instanceId: string): VolumeRecord[] {
    return [...this.volumes.values()].filter(({ attachment }) => attachment?.instanceId === instanceId);
  }
}
