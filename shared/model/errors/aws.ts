import type { ErrorTable } from './error-text.ts';

/** What can go wrong with the large public cloud alone. */
export const awsErrors = {
  'source.encryption-key-denied': {
    title: 'The encryption key of a volume cannot be used',
    cause:
      "The volume is encrypted, and the key policy or the account's policy does not allow its key to be used for reading, or the key is disabled.",
    remedy:
      "Allow the actions in the details on the key named there, in the key policy and in the account's policy, then start again.",
    retryable: false,
  },
  'source.block-damaged': {
    title: 'A block was received damaged',
    cause:
      'The checksum of a block differs from the one that the cloud sent with it, also when it was read again. A proxy in between may change data.',
    remedy: 'Start again. If it recurs, reach the cloud without the proxy.',
    retryable: true,
  },
} as const satisfies ErrorTable;
