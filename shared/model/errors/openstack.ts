import type { ErrorTable } from './error-text.ts';

/** What can go wrong with clouds that are made of services of their own, beyond what every cloud can do. */
export const openstackErrors = {
  'cloud.service-missing': {
    title: 'A required cloud service is not available',
    cause: 'The service catalog does not list the service for this project, region and interface.',
    remedy:
      "Set the endpoint's region and interface to values from the details, or ask the cloud operator to enable the service for the project.",
    retryable: false,
  },
  'cloud.port-in-use': {
    title: 'A port with the needed MAC address belongs to a running server',
    cause:
      'port_reuse_policy says to reuse or to recreate ports with the MAC addresses of the VM, and one of them is in use.',
    remedy: 'Delete the server named in the details, or set port_reuse_policy to replace_mac. Nothing was changed.',
    retryable: false,
  },
  'source.resource-busy': {
    title: 'A resource on the source cannot be removed yet',
    cause:
      'The source still uses it, or something depends on it: a volume created from the snapshot, or a later incremental backup.',
    remedy: 'Delete the dependent resources named in the details, then clean up again. The VM is not affected.',
    retryable: true,
  },
  'source.backup-failed': {
    title: 'A volume backup failed',
    cause: 'The backup service rejected the request or failed. Its message is in the details.',
    remedy: 'Check that the backup service is running and has free space, or choose another export mechanism.',
    retryable: true,
  },
  'source.backup-unreadable': {
    title: 'A backup cannot be read from the object store',
    cause:
      'Its objects are missing, damaged, or kept in an account that this endpoint may not read (backup_swift_auth other than per_user).',
    remedy:
      "See the details for the missing objects. Configure the cloud to store backups in the project's own account, or choose another export mechanism.",
    retryable: false,
  },
} as const satisfies ErrorTable;
