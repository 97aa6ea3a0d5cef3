/** What the engine gives every platform adapter besides its connection. */
export interface PlatformContext {
  /** Folder of ours for small files that must outlive a run of the engine, e.g. sockets and records of snapshots. */
  readonly scratchFolder: string;
}
