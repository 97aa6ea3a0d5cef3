/**
 * Replication of one disk, in the order in which it happens:
 *
 *   extents.ts, plan.ts      what the source reports becomes what must be read, segment by segment
 *   chunks.ts                segments become batches (the unit of durability) and chunks (the unit of work)
 *   pipeline.ts              chunks are copied concurrently: several reads and writes in flight
 *   chunk-pool.ts            the bounded memory that chunks travel in; chunk-size.ts: how much of it one takes
 *   copy-chunk.ts            read, hash, compare with what the volume holds, send what differs
 *   recall-blocks.ts         blocks that the worker has from earlier copies are written by it and not sent
 *   block-hasher.ts          digests of a chunk, in threads of their own where that pays
 *   checkpointer.ts          flush, record digests, forget intents, move the cursor
 *   block-state.ts           what is known of a block, and when it counts as verified
 *   transfer-state.ts        what a run may conclude and writes down, on disk-record.ts: checkpoints.ts (database) and
 *                            digest-map.ts (file)
 *   verification.ts          the worker's digests against those of what was read
 *   content-digest.ts        one digest of a disk's whole content, from the map; digest-disk.ts computes the same from an image or a device
 *   progress.ts              all of it as numbers
 */
export { createTransferTables } from './checkpoints.ts';
export { contentDigest } from './content-digest.ts';
export type { DiskOutcome } from './disk-outcome.ts';
export { replicateDisk, type ReplicateOptions, type ReplicateRequest } from './pipeline.ts';
export type { DiskProgress, ProgressPhase } from './progress.ts';
export {
  deleteTransferState,
  forgetTransferState,
  openTransferState,
  type Resumability,
  type TransferState,
  type TransferStateOptions,
} from './transfer-state.ts';
export { verificationError, verifyDisk, type VerifyOutcome, type VerifyRequest } from './verification.ts';
