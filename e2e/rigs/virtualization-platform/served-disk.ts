import type { Extent } from '../../../shared/model/extent.ts';

/** One virtual disk file of the rig, frozen or live, with its chain merged: what the hosts' data ports serve. */
export interface ServedDisk {
  /** As the platform names it: `[datastore] folder/name.vmdk`. */
  readonly path: string;
  /** The VM that the file belongs to, as its managed object id. A ticket for another VM opens nothing. */
  readonly vmId: string;
  readonly sizeBytes: number;
  /** True while a running VM writes to it: such a file can't be opened. */
  readonly isLive: boolean;
  /** Ascending and complete. */
  allocated(): Promise<readonly Extent[]>;
  read(offset: number, length: number): Promise<Buffer>;
  /** Keys of the descriptor without `ddb.`, e.g. `adapterType`. */
  readonly descriptor: Readonly<Record<string, string>>;
}

/** What the rig's data ports ask the rig. */
export interface ServedDisks {
  find(path: string): ServedDisk | undefined;
  /** Takes a ticket: true once for each that was issued for this host, undefined for any other. */
  redeem(sessionId: string, host: string): { readonly vmId: string } | undefined;
}
