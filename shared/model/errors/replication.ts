import type { ErrorTable } from './error-text.ts';

/** What can go wrong between a source disk and its volume, besides the two ends and the link themselves. */
export const replicationErrors = {
  'replication.disk-shrank': {
    title: 'The source disk shrank',
    cause:
      'The disk was shrunk or replaced since its volume was created. Copying it would leave old data at the end of the volume.',
    remedy:
      'Nothing was changed. Check that it is still the same disk. If the change is intended, delete the replica and create it again.',
    retryable: false,
  },
  'replication.volume-too-small': {
    title: 'The destination volume is smaller than the source disk',
    cause: 'The volume was not extended with the disk, or another device was matched to it.',
    remedy: 'Execute the replica again to extend the volume. If that fails, check the quota.',
    retryable: false,
  },
  'replication.size-mismatch': {
    title: 'The snapshot size differs from the disk size',
    cause: 'The disk was resized between its description and the snapshot.',
    remedy: 'Execute the replica again. It then uses the new size.',
    retryable: true,
  },
  'replication.extents-invalid': {
    title: 'The source reported inconsistent extents',
    cause: 'The list of allocated or changed blocks has overlaps or gaps, or exceeds the disk, so it cannot be used.',
    remedy: 'Execute the replica again. If it recurs, turn off change tracking for the disk and report the details.',
    retryable: true,
  },
  'replication.map-unusable': {
    title: 'The digest map of a disk cannot be read or written',
    cause: 'The local disk is full or failing, or another program has locked the file.',
    remedy:
      'Free up disk space or restore access to the file named in the details, then start again. The execution resumes from its last checkpoint.',
    retryable: true,
  },
  'replication.digests-invalid': {
    title: 'The worker returned invalid digests',
    cause: 'The agent on the worker failed or runs another version.',
    remedy: 'Start again with a new worker.',
    retryable: true,
  },
  'replication.verification-failed': {
    title: 'The volume differs from the source',
    cause: 'Another program wrote to the volume, or the storage lost or changed confirmed data.',
    remedy: 'Execute the replica again: the differing blocks are sent again. If it recurs, suspect faulty storage.',
    retryable: true,
  },
} as const satisfies ErrorTable;
