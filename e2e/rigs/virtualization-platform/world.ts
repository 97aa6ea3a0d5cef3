import { randomBytes, randomUUID } from 'node:crypto';
import type { Extent } from '../../../shared/model/extent.ts';
import { SimulatedWorld, type Ground } from '../cloud-kit/start.ts';
import { blockBytes, MemoryDisk, type Backing, type FrozenContent } from './backing.ts';
import type { ExportLeases } from './export-lease/export-leases.ts';
import type { ServedDisk, ServedDisks } from './served-disk.ts';

/** What a disk is besides its bytes; the defaults are a thin flat disk that snapshots contain. */
export interface DiskTraits {
  readonly mode?: 'persistent' | 'independent_persistent';
  readonly sharing?: 'sharingNone' | 'sharingMultiWriter';
  readonly rawDevice?: 'physicalMode' | 'virtualMode';
  readonly isEncrypted?: boolean;
}

/** Change tracking of one disk since it was switched on. */
interface Tracker {
  readonly uuid: string;
  /** What was in use before is not known to it. */
  readonly beganOnSnapshot: boolean;
  /** Of the last freeze. */
  sequence: number;
  /** What was written before each freeze, since the one before it. */
  readonly log: Map<number, readonly Extent[]>;
}

export interface RigDisk {
  readonly key: number;
  readonly unitNumber: number;
  readonly uuid: string;
  readonly backing: Backing;
  readonly traits: DiskTraits;
  /** `[datastore] folder/name`, without the number of the link and the extension. */
  stem: string;
  tracker: Tracker | undefined;
}

export interface FrozenDisk {
  readonly disk: RigDisk;
  readonly content: FrozenContent;
  readonly changeId: string | undefined;
}

/** A VM of the simulator with disks of the rig. */
export interface RigVm {
  readonly id: string;
  readonly name: string;
  readonly disks: RigDisk[];
  /** By id of the snapshot, the oldest first. */
  readonly snapshots: Map<string, readonly FrozenDisk[]>;
  hostId: string;
  isRunning: boolean;
  /** Asked for; effective with the next stun. */
  isTracked: boolean;
  canTrack: boolean;
  hasTools: boolean;
  failsToQuiesce: boolean;
  needsConsolidation: boolean;
  failsToConsolidate: boolean;
  bootTime: string;
  /** Tasks of the simulator about this VM, the last one at the end. */
  readonly tasks: string[];
}

export interface RigEvent {
  readonly key: number;
  readonly type: string;
  readonly entityId: string;
  readonly createdTime: string;
  /** Where the VM was. */
  readonly hostId?: string | undefined;
  /** Of a `TaskEvent`. */
  readonly descriptionId?: string | undefined;
  readonly taskId?: string | undefined;
  /** Of an `EventEx`. */
  readonly eventTypeId?: string | undefined;
}

/** Where a host serves disks. */
export interface DataPort {
  readonly host: string;
  readonly port: number;
  readonly sslThumbprint: string;
}

/** What the simulator lacks: disks with content, change tracking, data ports, privileges, events. */
export class VsphereWorld extends SimulatedWorld implements ServedDisks {
  readonly vms = new Map<string, RigVm>();
  /** The history. A server that keeps none has no event manager. */
  readonly events: RigEvent[] = [];
  keepsEvents = true;
  /** Properties of VMs that the account may not read. */
  readonly hiddenProperties = new Set<string>();
  /** By id of the host. */
  readonly dataPorts = new Map<string, DataPort>();
  /** Exports, once somebody serves their streams. */
  leases: ExportLeases | undefined;
  /** Privileges that the account does not have. */
  readonly withheld = new Set<string>();
  /** So many removals of snapshots are forgotten together with their tasks, as by a server that is restarted. */
  forgottenRemovals = 0;
  /** Tasks of the simulator that are to end with a fault that a test asked for: the fault's type, by the task's id. */
  readonly failingTasks = new Map<string, string>();
  readonly expiredCookies = new Set<string>();
  readonly seenCookies = new Set<string>();
  /** What requests have that the API's types don't allow. */
  readonly problems: string[] = [];
  /** How much of a disk one answer about changes covers, and how many areas it has at most. */
  areaLimits = { bytes: 6 * 2 ** 20, areas: 8 };
  /** Objects in one page of properties at most, however many the client asks for. */
  pageLimit = 250;
  /** Of every datastore. */
  datastoreType: 'VMFS' | 'NFS' = 'VMFS';
  /** The change ids of queries for changed areas. */
  readonly askedChangeIds: string[] = [];
  #lastEvent = 0;
  #lastTask: Promise<unknown> = Promise.resolve();
  readonly #beginning = new Set<Promise<unknown>>();
  readonly #tickets = new Map<string, { readonly vmId: string; readonly host: string }>();
  readonly isSingleHost: boolean;

  constructor(ground: Ground, isSingleHost: boolean) {
    super(ground);
    this.isSingleHost = isSingleHost;
  }

  /**
   * Carries out calls that start tasks one after another, also when their client has gone away meanwhile.
   *
   * @param begin until the server knows of the task
   */
  inOrder<Begun, T>(begin: () => Promise<Begun>, end: (begun: Begun) => Promise<T>): Promise<T> {
    const begun = this.#lastTask.then(begin);
    this.#beginning.add(begun);
    const ended = begun.finally(() => this.#beginning.delete(begun)).then(end);
    this.#lastTask = ended.catch(() => undefined);
    return ended;
  }

  /** Once the server knows of each task that was asked for: from then on, a client that looks for it finds it. */
  async tasksBegun(): Promise<void> {
    await Promise.allSettled(this.#beginning);
  }

  /** Once each task that was asked for has ended. */
  async tasksEnded(): Promise<void> {
    await this.#lastTask;
  }

  vm(id: string): RigVm {
    const found = this.vms.get(id);
    if (found === undefined) throw new Error(`the rig has no VM ${id}`);
    return found;
  }

  /** A disk that snapshots contain, with blank memory behind it. */
  addDisk(vm: RigVm, backing: Backing, traits: DiskTraits = {}): RigDisk {
    const key = Math.max(1999, ...vm.disks.map((disk) => disk.key)) + 1;
    const disk: RigDisk = {
      key,
      unitNumber: key - 2000 < 7 ? key - 2000 : key - 1999,
      uuid: randomUUID(),
      backing,
      traits,
      stem: `[LocalDS_0] ${vm.name}/disk-${key}`,
      tracker: vm.disks.some(({ tracker }) => tracker !== undefined) ? newTracker(vm.snapshots.size > 0) : undefined,
    };
    vm.disks.push(disk);
    return disk;
  }

  /** The memory behind a disk that the test writes to. */
  memory(vm: RigVm, index: number): MemoryDisk {
    const backing = vm.disks[index]?.backing;
    if (!(backing instanceof MemoryDisk)) throw new Error(`disk ${index} of ${vm.name} is not in memory`);
    return backing;
  }

  /** Freezes all disks for a new snapshot. A stun: tracking that was asked for takes effect. */
  async freeze(vm: RigVm, snapshotId: string): Promise<void> {
    this.applyTracking(vm);
    const frozen: FrozenDisk[] = [];
    for (const disk of vm.disks.filter(isInSnapshots)) {
      const content = await disk.backing.freeze();
      const { tracker } = disk;
      if (tracker !== undefined) {
        tracker.sequence += 1;
        tracker.log.set(tracker.sequence, content.changes ?? [{ offset: 0, length: content.sizeBytes, kind: 'data' }]);
      }
      frozen.push({
        disk,
        content,
        changeId: tracker === undefined ? undefined : `${tracker.uuid}/${tracker.sequence}`,
      });
    }
    vm.snapshots.set(snapshotId, frozen);
  }

  async thaw(vm: RigVm, snapshotId: string): Promise<void> {
    const frozen = vm.snapshots.get(snapshotId) ?? [];
    vm.snapshots.delete(snapshotId);
    for (const { content } of frozen) await content.release();
    if (vm.failsToConsolidate) vm.needsConsolidation = true;
  }

  /** Tracking as it was asked for, from now on: on a stun, or at once while the VM is off. */
  applyTracking(vm: RigVm): void {
    for (const disk of vm.disks.filter(isInSnapshots)) {
      if (!vm.isTracked) disk.tracker = undefined;
      else disk.tracker ??= newTracker(vm.snapshots.size > 0);
    }
  }

  /** Tracking starts anew, as after another product has switched it off and on. */
  resetTracking(vm: RigVm): void {
    for (const disk of vm.disks) if (disk.tracker !== undefined) disk.tracker = newTracker(vm.snapshots.size > 0);
  }

  /** What a server lists as in use: the truth on VMFS alone, and only of what its tracking has seen. */
  async usedAreas(frozen: FrozenDisk): Promise<readonly Extent[] | 'unknown'> {
    const { tracker } = frozen.disk;
    if (tracker === undefined) return 'unknown';
    if (this.datastoreType !== 'VMFS') return [{ offset: 0, length: frozen.content.sizeBytes, kind: 'data' }];
    return tracker.beganOnSnapshot
      ? this.changedSince(frozen, `${tracker.uuid}/0`)
      : (await frozen.content.allocated()).filter(({ kind }) => kind === 'data');
  }

  changedSince(frozen: FrozenDisk, changeId: string): readonly Extent[] | 'unknown' {
    const { tracker } = frozen.disk;
    const [, uuid, number] = /^(.*)\/(\d+)$/.exec(changeId) ?? [];
    const now = Number(/\/(\d+)$/.exec(frozen.changeId ?? '')?.[1]);
    if (
      tracker === undefined ||
      uuid !== tracker.uuid ||
      frozen.changeId === undefined ||
      !frozen.changeId.startsWith(`${tracker.uuid}/`) ||
      Number(number) > now
    )
      return 'unknown';
    const marks = new Uint8Array(Math.ceil(frozen.content.sizeBytes / blockBytes));
    for (const [sequence, areas] of tracker.log) {
      if (sequence <= Number(number) || sequence > now) continue;
      for (const { offset, length } of areas)
        marks.fill(1, Math.floor(offset / blockBytes), Math.ceil((offset + length) / blockBytes));
    }
    const changed: Extent[] = [];
    for (const [block, mark] of marks.entries()) {
      if (mark === 0) continue;
      const offset = block * blockBytes;
      const length = Math.min(frozen.content.sizeBytes - offset, blockBytes);
      const last = changed.at(-1);
      if (last !== undefined && last.offset + last.length === offset)
        changed[changed.length - 1] = { ...last, length: last.length + length };
      else changed.push({ offset, length, kind: 'data' });
    }
    return changed;
  }

  happen(
    type: string,
    entityId: string,
    more: Partial<Pick<RigEvent, 'descriptionId' | 'taskId' | 'eventTypeId'>> = {},
  ): void {
    this.#lastEvent += 1;
    this.events.push({
      key: this.#lastEvent,
      type,
      entityId,
      createdTime: new Date().toISOString(),
      hostId: this.vms.get(entityId)?.hostId,
      ...more,
    });
  }

  /** A task has been asked for: the history and the VM's list of tasks have it. */
  beginTask(vm: RigVm, taskId: string, descriptionId: string): void {
    this.happen('TaskEvent', vm.id, { taskId, descriptionId });
    vm.tasks.push(taskId);
    // The server forgets them after some minutes.
    vm.tasks.splice(0, Math.max(0, vm.tasks.length - 3));
  }

  /** What the history has by now is deleted, as old events are. */
  purgeEvents(entityId?: string): void {
    for (let at = this.events.length - 1; at >= 0; at -= 1)
      if (entityId === undefined || this.events[at]?.entityId === entityId) this.events.splice(at, 1);
  }

  /** The guest shuts down, or the VM is powered off. A single host forgets what it knew of a VM that is off. */
  powerOff(vm: RigVm): void {
    this.happen('VmGuestShutdownEvent', vm.id);
    vm.isRunning = false;
    this.happen('VmPoweredOffEvent', vm.id);
    if (this.isSingleHost) this.purgeEvents(vm.id);
  }

  powerOn(vm: RigVm): void {
    this.happen('VmStartingEvent', vm.id);
    vm.isRunning = true;
    vm.bootTime = new Date().toISOString();
    this.happen('VmPoweredOnEvent', vm.id);
  }

  /** A host fails with all its VMs. A management server sees its connection go; a single host forgets everything and notes how it started. */
  loseHostPower(hostId: string): void {
    for (const vm of this.vms.values()) if (vm.hostId === hostId) vm.isRunning = false;
    if (!this.isSingleHost) return this.happen('HostConnectionLostEvent', hostId);
    this.purgeEvents();
    this.happen('EventEx', hostId, { eventTypeId: 'esx.audit.host.poweroff.reason.unavailable' });
  }

  /** Moves a VM to another host; with `datastore`, its disks as well. */
  move(vm: RigVm, hostId: string, datastore?: string): void {
    vm.hostId = hostId;
    this.happen('VmMigratedEvent', vm.id);
    if (datastore === undefined) return;
    for (const disk of vm.disks) disk.stem = disk.stem.replace(/^\[[^\]]*\]/, `[${datastore}]`);
    this.happen('VmRelocatedEvent', vm.id);
  }

  /** All sessions end, as after half an hour without a call. */
  expireSessions(): void {
    for (const cookie of this.seenCookies) this.expiredCookies.add(cookie);
  }

  /** The name of the link at a place in the chain: 0 is the disk itself. */
  static link(disk: RigDisk, place: number): string {
    return `${disk.stem}${place === 0 ? '' : `-${String(place).padStart(6, '0')}`}.vmdk`;
  }

  /** The file that a snapshot's configuration names: the link that was frozen by it. */
  linkOf(vm: RigVm, snapshotId: string | undefined, disk: RigDisk): string {
    if (!isInSnapshots(disk)) return VsphereWorld.link(disk, 0);
    const ids = [...vm.snapshots.keys()];
    return VsphereWorld.link(disk, snapshotId === undefined ? ids.length : ids.indexOf(snapshotId));
  }

  /** That file, and the one below it in the chain. */
  chainOf(vm: RigVm, snapshotId: string | undefined, disk: RigDisk): readonly [string, string?] {
    if (!isInSnapshots(disk)) return [VsphereWorld.link(disk, 0)];
    const ids = [...vm.snapshots.keys()];
    const place = snapshotId === undefined ? ids.length : ids.indexOf(snapshotId);
    return place === 0
      ? [VsphereWorld.link(disk, 0)]
      : [VsphereWorld.link(disk, place), VsphereWorld.link(disk, place - 1)];
  }

  find(path: string): ServedDisk | undefined {
    for (const vm of this.vms.values()) {
      for (const [id, frozen] of vm.snapshots) {
        const found = frozen.find(({ disk }) => this.linkOf(vm, id, disk) === path);
        if (found !== undefined) return this.#served(vm, path, found.disk, found.content, false);
      }
      const live = vm.disks.find((disk) => this.linkOf(vm, undefined, disk) === path);
      if (live?.backing instanceof MemoryDisk) {
        const { content } = live.backing;
        return this.#served(
          vm,
          path,
          live,
          {
            sizeBytes: content.length,
            changes: undefined,
            release: async () => undefined,
            allocated: async () => [{ offset: 0, length: content.length, kind: 'data' }],
            read: async (offset, length) => content.subarray(offset, offset + length),
          },
          vm.isRunning,
        );
      }
    }
    return undefined;
  }

  issueTicket(vmId: string): { readonly sessionId: string; readonly port: DataPort } | undefined {
    const port = this.dataPorts.get(this.vm(vmId).hostId);
    if (port === undefined) return undefined;
    const sessionId = randomUUID();
    this.#tickets.set(sessionId, { vmId, host: port.host });
    return { sessionId, port };
  }

  redeem(sessionId: string, host: string): { readonly vmId: string } | undefined {
    const ticket = this.#tickets.get(sessionId);
    if (ticket === undefined || ticket.host !== host) return undefined;
    this.#tickets.delete(sessionId);
    return { vmId: ticket.vmId };
  }

  async closeDisks(): Promise<void> {
    for (const vm of this.vms.values()) for (const { backing } of vm.disks) await backing.close();
  }

  #served(vm: RigVm, path: string, disk: RigDisk, content: FrozenContent, isLive: boolean): ServedDisk {
    return {
      path,
      vmId: vm.id,
      sizeBytes: content.sizeBytes,
      isLive,
      allocated: () => content.allocated(),
      read: (offset, length) => content.read(offset, length),
      descriptor: { adapterType: 'lsilogic', uuid: disk.uuid, virtualHWVersion: '19' },
    };
  }
}

export const isInSnapshots = ({ traits }: RigDisk): boolean =>
  traits.mode !== 'independent_persistent' &&
  traits.sharing !== 'sharingMultiWriter' &&
  traits.rawDevice !== 'physicalMode';

/** In the form that hosts give: bytes in hex with blanks. */
function newTracker(beganOnSnapshot: boolean): Tracker {
  const bytes = randomBytes(16).toString('hex').match(/../g) ?? [];
  return {
    uuid: `${bytes.slice(0, 8).join(' ')}-${bytes.slice(8).join(' ')}`,
    beganOnSnapshot,
    sequence: 0,
    log: new Map(),
  };
}
