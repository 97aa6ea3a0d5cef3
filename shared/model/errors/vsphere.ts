import type { ErrorTable } from './error-text.ts';

/** What a virtualization platform refuses, beyond what every source can. */
export const vsphereErrors = {
  'source.login-refused': {
    title: 'Sign-in to the source failed',
    cause: 'The user name or the password is wrong, the account is locked, or it may not sign in to this server.',
    remedy: 'Check the user name, with its domain, and the password of the endpoint.',
    retryable: false,
  },
  'source.permission-denied': {
    title: 'The account lacks a privilege on the source',
    cause: 'The role of the account does not include the privilege in the details on this VM or its folder.',
    remedy: 'Add the privilege to the role of the account. The endpoint check names all that are missing, by feature.',
    retryable: false,
  },
  'source.not-licensed': {
    title: 'The license of the source does not include this',
    cause: 'The edition of the server does not allow the call, for example a free hypervisor with a read-only API.',
    remedy:
      'Use a licensed host or the management server, or replicate from exported images with the disk images plugin.',
    retryable: false,
  },
  'source.vm-busy': {
    title: 'The VM is busy with another task',
    cause:
      'A backup, a migration or another snapshot of this VM is in progress, or its power state does not allow the call.',
    remedy: 'Wait until the task in the details has completed, then start again.',
    retryable: true,
  },
  'source.consolidation-needed': {
    title: 'Disks of the VM need consolidation',
    cause:
      'An earlier snapshot was deleted, but its files remain in the disk chain, and consolidating them failed. Tracked changes are not reliable in this state.',
    remedy:
      "Consolidate the disks of the VM in the platform's client. If that fails, look for a backup appliance that has a disk attached, and for free space on the datastore.",
    retryable: false,
  },
  'source.tracking-incomplete': {
    title: 'Change tracking returned an incomplete list',
    cause: 'The server stopped before the end of the disk. Reading only the listed areas could miss changes.',
    remedy:
      'Start the execution again. If it recurs, disable and enable change tracking on the VM: the next execution then compares the whole disks.',
    retryable: true,
  },
} as const satisfies ErrorTable;
