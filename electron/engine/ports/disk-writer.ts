/**
 * A volume that is attached to a disk copy worker, open for writing through the agent. Calls may overlap in time; the
 * implementation bounds what is in flight and applies back-pressure by not resolving.
 */
export interface DiskWriter {
  /** Size of the device as the worker sees it, in bytes. */
  readonly sizeBytes: number;
  /**
   * Resolves when the worker has written the bytes (not when they are durable). The buffer must not be changed before.
   * `bytesSent` is what crossed the link for it, after compression, without the frame's head.
   */
  write(offset: number, bytes: Uint8Array, signal: AbortSignal): Promise<{ readonly bytesSent: number }>;
  /** Makes the range read as zeros. */
  zero(offset: number, length: number, signal: AbortSignal): Promise<void>;
  /** Resolves when everything that was acknowledged before this call is on stable storage. */
  flush(signal: AbortSignal): Promise<void>;
  /**
   * SHA-256 of each block of `blockBytes` in [offset, offset + length), in order, the last one maybe shorter;
   * 32 bytes a block, concatenated.
   */
  digests(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A volume that can be read back through the agent as well, e.g. a copy that is exported. */
export interface WorkerVolume extends DiskWriter {
  /** Fills `into` with the bytes at `offset`. Calls may overlap in time. */
  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
}

/** A living connection to the agent on a disk copy worker. */
export interface WorkerSession {
  readonly mechanism: 'HTTPS' | 'SSH';
  /** The block devices that the worker has, for matching volumes to devices. */
  devices(signal: AbortSignal): Promise<readonly WorkerDevice[]>;
  /** Opens a device by its path for writing; the agent refuses a device that is mounted or holds its own root. */
  open(device: WorkerDevice, signal: AbortSignal): Promise<DiskWriter>;
  /** Aborted with a `CausewayError` as reason when the session is lost. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

export interface WorkerDevice {
  readonly path: string;
  /** Empty when the device has none. */
  readonly serial: string;
  readonly sizeBytes: number;
  readonly inUse: boolean;
}
