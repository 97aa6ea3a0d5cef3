import type { ErrorTable } from './error-text.ts';

/** What can go wrong with clouds that are made of services of their own, beyond what every cloud can do. */
export const openstackErrors = {
  'cloud.service-missing': {
    title: 'The cloud does not offer a service that is needed',
    cause: 'The catalogue lists no such service for this project, or not in this region or with this interface.',
    remedy: 'Set the region and the interface of the endpoint to those in the evidence, or have the service made available to the project.',
    retryable: false,
  },
  'cloud.port-in-use': {
    title: 'A port with the needed MAC address belongs to a running server',
    cause: 'port_reuse_policy says to reuse or to recreate ports with the MAC addresses of the VM, and one of them is in use.',
    remedy: 'Remove the server in the evidence, or set port_reuse_policy to replace_mac. Nothing was changed.',
    retryable: false,
  },
  'source.resource-busy': {
    title: 'Something that was made on the source could not be removed yet',
    cause: 'The source still uses it, or somebody made something of it since: a volume of a snapshot, a backup on top of a backup.',
    remedy: 'Remove what was made of it, named in the evidence, and clean up again. Nothing of the VM is affected.',
    retryable: true,
  },
  'source.backup-failed': {
    title: 'The cloud could not make a backup of a volume',
    cause: 'Its backup service refused or failed; the reason that it gave stands in the evidence.',
    remedy: 'See that the backup service runs and has room, or choose another export mechanism.',
    retryable: true,
  },
  'source.backup-unreadable': {
    title: 'A backup cannot be read where the cloud keeps it',
    cause: 'Its objects are missing, damaged, or kept in an account that this endpoint may not read (backup_swift_auth other than per_user).',
    remedy: 'See the evidence for what is missing. Let the cloud keep backups in the account of their project, or choose another export mechanism.',
    retryable: false,
  },
} as const satisfies ErrorTable;
