import type { ErrorTable } from './error-text.ts';

export const storeErrors = {
  'store.disk-full': {
    title: 'The disk with the project is full',
    cause: 'The project\'s database could not be written. What was recorded before is intact.',
    remedy: 'Free space on the file system in the details, then resume what was interrupted. The project can be read meanwhile.',
    retryable: true,
  },
  'store.not-writable': {
    title: 'The project\'s database can\'t be written',
    cause: 'The file system is read-only, has an I/O error, or another program holds a lock on the database.',
    remedy: 'Make the folder in the details writable, then resume what was interrupted. If it recurs, suspect faulty storage.',
    retryable: true,
  },
  'store.other-computer': {
    title: 'The project\'s data belongs to another computer',
    cause: 'The .causeway folder was copied, synchronized or is shared. Two computers that execute the same replica would overwrite each other\'s volumes.',
    remedy:
      'Continue on the computer named in the details. If it no longer uses the project, take the project over on this one: ' +
      'the next execution of each replica then compares whole disks. Reading is possible without that.',
    retryable: false,
  },
  'store.replica-elsewhere': {
    title: 'Another computer replicates this VM',
    cause: 'The replica\'s volumes were created, or taken over, by the project\'s data on another computer.',
    remedy:
      'Continue on the computer named in the details, or delete the replica there. If that computer is gone, remove what the ' +
      'check of the ledger lists as created by it.',
    retryable: false,
  },
} as const satisfies ErrorTable;
