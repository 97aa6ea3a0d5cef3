import { randomBytes } from 'node:crypto';
import { ApiError, type Call, type Reply } from '../cloud-kit/call.ts';
import type { Collection } from '../cloud-kit/collection.ts';
import { SimulatedWorld, type Ground } from '../cloud-kit/start.ts';

/** How one object names another. */
export interface ObjectId {
  readonly type: string;
  readonly value: string;
  readonly uri: string;
  readonly name: string;
}

export interface BaseRecord {
  id: ObjectId;
  name: string;
  description: string;
  generation: number;
}

export interface VmRecord extends BaseRecord {
  vmRunState: string;
  vmDomainType: string;
  osType: string;
  memory: number;
  cpuCount: number;
  vmDiskMappingIds: ObjectId[];
  virtualNicIds: ObjectId[];
  repositoryId: ObjectId;
  serverPoolId: ObjectId | null;
  serverId: ObjectId | null;
  /** Cloned from a template: its guest is a worker. Other VMs boot what is on their first disk. */
  isWorker?: boolean;
}

export interface DiskRecord extends BaseRecord {
  size: number;
  diskType: string;
  shareable: boolean;
  repositoryId: ObjectId;
  vmDiskMappingIds: ObjectId[];
}

export interface MappingRecord extends BaseRecord {
  vmId: ObjectId;
  virtualDiskId: ObjectId | null;
  storageElementId: ObjectId | null;
  diskTarget: number;
}

export interface NicRecord extends BaseRecord {
  macAddress: string;
  networkId: ObjectId;
  /** As the guest tells it. */
  ipAddresses: readonly { readonly address: string }[];
}

export interface ServerRecord extends BaseRecord {
  hostname: string;
  serverPoolId: ObjectId;
}

export interface JobRecord extends BaseRecord {
  done: boolean;
  summaryDone: boolean;
  jobRunState: string;
  jobSummaryState: string;
  resultId: ObjectId | null;
  error: { readonly message: string } | null;
  user: string;
}

/** A snapshot of the exporter service. */
export interface ExporterSnapshotRecord {
  readonly id: string;
  readonly vm_id: string;
  readonly disks: readonly {
    readonly name: string;
    readonly path: string;
    readonly parent_path: string;
    readonly repo_mountpoint: string;
    readonly chunks: readonly { readonly start: number; readonly length: number; readonly physical_start: number }[];
  }[];
}

/** Who can sign in to workers from the template. */
export const templateUser = { username: 'opc', password: 'template-secret' } as const;
export const account = { username: 'admin', password: 'Welcome1-lab' } as const;
const kindNumbers: Readonly<Record<string, string>> = {
  Vm: '06',
  VirtualDisk: '12',
  VmDiskMapping: '13',
  VirtualNic: '07',
  Repository: '03',
  ServerPool: '02',
  Server: '01',
  Network: '10',
};

/** How many ended jobs the manager still lists, and for a while twice as many. */
const jobsKept = 200;

/** All objects of one manager, and what the exporters on its servers have. */
export class World extends SimulatedWorld {
  readonly vms = this.collection<VmRecord>('VM');
  readonly disks = this.collection<DiskRecord>('virtual disk');
  readonly mappings = this.collection<MappingRecord>('disk mapping');
  readonly nics = this.collection<NicRecord>('virtual NIC');
  readonly repositories = this.collection<BaseRecord>('repository');
  readonly serverPools = this.collection<BaseRecord>('server pool');
  readonly servers = this.collection<ServerRecord>('server');
  readonly networks = this.collection<BaseRecord>('network');
  readonly jobs = this.collection<JobRecord>('job');
  /** Of exporters. */
  readonly snapshots = new Map<string, ExporterSnapshotRecord>();
  /** Sessions that are good: a test may end them. */
  readonly sessions = new Set<string>();
  readonly tokens = new Set<string>();
  /** How often somebody signed in with the password. */
  signIns = 0;
  /** Whether the servers have the exporter service. */
  hasExporter = true;
  /** Repositories whose storage cannot make thin clones, by id. */
  readonly withoutThinClones = new Set<string>();
  /** What copies of disks were asked for as, in turn. */
  readonly cloneTypes: string[] = [];
  #lastJob = Date.now();
  /** What was there from the start. */
  readonly #stocked = new Set<string>();

  constructor(ground: Ground) {
    super(ground);
  }

  idOf(kind: string, value: string, name: string): ObjectId {
    return {
      type: `com.oracle.ovm.mgr.ws.model.${kind}`,
      value,
      uri: `https://manager.example.com:7002/ovm/core/wsapi/rest/${kind}/${value}`,
      name,
    };
  }

  newId(kind: string, name: string): ObjectId {
    const value = `0004fb0000${kindNumbers[kind] ?? 'ff'}0000${randomBytes(8).toString('hex')}${kind === 'VirtualDisk' ? '.img' : ''}`;
    return this.idOf(kind, value, name);
  }

  add<T extends BaseRecord>(collection: Collection<T>, kind: string, name: string, more: Omit<T, keyof BaseRecord>): T {
    const record = { id: this.newId(kind, name), name, description: '', generation: 1, ...more } as T;
    collection.set(record.id.value, record);
    return record;
  }

  /** Maps a disk to a VM. */
  map(vm: VmRecord, disk: DiskRecord, diskTarget: number): MappingRecord {
    const mapping = this.add(this.mappings, 'VmDiskMapping', `Mapping for disk Id (${disk.id.value})`, {
      vmId: vm.id,
      virtualDiskId: disk.id,
      storageElementId: null,
      diskTarget,
    });
    vm.vmDiskMappingIds = [...vm.vmDiskMappingIds, mapping.id];
    disk.vmDiskMappingIds = [...disk.vmDiskMappingIds, mapping.id];
    return mapping;
  }

  unmap(mapping: MappingRecord): void {
    const isOther = ({ value }: ObjectId): boolean => value !== mapping.id.value;
    const vm = this.vms.get(mapping.vmId.value);
    const disk = this.disks.get(mapping.virtualDiskId?.value ?? '');
    if (vm !== undefined) vm.vmDiskMappingIds = vm.vmDiskMappingIds.filter(isOther);
    if (disk !== undefined) disk.vmDiskMappingIds = disk.vmDiskMappingIds.filter(isOther);
    this.mappings.delete(mapping.id.value);
  }

  async addDisk(name: string, sizeBytes: number, repositoryId: ObjectId): Promise<DiskRecord> {
    const disk = this.add(this.disks, 'VirtualDisk', name, {
      size: sizeBytes,
      diskType: 'VIRTUAL_DISK',
      shareable: false,
      repositoryId,
      vmDiskMappingIds: [],
    });
    await this.ground.files.createBlank(disk.id.value, sizeBytes);
    return disk;
  }

  /** Accepts a change: it is carried out later, and its outcome is told by the job. */
  job(
    call: Call<World>,
    description: string,
    how: { readonly work?: () => Promise<void>; readonly succeed: () => ObjectId | undefined },
  ): Reply {
    this.#lastJob += 1;
    const id = this.idOf('Job', String(this.#lastJob), description);
    const job: JobRecord = {
      id,
      name: `${call.operation}_${this.#lastJob}`,
      description,
      generation: 1,
      done: false,
      summaryDone: false,
      jobRunState: 'RUNNING',
      jobSummaryState: 'RUNNING',
      resultId: null,
      error: null,
      user: account.username,
    };
    this.jobs.set(id.value, job);
    if (this.jobs.size > 2 * jobsKept)
      for (const [old] of [...this.jobs].filter(([, { done }]) => done).slice(0, -jobsKept)) this.jobs.delete(old);
    const end = (state: string, message?: string, resultId?: ObjectId): void => {
      Object.assign(job, {
        done: true,
        summaryDone: true,
        jobRunState: state,
        jobSummaryState: state,
        resultId: resultId ?? null,
        error: message === undefined ? null : { message },
      });
    };
    this.transition({
      fault: call.fault,
      work: how.work,
      succeed: () => {
        try {
          end('SUCCESS', undefined, how.succeed());
        } catch (error) {
          end('FAILURE', error instanceof Error ? error.message : String(error));
        }
      },
      fail: (reason) => end('FAILURE', reason),
    });
    return { status: 200, body: job };
  }

  /** Objects as they are from now on were there from the start. */
  stocked(): void {
    for (const key of this.#keys()) if (!key.startsWith('snapshot ')) this.#stocked.add(key);
  }

  /** What is there, or missing, only because of replication. */
  leftovers(): readonly string[] {
    const now = this.#keys();
    return [
      ...now.filter((key) => !this.#stocked.has(key)),
      ...[...this.#stocked].filter((key) => !now.includes(key)).map((key) => `missing: ${key}`),
    ];
  }

  #keys(): string[] {
    return [
      ...[...this.vms.values()].map(({ id, name }) => `VM ${name} ${id.value}`),
      ...[...this.disks.values()].map(({ id, name }) => `disk ${name} ${id.value}`),
      ...[...this.mappings.values()].map(({ id, name }) => `mapping ${name} ${id.value}`),
      ...[...this.nics.values()].map(({ id, name }) => `nic ${name} ${id.value}`),
      ...[...this.snapshots.keys()].map((id) => `snapshot ${id}`),
    ];
  }
}

/** In the manager's own form; see the protocol's `errorBody`. */
export const refusal = (status: number, code: string, message: string): ApiError =>
  new ApiError(status, message, { code });
