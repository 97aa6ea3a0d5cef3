import type { ErrorTable } from './error-text.ts';

/** Codes of fleets: several engines that share a project through NATS. */
export const fleetErrors = {
  'fleet.unreachable': {
    title: 'The servers of the fleet cannot be reached',
    cause:
      'No NATS server of the fleet answers, most of them are down, or the user may not use the subjects of this project.',
    remedy:
      'Check the servers, the network and the permissions of the user. Without them nothing of a replica is changed.',
    retryable: true,
  },
  'fleet.forbidden': {
    title: 'Your role in the fleet does not allow this',
    cause: 'The NATS servers do not let this user write to the journals of the project: viewers can only read.',
    remedy: 'Ask an owner of the fleet for another role.',
    retryable: false,
  },
  'fleet.claimed-elsewhere': {
    title: 'Another computer works on this replica',
    cause: 'Within a fleet one computer at a time works on a replica. The details name it.',
    remedy: 'Wait until it has finished, or cancel the execution there.',
    retryable: true,
  },
  'fleet.claim-lost': {
    title: 'Another computer continues with this replica',
    cause:
      'This computer was not heard of for a while, so that another one has taken over. What happened here after that was not recorded.',
    remedy: 'Nothing has to be done: the execution continues there.',
    retryable: false,
  },
  'fleet.journal-unreadable': {
    title: 'A record in a journal of the fleet cannot be read',
    cause:
      'A newer version of Causeway has written it, or somebody who may write to the journals has stored something else there.',
    remedy: 'Update Causeway on this computer. If it is up to date, look at the record with the tools of NATS.',
    retryable: false,
  },
  'fleet.runs-active': {
    title: 'Something runs in this project',
    cause:
      'The engine starts again when this computer joins or leaves a fleet, or takes another share of it. What runs would be cancelled.',
    remedy: 'Wait until executions and deployments have ended, or cancel them. Then try again.',
    retryable: true,
  },
  'fleet.not-waiting': {
    title: 'Nothing of this replica waits for a member',
    cause: 'Its execution has started, has ended, or was never left to the fleet.',
    remedy: 'Look at the queue of the fleet again.',
    retryable: false,
  },
  'fleet.changed-meanwhile': {
    title: 'The file was changed once more',
    cause: 'Another member of the fleet has changed the file again since the difference was shown.',
    remedy: 'Look at the new difference, then decide.',
    retryable: false,
  },
} as const satisfies ErrorTable;
