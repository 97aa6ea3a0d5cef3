/** How a worker reaches a volume over iSCSI before it has a device for it. Lives in memory only: it may have a secret. */
export interface IscsiLogin {
  /** The target's name (IQN). */
  readonly target: string;
  /** `address:port` */
  readonly portal: string;
  /** CHAP, where the target demands it. */
  readonly user?: string;
  readonly secret?: string;
}

/**
 * A volume open for writing: a device of a disk copy worker, written through the agent, or whatever else of a platform takes
 * blocks. Calls may overlap in time; the implementation bounds what is in flight and applies back-pressure by not resolving.
 */
export interface WriteTarget {
  /** Size of the volume in bytes, at least that of the disk. */
  readonly sizeBytes: number;
  /**
   * `write` and `zero` take only ranges that begin at a multiple of this many bytes and end at one, or at the end of the
   * disk. A power of two, at most 64 KiB. 1: any range.
   */
  readonly alignmentBytes: number;
  /** How many bytes in unanswered writes fill the way to it at present. Absent: 16 MiB are enough. */
  readonly bytesInFlight?: number;
  /**
   * Resolves when the bytes are written (not when they are durable). The buffer must not be changed before.
   * `bytesSent` is what crossed the link for it, after compression, without headers.
   */
  write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly bytesSent: number }>;
  /** Makes the range read as zeros. */
  zero(offset: number, length: number, signal: AbortSignal): Promise<void>;
  /** Resolves when everything that was acknowledged before this call is on stable storage. */
  flush(signal: AbortSignal): Promise<void>;
  /** Fills `into` with the bytes at `offset`, any offset. Calls may overlap in time. */
  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * SHA-256 of each block of `blockBytes` in [offset, offset + length), in order, the last one maybe shorter;
   * 32 bytes per block, concatenated. Absent where nothing beside the volume can hash: then it is read back and hashed here.
   */
  digests?(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  /** In blocks of how many bytes it can `recall`; 0 or absent: it keeps none. */
  readonly recallBlockBytes?: number;
  /**
   * Has the worker write blocks that it has from earlier writes, of this volume or others, instead of sending them.
   *
   * @param digests SHA-256 of each block of `recallBlockBytes`, 32 bytes a block; zeros for a block that is not meant
   * @returns a byte for each block: 1 where it is written
   */
  recall?(offset: number, length: number, digests: Uint8Array, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A volume that is open through the agent on a worker, which hashes beside the device. */
export type WorkerVolume = WriteTarget & Required<Pick<WriteTarget, 'digests'>>;

/** A living connection to the agent on a worker. */
export interface WorkerSession {
  /** `local`: the agent runs on this computer. */
  readonly mechanism: 'HTTPS' | 'SSH' | 'local';
  /** The block devices that the worker has, for matching volumes to devices. @param logins targets that it logs in to before that, where it has not yet */
  devices(signal: AbortSignal, logins?: readonly IscsiLogin[]): Promise<readonly WorkerDevice[]>;
  /** Opens a device by its path for writing; the agent refuses a device that is mounted or holds its own root. */
  open(device: WorkerDevice, signal: AbortSignal): Promise<WriteTarget>;
  /** Aborted with a `CausewayError` as reason when the session is lost. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

export interface WorkerDevice {
  readonly path: string;
  /** Empty when the device has none. */
  readonly serial: string;
  /** Of a SCSI disk. */
  readonly lun?: number | undefined;
  /** Its names in `/dev/disk/by-path`, without the folder. */
  readonly byPath: readonly string[];
  readonly sizeBytes: number;
  readonly inUse: boolean;
  /** The kernel's number of this appearance: the next device of the same name has another one. Undefined where it is too old to count. */
  readonly sequence?: number | undefined;
}
