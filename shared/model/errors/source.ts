import type { ErrorTable } from './error-text.ts';

/** What can go wrong while a source is asked, snapshotted or read. */
export const sourceErrors = {
  'source.unreachable': {
    title: 'The source is unreachable',
    cause: 'The address or socket is wrong, the service is down, or a firewall blocks the connection.',
    remedy: "Check the endpoint's connection settings and that the hypervisor is running, then check the endpoint.",
    retryable: true,
  },
  'source.connection-lost': {
    title: 'The connection to the source was lost',
    cause:
      'The source closed the connection or stopped responding, for example because the hypervisor or its host was restarted.',
    remedy: 'Start again. The execution resumes from its last checkpoint.',
    retryable: true,
  },
  'source.ssh-unreachable': {
    title: "The hypervisor's host cannot be reached over SSH",
    cause:
      'The address is wrong, the host or its SSH server is down, a firewall blocks the connection, or the connection was lost.',
    remedy:
      'Check `ssh_host`, `ssh_port` and the network, then check the endpoint. An execution resumes from its last checkpoint.',
    retryable: true,
  },
  'source.ssh-host-key-mismatch': {
    title: "The hypervisor's SSH host key does not match",
    cause:
      'Another machine answers at this address, the host was installed anew, or the connection is intercepted. No password was sent.',
    remedy:
      'Compare the fingerprint in the details with the one on the host (`ssh-keygen -lf /etc/ssh/ssh_host_ed25519_key.pub`). If the host is the right one, change `ssh_host_keys` of the endpoint.',
    retryable: false,
  },
  'source.socket-denied': {
    title: 'The SSH user may not open a socket of the hypervisor',
    cause: 'The Unix socket in the details belongs to another user or group.',
    remedy:
      'Add the SSH user to the group of the socket (for libvirt: libvirt), or sign in as a user that may open it.',
    retryable: false,
  },
  'source.tls-refused': {
    title: 'No trusted TLS connection to the source',
    cause: 'The source does not use TLS, or its certificate is neither the pinned one nor issued by the given CA.',
    remedy: "Compare the certificate with the endpoint's CA or pinned certificate. Nothing was sent unencrypted.",
    retryable: false,
  },
  'source.protocol': {
    title: 'Protocol error from the source',
    cause: 'The response is not valid NBD or QMP. Another service may be running at that address.',
    remedy: 'Check the address. If it is correct, report the problem with the details.',
    retryable: false,
  },
  'source.request-refused': {
    title: 'The source rejected a request',
    cause: 'The hypervisor returned an error; see the details.',
    remedy: 'Check the details. Often another job, such as a backup or block commit, is using the disk.',
    retryable: false,
  },
  'source.read-failed': {
    title: 'The source could not read its disk',
    cause: 'The underlying storage reported an error, or the image is damaged.',
    remedy: 'Check the source storage (for example with `qemu-img check`), then start again.',
    retryable: true,
  },
  'source.vm-not-found': {
    title: 'VM not found on the source',
    cause: 'The VM was renamed, deleted or moved.',
    remedy: 'List the VMs of the endpoint and choose again.',
    retryable: false,
  },
  'source.os-type-unknown': {
    title: 'The guest OS is not known',
    cause: 'The image of the VM names an OS that is neither known as Linux nor as Windows.',
    remedy:
      'Map the name to linux or windows with `custom_os_type_map` in the source environment, e.g. `{"haiku": "linux"}`, then start the execution again.',
    retryable: false,
  },
  'source.disk-not-found': {
    title: 'Disk not found',
    cause: 'The disk was detached, or its image was deleted, since the VM was last read.',
    remedy: 'Refresh the VM. Exclude the missing disk, or attach it again.',
    retryable: false,
  },
  'source.snapshot-lost': {
    title: 'The snapshot can no longer be read',
    cause: "The VM was restarted, or the snapshot's scratch space is full or failed. The guest was not affected.",
    remedy: 'Start the execution again to take a new snapshot. If the scratch folder was full, give it more space.',
    retryable: true,
  },
  'source.snapshot-failed': {
    title: 'The snapshot could not be taken',
    cause: 'The hypervisor rejected one of the steps. All completed steps were undone.',
    remedy: 'See the details for the rejected step.',
    retryable: true,
  },
  'source.changed-while-reading': {
    title: 'An image changed while it was being read',
    cause: 'A program wrote to the image after the snapshot was taken, for example because its VM was started.',
    remedy: 'Make sure that no program uses the images, then start the execution again.',
    retryable: true,
  },
  'source.quiesce-failed': {
    title: 'The guest’s file systems could not be frozen',
    cause: 'The guest agent is not running, or a file system could not be frozen.',
    remedy: 'Check the guest agent, or remove `quiesce` for a crash-consistent snapshot.',
    retryable: true,
  },
  'source.shutdown-refused': {
    title: 'The VM was not shut down',
    cause:
      'The guest ignores the shutdown request or is busy, or the source does not allow the VM to be stopped. See the details.',
    remedy:
      'If the details name what forbids stopping the VM, change that first. Otherwise shut down from inside the guest, then continue.',
    retryable: true,
  },
  'source.tool-missing': {
    title: 'A program that reads this source is not installed',
    cause:
      "Volumes of a Ceph cluster are reached through rbd and qemu-nbd, and the vendor's disk library of vSphere through nbdkit and its vddk plugin.",
    remedy:
      'Install the Debian package named in the details, or the matching package of your system. Volumes of a Ceph cluster need none if service_backups_options describes an export worker.',
    retryable: false,
  },
  'source.image-unreadable': {
    title: 'The image cannot be opened',
    cause:
      'It is damaged, encrypted, of a format or variant that is not supported, or its permissions do not allow it.',
    remedy:
      'See the details. Export the disk again, or convert it to a supported format (e.g. with `qemu-img convert`).',
    retryable: false,
  },
  'source.image-refers-outside': {
    title: 'The image refers to files outside its folder',
    cause:
      'It names a backing file, parent or extent that is not opened. Such an image could make Causeway copy any file of this computer.',
    remedy:
      'If you trust the image, put the files that it names next to it, or convert it to a single file (`qemu-img convert`).',
    retryable: false,
  },
  'source.image-part-missing': {
    title: 'A file of the image is missing',
    cause: 'The image consists of several files (extents, a parent or a backing file), and one of them does not exist.',
    remedy: 'Put the missing file next to the image, then try again.',
    retryable: false,
  },
  'source.description-invalid': {
    title: 'The description of the VM cannot be read',
    cause: 'The OVF or OVA is damaged, or names disks that are not there.',
    remedy: 'Export the VM again, or remove the description to use the images alone.',
    retryable: false,
  },
  'source.unsupported': {
    title: 'Not supported by the source',
    cause: "The source's version or configuration lacks a required feature; see the details.",
    remedy: 'See the details for the requirement.',
    retryable: false,
  },
  'source.guest-not-ready': {
    title: 'No consistent checkpoint of the guest',
    cause: 'The integration services of the guest do not run, or the guest could not freeze its file systems.',
    remedy:
      'Start or update the integration services of the guest, or set `fallback_to_crash_consistent_snapshots` to yes to accept a crash-consistent state.',
    retryable: false,
  },
  'source.host-restricted': {
    title: 'The host restricts PowerShell',
    cause:
      'A policy of the host (AppLocker, Windows Defender Application Control) lets this account run PowerShell only in constrained language mode.',
    remedy:
      'Have an administrator allow full language mode for the account on this host. Causeway does not go around the policy.',
    retryable: false,
  },
  'source.reader-failed': {
    title: 'The reader did not start on the host',
    cause:
      'The program that reads disks on the host could not be compiled or started, or its port cannot be reached. See the details.',
    remedy:
      'Open the port of the reader on the host for this computer, manage the host over SSH, or install the RCT service. If security software of the host stopped the program, ask its administrator to allow it.',
    retryable: true,
  },
} as const satisfies ErrorTable;
