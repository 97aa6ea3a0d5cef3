import type { ErrorTable } from './error-text.ts';

/** Codes of the preparation of a guest's installation for its new platform. */
export const osmorphingErrors = {
  'osmorphing.not-supported': {
    title: 'Guest operating system not supported',
    cause:
      'OSMorphing supports Debian, Ubuntu, the RHEL family (CentOS, AlmaLinux, Rocky, Oracle, Amazon, Fedora), SUSE, and Windows 7, Server 2008 R2 and later. The disks contain another system.',
    remedy:
      'If the guest already has drivers for the destination, deploy without OSMorphing. Otherwise move its data to a supported system.',
    retryable: false,
  },
  'osmorphing.root-not-found': {
    title: 'No operating system was found on the disks',
    cause:
      'No file system contains a release file together with /etc/fstab, or with a kernel and an init program. A disk may be missing, or the storage layout is not supported.',
    remedy: 'Check that all disks of the VM are replicated. The details list the devices that were scanned.',
    retryable: false,
  },
  'osmorphing.several-roots': {
    title: 'More than one operating system found',
    cause: 'Several file systems look like a root file system, for example a second installation or an old copy.',
    remedy: 'Choose the one that the VM boots from; the details list the candidates.',
    retryable: false,
  },
  'osmorphing.locked': {
    title: 'The operating system is on an encrypted volume',
    cause:
      'No key was given for the encrypted volume (LUKS or BitLocker), or none of the given keys opens it. Or BitLocker was still encrypting or decrypting the volume.',
    remedy:
      'Store the passphrase, or the recovery key of BitLocker, as a secret, and name the secret in the deployment options. The details name the volume. A volume with suspended BitLocker protection needs no key. If BitLocker has not finished with a volume, wait until it has, and execute the replica again.',
    retryable: false,
  },
  'osmorphing.duplicate-volume-groups': {
    title: 'Two volume groups have the same name',
    cause:
      'LVM cannot distinguish volume groups of the same name. Either two disks of the VM come from one template, or the worker has a volume group of this name.',
    remedy:
      'Rename one of the groups on the source (vgrename with its UUID) and replicate again, or use a worker image without LVM.',
    retryable: false,
  },
  'osmorphing.file-system-damaged': {
    title: 'A file system is damaged',
    cause:
      'The automatic check found errors that it cannot repair. The source has the same damage, or the snapshot was taken while data was being written.',
    remedy: 'Check the file system on the source and replicate again.',
    retryable: false,
  },
  'osmorphing.worker-too-old': {
    title: 'The worker image is too old for this guest',
    cause:
      "A file system of the guest has a feature that the worker's tools or kernel do not support. The file system is not damaged.",
    remedy: 'Choose a worker image with a newer distribution, at least as new as the guest, and deploy again.',
    retryable: false,
  },
  'osmorphing.mount-failed': {
    title: 'A file system of the guest cannot be mounted',
    cause:
      'A line of /etc/fstab names a device that none of the replicated disks has, or names it in a way that only the source understands; or the worker does not support the file system.',
    remedy:
      'Check that all disks are replicated. On the source, name file systems by UUID=… and mark those that are not needed with nofail. Use a worker image as new as the guest.',
    retryable: false,
  },
  'osmorphing.disk-names-unclear': {
    title: 'A disk name in the guest can mean several disks',
    cause:
      'A configuration file names a disk by its position (such as /dev/sdb1). The destination numbers disks differently, and nothing on the disks shows which one is meant.',
    remedy:
      'On the source, replace the name by UUID=… (`blkid` lists the UUIDs), execute the replica again, and deploy again. If the guest can start without the file system, add the option nofail instead.',
    retryable: false,
  },
  'osmorphing.device-missing': {
    title: 'A disk is missing on the worker',
    cause: 'The volume was not attached, or was detached in the meantime.',
    remedy: 'Start the deployment again.',
    retryable: true,
  },
  'osmorphing.packages-unreachable': {
    title: 'The guest cannot install packages',
    cause: 'Its package repositories cannot be reached from the worker, require a subscription, or no longer exist.',
    remedy:
      "Allow the worker's network to reach the repositories, specify an HTTP proxy or a folder with the packages, or install cloud-init on the source. If the guest can do without cloud-init, make it optional in the deployment options.",
    retryable: true,
  },
  'osmorphing.no-virtio': {
    title: "No kernel supports the destination's disks",
    cause: "No installed kernel has drivers for the destination's disks: VirtIO, or Hyper-V storage.",
    remedy: "Install the distribution's standard kernel on the source, or choose another disk bus.",
    retryable: false,
  },
  'osmorphing.initramfs': {
    title: 'The initramfs could not be rebuilt',
    cause: "The guest's own tool failed or skipped drivers. Its output is in the details.",
    remedy: 'Rebuild it on the source (update-initramfs, dracut, mkinitrd) and fix the errors shown there.',
    retryable: false,
  },
  'osmorphing.no-space': {
    title: 'A file system of the guest is too full',
    cause: 'A new initramfs needs free space next to the old one, and packages need some where they are installed.',
    remedy: 'Remove old kernels and other files, or extend the file system on the source, then replicate again.',
    retryable: false,
  },
  'osmorphing.command-failed': {
    title: 'A program failed during OSMorphing',
    cause: "The program's output is in the details.",
    remedy: 'Fix the reported problem on the source, or keep the worker for troubleshooting.',
    retryable: true,
  },
  'osmorphing.script-failed': {
    title: 'A user script failed',
    cause: 'The script returned an error or exceeded its time limit.',
    remedy: 'Check its output, which is stored with the deployment. Correct the script and deploy again.',
    retryable: false,
  },
  'osmorphing.hibernated': {
    title: 'The guest is hibernated',
    cause:
      'The VM was hibernated instead of shut down, to a swap area or a swap file (Windows does this at every shutdown with fast startup). Changes to its disks would be lost or damage them.',
    remedy:
      'Start the VM on the source and shut it down (Windows: run `powercfg /h off` first). Then execute the replica again.',
    retryable: false,
  },
  'osmorphing.not-shut-down': {
    title: 'The logs of a running Windows cannot be replayed',
    cause:
      'The replica was taken while Windows was running: the newest changes to its file system and its registry exist only in their logs, and these are incomplete or damaged.',
    remedy: 'Migrate with a final execution that shuts down the source first, or shut it down and replicate again.',
    retryable: false,
  },
  'osmorphing.registry-damaged': {
    title: 'The Windows registry cannot be read',
    cause: 'A hive is damaged or incomplete.',
    remedy: 'Check that Windows starts on the source, shut it down, and replicate again.',
    retryable: false,
  },
  'osmorphing.drivers-missing': {
    title: 'No VirtIO drivers for this Windows version',
    cause:
      'The driver ISO could not be read, or has no drivers for this version and architecture that Windows loads: some are signed for tests only, others need an update of Windows 7 and Server 2008 R2.',
    remedy:
      'Check windows_virtio_iso_url and that the worker can reach it. Older ISOs contain drivers for older Windows versions.',
    retryable: true,
  },
  'osmorphing.init-agent-missing': {
    title: 'The guest initialization agent cannot be installed',
    cause:
      'Its archive could not be downloaded or does not fit this guest. The agent runs the first-boot configuration.',
    remedy: 'Check winguestinit_x64_url and that the worker can reach it, or install the agent on the source.',
    retryable: true,
  },
  'osmorphing.download-differs': {
    title: 'The digest of a download does not match',
    cause:
      "The file's digest differs from the one in the URL: it was replaced by another version, or modified in transit.",
    remedy: 'Find out which digest is correct before you change it. The download was not used.',
    retryable: false,
  },
  'osmorphing.worker-tools': {
    title: 'The worker lacks tools for Windows guests',
    cause: 'It needs ntfs-3g and the hivex Python package, and could not install them.',
    remedy:
      'Use a Debian or Ubuntu worker image that can reach its package repositories, or one with these tools installed.',
    retryable: true,
  },
  'osmorphing.busy': {
    title: 'The worker is busy with this guest',
    cause: 'An earlier command of the same preparation has not ended.',
    remedy: 'Wait a minute and start again, or use a new worker.',
    retryable: true,
  },
  'osmorphing.inspection-active': {
    title: 'The guest is being inspected',
    cause:
      "A worker has the replica's volumes attached to inspect the guest. If the engine ended during an inspection, the worker may still have them.",
    remedy:
      'Wait for the inspection to end, or cancel it. Cancelling also deletes the worker of an interrupted inspection.',
    retryable: true,
  },
  'osmorphing.not-mounted': {
    title: 'The guest is not mounted',
    cause: 'It was unmounted in the meantime by a stop or another command.',
    remedy: 'Start the deployment again.',
    retryable: true,
  },
  'osmorphing.not-unmounted': {
    title: 'The guest could not be unmounted completely',
    cause: 'A process on the worker still uses its file systems; see the details.',
    remedy: "The deployment's volumes may be incomplete. Start the deployment again; the replica is not affected.",
    retryable: true,
  },
  'osmorphing.doubtful-disks': {
    title: 'Disks or volumes of the guest need attention',
    cause:
      'A file system, volume or device that the guest names could not be identified, opened or read, or has another name on the destination.',
    remedy:
      'Correct /etc/fstab, /etc/crypttab or the named file on the source (UUID= instead of device names), or add `nofail` to what the guest can do without. Then execute the replica again.',
    retryable: false,
  },
  'osmorphing.doubtful-boot': {
    title: 'A kernel or boot entry may not work on the destination',
    cause:
      'A kernel lacks a driver, an initramfs or boot loader could not be examined, or a boot entry names another root. Other kernels or entries may still boot.',
    remedy:
      "Install the distribution's standard kernel, remove kernels that are not used, and rebuild the initramfs on the source. Then execute the replica again.",
    retryable: false,
  },
  'osmorphing.doubtful-network': {
    title: 'A network setting needs attention',
    cause:
      'A setting cannot be carried over as it is: a bond, bridge or VLAN, an interface name that nothing on the destination has, or a file that is not understood.',
    remedy:
      'Review the network settings in the guest after the deployment, or deploy with `set_dhcp: false` to keep them. Have console access ready for the first boot.',
    retryable: false,
  },
  'osmorphing.doubtful-packages': {
    title: 'The packages of the guest could not be examined completely',
    cause:
      'Its package database was not read or does not answer, or the tools of the source platform cannot be removed.',
    remedy:
      "Check the package database on the source with the distribution's own tools. Programs of the guest run on a worker only: a guest in an image on this computer is examined without them.",
    retryable: false,
  },
  'osmorphing.doubtful-settings': {
    title: 'A setting of the guest depends on the source',
    cause: 'The guest uses something that exists at the source only, such as its time server.',
    remedy: 'Enter what the destination provides, on the source or in the guest after the deployment.',
    retryable: false,
  },
  'osmorphing.local-inspection': {
    title: 'Images cannot be inspected on this computer',
    cause:
      'File systems of a guest are mounted read-only for the inspection, which needs Linux, root, Python 3.6 and loop devices.',
    remedy: 'Run the command as root on a Linux computer that has the images.',
    retryable: false,
  },
  'osmorphing.program-failed': {
    title: 'The preparation program stopped unexpectedly',
    cause:
      'Possible causes: a bug, or the worker ran out of memory or lost its connection. The details contain its last output.',
    remedy: 'Start the deployment again. If it recurs, report it with the details.',
    retryable: true,
  },
} as const satisfies ErrorTable;
