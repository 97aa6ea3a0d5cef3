import type { Extent } from '../../../../../shared/model/extent.ts';

/**
 * The bytes of one disk of one snapshot, as a way to reach them (NFC, the vendor's library, datastore files, an export) gives
 * them. What changed since the last execution is the platform's to say, not a transport's.
 */
export interface DiskContent {
  /** Size of the disk in bytes, a multiple of 512. */
  readonly sizeBytes: number;
  /**
   * The whole disk in order, what was never written as `zero`. Left out where the transport can't tell.
   *
   * @param fromBytes leaves out what ends before it and cuts the extent that crosses it
   */
  allocated?(signal: AbortSignal, fromBytes: number): AsyncIterable<Extent>;
  /** Fills `into` with the bytes at `offset`; reads may overlap in time. Rejects with a `source.*` or `transport.*` code; never resolves short. */
  read(offset: number, into: Uint8Array, signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** What a host wants to see before it serves the disks of one VM on its NFC port: good for one connection. */
export interface NfcTicket {
  readonly host: string;
  readonly port: number;
  /** SHA-1 of the host's certificate (DER), upper-case hex with colons. */
  readonly sslThumbprint: string;
  readonly service: string;
  readonly serviceVersion: string;
  readonly sessionId: string;
}
