import type { ErrorTable } from './error-text.ts';

/** What can go wrong between a source disk and its volume, besides the two ends and the link themselves. */
export const replicationErrors = {
  'replication.disk-shrank': {
    title: 'The source disk is smaller than what was replicated before',
    cause: 'The disk was shrunk or replaced since the last execution; data beyond its new end would be cut off unseen.',
    remedy: 'Check that it is still the same disk. If the change is meant, delete the replica and create it again.',
    retryable: false,
  },
  'replication.volume-too-small': {
    title: 'The destination volume is smaller than the source disk',
    cause: 'The volume was not grown with the disk, or another device was taken for it.',
    remedy: 'Execute the replica again, so that the volume is grown; check the quota if it can not be.',
    retryable: false,
  },
  'replication.size-mismatch': {
    title: 'The snapshot does not have the size that the source announced',
    cause: 'The disk was resized between its description and its snapshot.',
    remedy: 'Execute the replica again; the new size is then used from the start.',
    retryable: true,
  },
  'replication.extents-invalid': {
    title: 'The source reported extents that contradict each other',
    cause: 'A list of allocated or changed blocks overlaps, leaves gaps or leaves the disk: nothing can be concluded from it.',
    remedy: 'Execute the replica again. If it happens again, switch change tracking off for the disk and report the details.',
    retryable: true,
  },
  'replication.map-unusable': {
    title: 'The digest map of a disk can not be read or written',
    cause: 'The local disk is full or failing, or the file is held by another program.',
    remedy: 'Free space or repair the access to the file named in the details, then start the run again; it goes on from its last checkpoint.',
    retryable: true,
  },
  'replication.digests-invalid': {
    title: 'The worker answered with digests that do not fit the question',
    cause: 'The agent on the worker broke off or is of another version.',
    remedy: 'Start the run again with a new worker.',
    retryable: true,
  },
  'replication.verification-failed': {
    title: 'The volume differs from what was read from the source',
    cause: 'Something else wrote to the volume, or the storage lost or altered data that it had confirmed.',
    remedy: 'Execute the replica again: the differing blocks are sent anew. If it happens again, distrust the storage.',
    retryable: true,
  },
} as const satisfies ErrorTable;
