/**
 * What is known of one block of the destination volume.
 *
 *   unwritten   never written since the volume was created for this disk: whatever the source has there is sent whole
 *   unknown     may hold anything: a write was interrupted, a comparison found a difference, the digest map was damaged,
 *               or something else may have written to the volume. The worker is asked for a digest before anything is sent
 *   zero        reads as zeros
 *   digest      holds what the digest map says
 *
 * Two marks stand beside the state of a block, both durable:
 *
 *   written     written since the base snapshot: read again whatever the source reports as changed
 *   unverified  written, and not compared with the volume since. `zero` and `digest` say then what was sent, not what is there
 *
 * Invariant: **a block that was written counts as verified only after a comparison with the volume.** Only
 * `TransferState.verified()` removes the mark `unverified`, and it turns every block that was in question and not found
 * equal into `unknown`. Nothing else does it: no cancellation, crash or lost worker, no execution without verification, no
 * new snapshot, no growth of the disk. Where all that is known is dropped (another volume, an unusable map), every block
 * becomes `unwritten` or `unknown`, which claims nothing. So an execution without verification leaves its blocks
 * `unverified`, and the next one with verification compares them along with its own.
 */
export type BlockState = 'unwritten' | 'unknown' | 'zero' | 'digest';
