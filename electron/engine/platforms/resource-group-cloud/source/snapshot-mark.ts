/** What is kept of a disk in a snapshot. Plain data. */
export interface SnapshotMark {
  /** A resource of the cloud, or the address of a blob's snapshot. */
  readonly snapshotId: string;
  /** Given by the cloud: another snapshot of the same name has another one. */
  readonly uniqueId: string;
  /** Snapshots of one disk; what changed is told between those of one family. Empty: the cloud gave none. */
  readonly family: string;
}
