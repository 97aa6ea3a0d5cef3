import type { ErrorTable } from './error-text.ts';

/** Codes of waves as something that runs. */
export const waveErrors = {
  'wave.active': {
    title: 'The wave is in progress',
    cause:
      "An action on the members of this wave has not ended. Its members and their order can't be changed, and no other action can start.",
    remedy: 'Wait until it ends, or cancel it.',
    retryable: true,
  },
  'wave.not-active': {
    title: 'The wave is not in progress',
    cause: 'Nothing is in progress in this wave that could be paused, continued or cancelled.',
    remedy: 'Start the wave.',
    retryable: false,
  },
  'wave.empty': {
    title: 'The wave has no members',
    cause: 'No replica belongs to the wave, so there is nothing to start.',
    remedy: 'Assign replicas to the wave, then start it.',
    retryable: false,
  },
  'wave.no-go-due': {
    title: 'No group waits for a go',
    cause:
      'No group of the wave waits for a decision now: an earlier group is in progress, or all groups have started.',
    remedy: 'Show the wave to see which group is in progress.',
    retryable: true,
  },
  'wave.nothing-to-retry': {
    title: 'Nothing to retry',
    cause: 'No member of the wave failed, was blocked or was cancelled in its latest action.',
    remedy: 'Start the wave again if all members should be processed once more.',
    retryable: false,
  },
  'wave.no-isolated-network': {
    title: 'The rehearsal has no isolated network',
    cause:
      'Neither the plan of the wave nor whoever started its rehearsal names an isolated network. The VMs would start in the networks that they are configured for, beside their running sources.',
    remedy:
      'Enter an isolated network of the destination, in the plan of the wave or when you start the rehearsal. To deploy a VM beside its source in its own networks, create a deployment.',
    retryable: false,
  },
  'wave.order-circular': {
    title: 'The order of the wave is circular',
    cause:
      'Members wait for each other, or a member of an earlier group waits for one of a later group. None of them could ever start.',
    remedy: 'Remove one of the dependencies that are named in the details.',
    retryable: false,
  },
} as const satisfies ErrorTable;
