import type { ErrorTable } from './error-text.ts';

export const storeErrors = {
  'store.disk-full': {
    title: 'The disk that contains the project is full',
    cause: 'The project database could not be written. Earlier records are intact.',
    remedy:
      'Free up space on the file system in the details, then resume the interrupted executions. Until then, the project is read-only.',
    retryable: true,
  },
  'store.not-writable': {
    title: 'The project database cannot be written',
    cause: 'The file system is read-only, has an I/O error, or another program holds a lock on the database.',
    remedy:
      'Make the folder in the details writable, then resume the interrupted executions. If it recurs, suspect faulty storage.',
    retryable: true,
  },
  'store.other-computer': {
    title: "The project's data belongs to another computer",
    cause:
      "The .causeway folder was copied, synchronized or is shared. Two computers that execute the same replica would overwrite each other's volumes.",
    remedy:
      'Continue on the computer named in the details. If that computer no longer uses the project, take over the project on this one: ' +
      'the next execution of each replica then compares whole disks. You can read the project without taking it over.',
    retryable: false,
  },
  'store.replica-elsewhere': {
    title: 'Another computer already replicates this VM',
    cause: "The replica's volumes were created or taken over by this project on another computer.",
    remedy:
      'Continue on the computer named in the details, or delete the replica there. If that computer is gone, remove what the ' +
      'check of the ledger lists as created by it.',
    retryable: false,
  },
} as const satisfies ErrorTable;
