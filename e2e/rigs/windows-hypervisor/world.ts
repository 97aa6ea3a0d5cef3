import { randomUUID } from 'node:crypto';
import { open } from 'node:fs/promises';

/** What Windows tracks changes by, as the rig has it. Documents name no number. */
export const trackedBytes = 16 * 1024;
/** Blocks that a VHDX of the rig has; `used-blocks` goes by them. */
export const blockBytes = 2 * 2 ** 20;

/** Sectors that a file of a chain has, or has not. */
export const sectorBytes = 512;

/** One file of a chain: the disk as it was when the next file took its place, and which sectors were written to this one. */
export interface Layer {
  readonly path: string;
  readonly content: Buffer;
  readonly written: Uint8Array;
}

/** Disk as it was when a checkpoint was taken. */
export interface FrozenFile extends Layer {
  readonly identifier: string;
  /** The files that this one builds on, the first one first. */
  readonly layers: readonly Layer[];
  readonly used: Uint8Array;
  readonly format: string;
  readonly type: string;
  readonly chain: readonly string[];
  /** By tracking id: what was written from its moment up to this one. */
  readonly changes: ReadonlyMap<string, Uint8Array>;
  /** Of the moment itself; a reference point keeps it. */
  readonly trackingId: string;
}

/** A virtual disk that tests write to as the guest would. */
export class RigDisk {
  readonly identifier = randomUUID();
  path: string;
  format = 'vhdx';
  /** Of its first file. */
  type = 'dynamic';
  /** Files that its file builds on, where there are checkpoints of people. */
  chain: readonly string[] = [];
  #layers: readonly Layer[] = [];
  /** Which sectors its file has. */
  #written: Uint8Array;
  #bytes: Buffer;
  /** Whether a checkpoint has the bytes: what is written next goes to a copy. */
  #isFrozen = false;
  #used: Uint8Array;
  readonly #tracked = new Map<string, Uint8Array>();

  constructor(path: string, sizeBytes: number) {
    this.path = path;
    this.#bytes = Buffer.alloc(sizeBytes);
    this.#used = new Uint8Array(Math.ceil(sizeBytes / blockBytes));
    this.#written = new Uint8Array(Math.ceil(sizeBytes / sectorBytes));
  }

  /** A checkpoint that people take: what is written from now on goes to a file of its own, which builds on the one before. */
  addFile(path: string): void {
    this.#layers = [...this.#layers, { path: this.path, content: this.#bytes, written: this.#written }];
    this.chain = [this.path, ...this.chain];
    this.path = path;
    this.#written = new Uint8Array(this.#written.length);
    this.#isFrozen = true;
  }

  /** Applies the checkpoint that was taken last: what was written since is lost, and a new file builds on the same one. */
  goBack(path: string): void {
    const last = this.#layers.at(-1);
    if (last === undefined) throw new Error('no checkpoint');
    this.path = path;
    this.#bytes = last.content;
    this.#written = new Uint8Array(this.#written.length);
    this.#isFrozen = true;
  }

  get content(): Buffer {
    return Buffer.from(this.#bytes);
  }

  get sizeBytes(): number {
    return this.#bytes.length;
  }

  write(offset: number, data: Buffer): void {
    if (this.#isFrozen) this.#unfreeze();
    data.copy(this.#bytes, offset);
    this.#written.fill(1, Math.floor(offset / sectorBytes), Math.ceil((offset + data.length) / sectorBytes));
    this.#used.fill(1, Math.floor(offset / blockBytes), Math.ceil((offset + data.length) / blockBytes));
    for (const map of this.#tracked.values())
      map.fill(1, Math.floor(offset / trackedBytes), Math.ceil((offset + data.length) / trackedBytes));
  }

  /** Blocks that nobody wrote to take no memory. */
  #unfreeze(): void {
    const copy = Buffer.alloc(this.#bytes.length);
    for (const [block, isUsed] of this.#used.entries())
      if (isUsed === 1) this.#bytes.copy(copy, block * blockBytes, block * blockBytes, (block + 1) * blockBytes);
    this.#bytes = copy;
    this.#isFrozen = false;
    this.#written = Uint8Array.from(this.#written);
  }

  /** Writes what is different in a file of the same size, as the guest would that made it so. */
  async follow(path: string): Promise<void> {
    const file = await open(path);
    try {
      const piece = Buffer.alloc(64 * trackedBytes);
      for (let at = 0; at < this.sizeBytes; at += piece.length) {
        const read = piece.subarray(0, (await file.read(piece, 0, piece.length, at)).bytesRead);
        if (read.equals(this.#bytes.subarray(at, at + read.length))) continue;
        for (let from = 0; from < read.length; from += trackedBytes) {
          const part = read.subarray(from, from + trackedBytes);
          if (!part.equals(this.#bytes.subarray(at + from, at + from + part.length))) this.write(at + from, part);
        }
      }
    } finally {
      await file.close();
    }
  }

  /** Windows keeps no ids of a disk whose size changes. */
  grow(sizeBytes: number): void {
    this.#bytes = Buffer.concat([this.#bytes, Buffer.alloc(sizeBytes - this.#bytes.length)]);
    this.#isFrozen = false;
    const used = new Uint8Array(Math.ceil(sizeBytes / blockBytes));
    used.set(this.#used);
    this.#used = used;
    const written = new Uint8Array(Math.ceil(sizeBytes / sectorBytes));
    written.set(this.#written);
    this.#written = written;
    this.resetTracking();
  }

  resetTracking(): void {
    this.#tracked.clear();
  }

  freeze(): FrozenFile {
    const changes = new Map([...this.#tracked].map(([id, map]) => [id, Uint8Array.from(map)] as const));
    const trackingId = `rctX:${randomUUID().slice(0, 8)}:${randomUUID()}:00000001`;
    this.#tracked.set(trackingId, new Uint8Array(Math.ceil(this.#bytes.length / trackedBytes)));
    this.#isFrozen = true;
    return {
      path: this.path,
      identifier: this.identifier,
      content: this.#bytes,
      written: this.#written,
      layers: this.#layers,
      used: Uint8Array.from(this.#used),
      format: this.format,
      type: this.type,
      chain: this.chain,
      changes,
      trackingId,
    };
  }

  forget(trackingId: string): void {
    this.#tracked.delete(trackingId);
  }
}

export interface RigCheckpoint {
  readonly id: string;
  name: string;
  notes: string;
  readonly createdAt: string;
  readonly files: readonly FrozenFile[];
  /** As it was asked for: 1 for applications, 2 as after a crash. */
  readonly level: number;
}

export interface RigReferencePoint {
  readonly id: string;
  /** Windows tracks no changes of a VHD. */
  readonly disks: readonly { readonly identifier: string; readonly trackingId: string }[];
}

/** How a VM is described beyond its disks, in the words of the scripts' answers. */
export interface RigVmFacts {
  name: string;
  state: string;
  generation: number;
  version: string;
  secureBoot: boolean;
  isShielded: boolean;
  hasTpm: boolean;
  checkpoints: string;
  system: string;
  /** Without integration services no checkpoint is consistent for applications. */
  hasIntegrationServices: boolean;
  readonly drives: Readonly<Record<string, unknown>>[];
  nics: Readonly<Record<string, unknown>>[];
  devices: string[];
  /** `SCSI 0:1`: first of the boot order; empty in generation 1. */
  bootsFrom: string;
  /** Why the host cannot say anything of the VM. */
  problem?: string;
}

export class RigVm {
  readonly id = randomUUID();
  node: string;
  readonly disks: RigDisk[] = [];
  readonly checkpoints: RigCheckpoint[] = [];
  readonly referencePoints: RigReferencePoint[] = [];
  /** Ids of those that scripts have made; the others are of other programs. */
  readonly ownReferencePoints = new Set<string>();
  /** How many looks still find a merge under way. */
  merging = 0;
  readonly facts: RigVmFacts;

  constructor(name: string, node: string) {
    this.node = node;
    this.facts = {
      name,
      state: 'running',
      generation: 2,
      version: '9.0',
      secureBoot: true,
      isShielded: false,
      hasTpm: false,
      checkpoints: 'production',
      system: 'Debian GNU/Linux 12 (bookworm)',
      hasIntegrationServices: true,
      drives: [],
      devices: [],
      bootsFrom: '',
      nics: [
        {
          id: `Microsoft:${name}\\1`,
          name: 'Network Adapter',
          switch: 'External',
          mac: '00155D010A0B',
          isDynamicMac: true,
          isLegacy: false,
          vlanMode: 'access',
          vlan: 20,
          addresses: ['192.0.2.10', 'fe80::1'],
        },
      ],
    };
  }

  /** Where the running VM writes: beside the disk while a checkpoint freezes it. */
  livePath(disk: RigDisk): string {
    return this.checkpoints.length > 0 || this.merging > 0
      ? disk.path.replace(/\.(vhdx?)$/i, '-AutoRecovery.a$1')
      : disk.path;
  }

  takeCheckpoint(createdAt = new Date().toISOString(), level = 1): RigCheckpoint {
    const checkpoint: RigCheckpoint = {
      id: `Microsoft:${randomUUID().toUpperCase()}`,
      name: `${this.facts.name} - Backup - (${createdAt})`,
      notes: '',
      createdAt,
      files: this.disks.map((disk) => disk.freeze()),
      level,
    };
    this.checkpoints.push(checkpoint);
    return checkpoint;
  }

  /** Its tracking ids live on only in a reference point. */
  removeCheckpoint(id: string, keepsIds = false): RigCheckpoint | undefined {
    const index = this.checkpoints.findIndex((one) => one.id === id);
    if (index < 0) return undefined;
    const [checkpoint] = this.checkpoints.splice(index, 1);
    if (!keepsIds) for (const file of checkpoint?.files ?? []) this.#diskOf(file.identifier)?.forget(file.trackingId);
    this.merging = 2;
    return checkpoint;
  }

  /** Whether it was there. */
  convert(id: string): boolean {
    const checkpoint = this.removeCheckpoint(id, true);
    if (checkpoint === undefined) return false;
    this.referencePoints.push({
      id: `Microsoft:${randomUUID().toUpperCase()}\\REF`,
      disks: checkpoint.files
        .filter(({ format }) => format === 'vhdx')
        .map(({ identifier, trackingId }) => ({ identifier, trackingId })),
    });
    return true;
  }

  removeReferencePoint(id: string): void {
    const index = this.referencePoints.findIndex((one) => one.id === id);
    if (index < 0) return;
    for (const { identifier, trackingId } of this.referencePoints.splice(index, 1)[0]?.disks ?? [])
      this.#diskOf(identifier)?.forget(trackingId);
  }

  #diskOf(identifier: string): RigDisk | undefined {
    return this.disks.find((disk) => disk.identifier === identifier);
  }
}

/** Hosts and VMs of the rig. */
export class HypervWorld {
  readonly nodes: string[];
  readonly vms: RigVm[] = [];
  clusterName: string | undefined;
  /** Nodes of the cluster that do not run. */
  readonly nodesDown: string[] = [];
  /** By node: when it lost power, and why it cannot say that. */
  readonly history = new Map<string, { readonly powerLosses?: readonly string[]; readonly problem?: string }>();
  /** By node: rules of the firewall that readers have added. */
  readonly firewallRules = new Map<string, Set<string>>();
  /** Where a policy keeps programs from being compiled, no reader starts. */
  canReadDisks = true;
  /** Whether checkpoints have VHDX files; readers need them. */
  keepsFiles = false;
  /** How far PowerShell may go, by policy. */
  languageMode = 'FullLanguage';
  /** Nodes whose PowerShell a policy restricts. */
  readonly restrictedNodes = new Set<string>();
  /** What `read-host` says besides its name. */
  readonly hostFacts: Record<string, unknown> = {};
  /** The same of one node. */
  readonly nodeFacts = new Map<string, Readonly<Record<string, unknown>>>();

  constructor(nodes: readonly string[]) {
    this.nodes = [...nodes];
  }

  addVm(name: string, node = this.nodes[0] ?? ''): RigVm {
    const vm = new RigVm(name, node);
    this.vms.push(vm);
    return vm;
  }

  addDisk(vm: RigVm, sizeBytes: number): RigDisk {
    const disk = new RigDisk(`D:\\VMs\\${vm.facts.name}\\disk-${vm.disks.length}.vhdx`, sizeBytes);
    vm.disks.push(disk);
    return disk;
  }

  rulesOf(node: string): Set<string> {
    const rules = this.firewallRules.get(node) ?? new Set<string>();
    this.firewallRules.set(node, rules);
    return rules;
  }

  get frozenFiles(): readonly FrozenFile[] {
    return this.vms.flatMap(({ checkpoints }) => checkpoints).flatMap(({ files }) => files);
  }

  /** A frozen file, on whatever node asks for it. */
  file(path: string): FrozenFile | undefined {
    return this.frozenFiles.find((file) => file.path.toLowerCase() === path.toLowerCase());
  }
}
