import type { ErrorTable } from './error-text.ts';

/** Codes of the preparation of a guest's installation for its new platform. */
export const osmorphingErrors = {
  'osmorphing.not-supported': {
    title: 'This operating system cannot be prepared',
    cause: 'Prepared are Debian and Ubuntu, the RHEL family (CentOS, AlmaLinux, Rocky, Oracle, Amazon, Fedora) and SUSE. The disks hold something else.',
    remedy: 'Deploy without preparing the guest, if it brings drivers for virtual hardware itself, or move its data into a supported system.',
    retryable: false,
  },
  'osmorphing.root-not-found': {
    title: 'No operating system was found on the disks',
    cause: 'No file system holds both a release file and /etc/fstab. A disk may be missing, or the system is on something that is not understood.',
    remedy: 'Check that all disks of the VM are replicated. The evidence lists what was looked at.',
    retryable: false,
  },
  'osmorphing.several-roots': {
    title: 'The disks hold more than one operating system',
    cause: 'Several file systems look like the root of an installation: a second system, or a copy of an old one.',
    remedy: 'Choose the one that the VM boots; the candidates are listed.',
    retryable: false,
  },
  'osmorphing.locked': {
    title: 'The operating system is on an encrypted volume',
    cause: 'No key was given for the encrypted volume, or none of the given keys fits.',
    remedy: 'Give the passphrase or key of the volume that is named.',
    retryable: false,
  },
  'osmorphing.duplicate-volume-groups': {
    title: 'Two volume groups have the same name',
    cause: 'LVM cannot tell groups of one name apart. Either two disks of the VM come from one template, or the worker has a group of this name.',
    remedy: 'Rename one of the groups on the source (vgrename with its UUID), replicate again, or use a worker image without LVM.',
    retryable: false,
  },
  'osmorphing.file-system-damaged': {
    title: 'A file system is damaged',
    cause: 'The automatic check found something that only a person can decide about. The replica is as the source was, or an older snapshot is.',
    remedy: 'Check the file system on the source and replicate again.',
    retryable: false,
  },
  'osmorphing.mount-failed': {
    title: 'A file system of the guest cannot be mounted',
    cause: 'A line of its /etc/fstab names a device that is not among its disks, or the worker does not know this kind of file system.',
    remedy: 'Check that all disks are replicated; mark mounts that are not needed with nofail on the source; use a worker image as new as the guest.',
    retryable: false,
  },
  'osmorphing.device-missing': {
    title: 'A disk is not there on the worker',
    cause: 'The volume was not attached, or was detached meanwhile.',
    remedy: 'Start the deployment again.',
    retryable: true,
  },
  'osmorphing.packages-unreachable': {
    title: 'The guest cannot install packages',
    cause: 'Its package repositories are not reachable from the worker, need a subscription, or no longer exist.',
    remedy: 'Let the worker\'s network reach the repositories, give an HTTP proxy, give a folder with the packages, or install cloud-init on the source.',
    retryable: true,
  },
  'osmorphing.no-virtio': {
    title: 'The guest\'s kernels cannot use virtual disks',
    cause: 'No installed kernel has drivers for virtio disks.',
    remedy: 'Install the distribution\'s standard kernel on the source, or choose another disk bus.',
    retryable: false,
  },
  'osmorphing.initramfs': {
    title: 'The initial RAM disk could not be rebuilt',
    cause: 'The guest\'s own tool failed, or left drivers out; the evidence has its words.',
    remedy: 'Rebuild it on the source (update-initramfs, dracut, mkinitrd) and repair what that shows.',
    retryable: false,
  },
  'osmorphing.no-space': {
    title: 'A file system of the guest is too full',
    cause: 'A new initial RAM disk needs room beside the old one.',
    remedy: 'Remove old kernels or enlarge the file system on the source, and replicate again.',
    retryable: false,
  },
  'osmorphing.command-failed': {
    title: 'A program failed while the guest was prepared',
    cause: 'The evidence has the program\'s own words.',
    remedy: 'Repair what it complains about on the source, or keep the worker for a look at the guest.',
    retryable: true,
  },
  'osmorphing.script-failed': {
    title: 'A script of yours failed',
    cause: 'It ended with an error, or took longer than its time limit.',
    remedy: 'Its output is kept with the deployment. Correct the script and deploy again.',
    retryable: false,
  },
  'osmorphing.busy': {
    title: 'The worker is busy with this guest',
    cause: 'An earlier command of the same preparation has not ended.',
    remedy: 'Wait a minute and start again; a new worker helps as well.',
    retryable: true,
  },
  'osmorphing.not-mounted': {
    title: 'The guest is not mounted',
    cause: 'It was unmounted meanwhile, by a stop or another command.',
    remedy: 'Start the deployment again.',
    retryable: true,
  },
  'osmorphing.not-unmounted': {
    title: 'The guest could not be unmounted completely',
    cause: 'Something on the worker still uses its file systems; the evidence says what is left.',
    remedy: 'The deployment\'s volumes may not be complete. Start it again; the replica is not affected.',
    retryable: true,
  },
  'osmorphing.program-failed': {
    title: 'The preparation program stopped unexpectedly',
    cause: 'A defect, or the worker ran out of memory or lost its connection. The evidence has its last words.',
    remedy: 'Start the deployment again. If it comes back, please report it with the evidence.',
    retryable: true,
  },
} as const satisfies ErrorTable;
