import type { ErrorTable } from './error-text.ts';

/** What can go wrong while a source is asked, snapshotted or read. */
export const sourceErrors = {
  'source.unreachable': {
    title: 'The source does not answer',
    cause: 'The address or socket is wrong, the service is down, or a firewall is in between.',
    remedy: 'Check the connection of the endpoint and that the hypervisor runs, then run the endpoint check.',
    retryable: true,
  },
  'source.connection-lost': {
    title: 'The connection to the source broke',
    cause: 'The other side closed it or stopped answering, e.g. because the hypervisor or its host was restarted.',
    remedy: 'Start the run again; it goes on from its last checkpoint.',
    retryable: true,
  },
  'source.tls-refused': {
    title: 'No trusted TLS connection to the source',
    cause: 'The source has no TLS, or its certificate is not the one that was pinned or not signed by the given CA.',
    remedy: 'Compare the certificate with the CA or the pin of the endpoint. Nothing was sent in the clear.',
    retryable: false,
  },
  'source.protocol': {
    title: 'The source broke its protocol',
    cause: 'What the other side sent is not valid NBD or QMP; it may be another service on that address.',
    remedy: 'Check the address. If it is right, keep the details and report them.',
    retryable: false,
  },
  'source.request-refused': {
    title: 'The source refused a request',
    cause: 'The hypervisor answered with an error of its own, which stands in the evidence.',
    remedy: 'Read the evidence; often another job (backup, block commit) holds the disk.',
    retryable: false,
  },
  'source.read-failed': {
    title: 'The source could not read its disk',
    cause: 'The storage below the disk gave an error, or the image is damaged.',
    remedy: 'Check the source storage (e.g. `qemu-img check`), then start the run again.',
    retryable: true,
  },
  'source.vm-not-found': {
    title: 'The source has no such VM',
    cause: 'The VM was renamed, removed or moved.',
    remedy: 'List the VMs of the endpoint and choose again.',
    retryable: false,
  },
  'source.disk-not-found': {
    title: 'The VM has no such disk',
    cause: 'The disk was detached or its image removed since the VM was described.',
    remedy: 'Describe the VM again; a disk that is gone has to be excluded or put back.',
    retryable: false,
  },
  'source.snapshot-lost': {
    title: 'The snapshot can no longer be read',
    cause: 'The VM was restarted, or the scratch space of the snapshot ran full or failed. The guest was not harmed.',
    remedy: 'Start the execution again with a new snapshot; give the scratch folder more room if it ran full.',
    retryable: true,
  },
  'source.snapshot-failed': {
    title: 'The snapshot could not be taken',
    cause: 'The hypervisor refused one of its steps; everything that was begun has been undone.',
    remedy: 'Read the evidence for the step that was refused.',
    retryable: true,
  },
  'source.changed-while-reading': {
    title: 'An image changed while it was read',
    cause: 'Somebody wrote to the image after the snapshot was taken, e.g. its VM was started.',
    remedy: 'Make sure that nothing uses the images, then start the execution again.',
    retryable: true,
  },
  'source.quiesce-failed': {
    title: 'The guest’s file systems could not be frozen',
    cause: 'The guest agent is not running in the guest, or a file system did not come to rest.',
    remedy: 'Check the guest agent, or leave `quiesce` out for a crash-consistent snapshot.',
    retryable: true,
  },
  'source.shutdown-refused': {
    title: 'The guest did not shut down in time',
    cause: 'The guest ignores the power button, or it is busy.',
    remedy: 'Shut the guest down from within, then go on.',
    retryable: true,
  },
  'source.tool-missing': {
    title: 'A program that reads this source is not installed',
    cause: 'Disk images are read by qemu-nbd; libvirt is reached through virsh.',
    remedy: 'Install the Debian package named in the evidence (or its like on your system).',
    retryable: false,
  },
  'source.image-unreadable': {
    title: 'The image cannot be opened',
    cause: 'It is damaged, encrypted, of a format that is not supported, or its permissions do not allow it.',
    remedy: 'Check the image with `qemu-img info` and `qemu-img check`.',
    retryable: false,
  },
  'source.image-refers-outside': {
    title: 'The image wants to open files outside of its folder',
    cause: 'It names a backing file, extent or data file elsewhere. Such an image could make Causeway copy any file of this machine.',
    remedy: 'If you trust the image, flatten it first (`qemu-img convert`) or put the files that it names into its folder.',
    retryable: false,
  },
  'source.description-invalid': {
    title: 'The description of the VM cannot be read',
    cause: 'The OVF or OVA is damaged, or names disks that are not there.',
    remedy: 'Export the VM again, or remove the description to use the images alone.',
    retryable: false,
  },
  'source.unsupported': {
    title: 'The source cannot do that',
    cause: 'The version or the configuration of the source lacks what is needed; the evidence names it.',
    remedy: 'See the evidence for what is needed.',
    retryable: false,
  },
} as const satisfies ErrorTable;
