/** What a run did to one disk. Bytes. */
export interface DiskOutcome {
  /** Read from the source. */
  readonly bytesRead: number;
  /** Found to differ from what the volume held: sent (before compression) or zeroed. */
  readonly bytesChanged: number;
  /** Crossed the link, after compression. */
  readonly bytesSent: number;
  /** Found to differ, and written by the worker from what it has of earlier copies: not sent. */
  readonly bytesRecalled: number;
  /** Made zero on the volume without sending them. */
  readonly bytesZeroed: number;
  /** Read and found to be there already. */
  readonly bytesSkipped: number;
  /** Reported as zero by the source and known to be zero on the volume: neither read nor sent. */
  readonly bytesHoles: number;
  readonly chunks: number;
  readonly durationSeconds: number;
  /** In which at least one read at the source was under way: how fast this leg is, whatever holds the other one up. */
  readonly sourceSeconds: number;
  /** The same of writes at the destination that had content; limits of bandwidth are not in it. */
  readonly destinationSeconds: number;
  /** The run went on from an interrupted one of the same snapshot. */
  readonly resumed: boolean;
  /** Where it went on; everything below was durable. */
  readonly resumedAtBytes: number;
  /** The whole disk was read: no base, or one that the volume is not known to be in sync with. */
  readonly readEverything: boolean;
  /** Written by earlier executions and never compared since; the next verification compares them too. 0 for a run that was resumed. */
  readonly bytesUnverifiedBefore: number;
}

/** The counts of an outcome during the run. */
export type Counters = {
  -readonly [
    K in 'bytesRead' | 'bytesChanged' | 'bytesSent' | 'bytesRecalled' | 'bytesZeroed' | 'bytesSkipped' | 'chunks'
  ]: number;
};

export const noCounts = (): Counters => ({
  bytesRead: 0,
  bytesChanged: 0,
  bytesSent: 0,
  bytesRecalled: 0,
  bytesZeroed: 0,
  bytesSkipped: 0,
  chunks: 0,
});
