import type { CompressionPolicy } from './compression.ts';
import type { HostKeyMemory } from './host-keys.ts';

/** All of it is optional; the defaults are for real workers. Times in milliseconds. */
export interface ConnectWorkerOptions {
  /** `auto`: tried now and then, kept when it pays. */
  readonly compression?: CompressionPolicy;
  /** Connections that carry data; `auto`: one on a short way, more on a long one. */
  readonly connections?: number | 'auto';
  /** Bytes of disks on their way at most, on all of these connections. Default: as many as the link holds, within 16 and 64 MiB. */
  readonly inFlightBytes?: number | 'auto';
  /** Awaited before payload bytes are sent: a bandwidth limit. */
  readonly throttle?: (bytes: number, signal: AbortSignal) => Promise<void>;
  /**
   * A checksum of each payload, beside the one of each frame's head. Off by default: TLS and SSH authenticate every
   * byte already, and the verification reads the volume itself.
   */
  readonly checksumPayloads?: boolean;
  /** Where host keys that were seen first are remembered. */
  readonly hostKeys?: HostKeyMemory;
  /** Called with warnings although the connection succeeded. */
  readonly note?: ((message: string) => void) | undefined;
  /** Number of the caller's claim on what the worker is for: once a greater one has connected, smaller ones are refused. Default 0. */
  readonly epoch?: number | undefined;
  /** How long to wait until SSH answers. */
  readonly deadlineMs?: number;
  /** How long a refused login is tried again. */
  readonly loginGraceMs?: number;
  /** How long a link may be silent before it is considered lost. */
  readonly lostAfterMs?: number;
  /** How long the agent may take for any answer while requests wait. */
  readonly stalledAfterMs?: number;
  /** Time without requests after which the agent exits. */
  readonly idleMs?: number;
  /**
   * For workers that several executions use in turn: blocks of 64 KiB that were written are kept on the worker's own disk, in so many
   * bytes at most and half of what is free there, and recalled instead of being sent again. Default 0: none.
   */
  readonly keptBytes?: number | undefined;
  /** Path prefixes outside /dev whose files the agent may open: for tests and for workers that run on this machine. */
  readonly allowPaths?: readonly string[];
  /**
   * Ports that the agent tries to listen on, one has to be free. By default 5566 and the access's own one, so that it is
   * found where a port is mapped from outside as well as where several workers share an address.
   */
  readonly agentPorts?: readonly number[] | undefined;
  /** The agent's file on this machine. */
  readonly agentPath?: string;
}

/** The options with every default filled in. */
export interface Settings extends Required<
  Omit<ConnectWorkerOptions, 'throttle' | 'agentPorts' | 'note' | 'epoch' | 'keptBytes'>
> {
  readonly epoch: number;
  readonly keptBytes: number;
  readonly note: ConnectWorkerOptions['note'];
  readonly throttle: ConnectWorkerOptions['throttle'] | undefined;
  readonly agentPorts: readonly number[] | undefined;
}
