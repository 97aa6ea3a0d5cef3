import type { JsonObject } from '../../../shared/model/json.ts';
import type { OwnVmEvidence } from '../../../shared/model/own-vm-evidence.ts';
import type { DestinationRun, DeviceIdentity, Volume } from './destination-run.ts';
import type { LedgerEntry } from './ledger.ts';
import type { WorkerSession } from './write-target.ts';

/** A VM of the user's own, as its platform has it. */
export interface OwnVmState {
  readonly name: string;
  /** How many more volumes can be attached to it; undefined: the platform does not say. */
  readonly room?: number;
}

/** What the computer that an engine runs on knows of itself. All of it is bounded, and none of it is to be trusted: whoever is on its network may answer. */
export interface ThisComputer {
  /** A document of the metadata service at the link-local address; undefined: there is none. */
  metadata(
    path: string,
    headers: Readonly<Record<string, string>>,
    signal: AbortSignal,
    method?: 'GET' | 'PUT',
  ): Promise<string | undefined>;
  /** The id of its instance as cloud-init has kept it. */
  cloudInitId(signal: AbortSignal): Promise<string | undefined>;
  /** The UUID that its firmware gives it, in lower case. */
  productUuid(signal: AbortSignal): Promise<string | undefined>;
  /** Another one after each start, and on each copy of it that is started. Undefined where the system has none. */
  bootId(): string | undefined;
}

/** The turn to attach volumes to this computer, which one process has at a time: whoever it is, on whatever project it works. */
export interface TurnHere {
  /** Aborted with a `CausewayError` when it was lost. */
  readonly lost: AbortSignal;
  release(): Promise<void>;
}

/** An id that a computer may have at a platform, and what says so. */
export interface VmHint {
  readonly vmId: string;
  readonly by: OwnVmEvidence;
}

/** How a volume is told from the disks that such a VM has besides. Their order tells nothing there. */
export type OwnVmDevice = Exclude<DeviceIdentity, { readonly kind: 'order' }>;

/** Attaches volumes to a VM of the user's own, on which an engine runs. It is never started, stopped or deleted. */
export interface OwnVmAccess {
  /** Whether each device is told by its volume's own serial. Where it is not, nothing that is attached already is gone on with. */
  readonly bySerial: boolean;
  /**
   * @param environment a run's; empty before there is one
   * @throws CausewayError `engine.own-vm-unusable` when there is no such VM, it does not run, or volumes of the environment can't be attached to it
   */
  check(environment: JsonObject, vmId: string, signal: AbortSignal): Promise<OwnVmState>;
  /** Which VM of the platform a computer says that it is. Asks the platform nothing that `check` would not. Absent where nothing says it. */
  hints?(here: ThisComputer, signal: AbortSignal): Promise<readonly VmHint[]>;
  /** Why a run needs no VM at all: the platform takes the bytes of its volumes itself. Absent where that never is. */
  whyNone?(run: DestinationRun, signal: AbortSignal): Promise<string | undefined>;
  /**
   * As `attachVolume`, but recorded: `removeResource` of the entry detaches it again, on whatever computer.
   *
   * @throws `cloud.volume-in-use` when another server has it, `engine.own-vm-unusable` when its device could not be told from others
   */
  attachVolume(run: DestinationRun, vmId: string, volume: Volume, signal: AbortSignal): Promise<OwnVmDevice>;
}

/** The source's VM on which an engine runs, for one execution: copies of disks are attached to it, and read there. */
export interface OwnVmOfSource {
  readonly vmId: string;
  readonly vmName: string;
  /** Whether this execution may have so many copies attached at the same time. What it got once, it has until it ends. */
  lease(copies: number): boolean;
  /** The places are free for others again: it attaches none here. */
  giveBack(): void;
  /** Starts the agent on this computer. */
  connect(signal: AbortSignal): Promise<WorkerSession>;
}

const prefix = 'own-vm/';

/** The key of the attachment of a volume to such a VM. */
export function ownVmKey(volumeId: string): string {
  return `${prefix}${volumeId}`;
}

const copyPrefix = 'own-vm-copy/';

/** The key of the attachment of a copy of a source's disk to such a VM. */
export function ownVmCopyKey(volumeId: string): string {
  return `${copyPrefix}${volumeId}`;
}

/** Whether an entry is the attachment of a copy of a source's disk to such a VM. */
export function isCopyAttachment({ kind, key }: Pick<LedgerEntry, 'kind' | 'key'>): boolean {
  return kind === 'attachment' && key.startsWith(copyPrefix);
}

/** Whether an entry is the attachment of a volume to such a VM. */
export function isOwnVmAttachment({ kind, key }: Pick<LedgerEntry, 'kind' | 'key'>): boolean {
  return kind === 'attachment' && key.startsWith(prefix);
}
