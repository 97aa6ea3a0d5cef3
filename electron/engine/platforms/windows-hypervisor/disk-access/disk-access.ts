import type { LedgerEntry, LedgerScope } from '../../../ports/ledger.ts';
import type { HostLink } from '../control/host-link.ts';

/** The bytes of a virtual disk that does not change. */
export interface DiskContent {
  readonly sizeBytes: number;
  /** Fills `into` with the bytes at `offset`. @throws `source.*` */
  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
  /** SHA-256 of each block, computed on the host, where the way can. */
  digests?(offset: number, length: number, blockBytes: number, signal: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** A disk of a checkpoint. */
export interface FrozenDisk {
  readonly link: HostLink;
  /** Of the VHD, VHDX or AVHDX, as the host has it. */
  readonly path: string;
  readonly sizeBytes: number;
  /** Whether the certificate of the RCT service is verified (`verify_rct_server`). */
  readonly verifyServer: boolean;
}

/** A way to the bytes of disks. */
export interface DiskAccess {
  open(disk: FrozenDisk, signal: AbortSignal): Promise<DiskContent>;
  /** Ends what was placed on hosts for this execution, by an earlier process too, once no disk is read any more. What can't be removed stays on record. */
  release?(signal: AbortSignal): Promise<void>;
  /** Removes what the ledger has recorded. "Not there" is done. */
  removeResource?(
    entry: LedgerEntry,
    ledger: LedgerScope,
    linkOf: (host: string) => HostLink,
    signal: AbortSignal,
  ): Promise<void>;
  /** Tries the way without a disk, for the check of an endpoint. */
  check(link: HostLink, signal: AbortSignal): Promise<string | { readonly warning: string }>;
  close(): Promise<void>;
}
