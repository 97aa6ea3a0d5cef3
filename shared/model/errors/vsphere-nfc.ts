import type { ErrorTable } from './error-text.ts';

/** What can go wrong on the data port (902) of the hosts of a virtualization platform. */
export const vsphereNfcErrors = {
  'source.host-unreachable': {
    title: "The host's data port cannot be reached",
    cause:
      'Disks are read from the ESXi host itself, not from vCenter. A firewall blocks the port (usually TCP 902), the host is down, or its name does not resolve here.',
    remedy:
      'Open the port in the details from this computer to every ESXi host, or read through datastore files or an export (HTTPS, port 443).',
    retryable: true,
  },
  'source.host-certificate-mismatch': {
    title: "The host's certificate does not match",
    cause:
      'vCenter named another certificate for this host: it was replaced a moment ago, another machine answers at this address, or the connection is intercepted. No disk was opened.',
    remedy:
      'Reconnect the host in vCenter if its certificate was replaced. Otherwise find out which machine answers on the data port.',
    retryable: false,
  },
  'source.host-encryption-missing': {
    title: 'The host does not encrypt its data port',
    cause: 'The host does not offer TLS for disk data, or something on the way removed the offer.',
    remedy:
      'Update the host to ESXi 6.5 or later, or read through datastore files or an export (HTTPS, port 443). Nothing was sent unencrypted. On a network that you trust, set disk_access_encryption of the endpoint to preferred.',
    retryable: false,
  },
  'source.data-session-refused': {
    title: 'The host refused the data session',
    cause: 'The ticket was used or has expired, or the host has reached its number of connections.',
    remedy:
      'Start again. If it recurs, end other backups that read from this host, or run fewer VMs of this host in parallel.',
    retryable: true,
  },
  'source.host-too-old': {
    title: 'The host is too old for direct disk access',
    cause: 'ESXi 6.0 and earlier have only an older kind of disk access.',
    remedy:
      'Update the host to ESXi 6.5 or later, move the VM to such a host, or read through datastore files or an export.',
    retryable: false,
  },
  'source.disk-access-denied': {
    title: 'The host denies access to the disk',
    cause: 'The disk belongs to another VM, or the account lacks a privilege.',
    remedy:
      'Check that the account has VirtualMachine.Provisioning.DiskRandomRead and VirtualMachine.Provisioning.GetVmFiles on the VM, then start again.',
    retryable: false,
  },
  'source.disk-locked': {
    title: 'The disk is in use and cannot be opened',
    cause: 'A running VM writes to this file, or another program downloads it.',
    remedy: 'End other backups or downloads of this VM, then start the execution again: it takes a new snapshot.',
    retryable: true,
  },
  'source.host-busy': {
    title: 'The host has no memory left for disk access',
    cause: 'All connections to the data port of a host share a small memory pool (48 MB on ESXi 7), and it is used up.',
    remedy: 'End other backups that read from this host, or run fewer VMs of this host in parallel, then start again.',
    retryable: true,
  },
  'source.disk-replaced': {
    title: 'The disk has another size than before',
    cause: 'After the connection was lost, the disk was opened again and is not the one that was being read.',
    remedy: 'Start the execution again: it takes a new snapshot.',
    retryable: true,
  },
} as const satisfies ErrorTable;
