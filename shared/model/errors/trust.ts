import type { ErrorTable } from './error-text.ts';

/** What is refused because nobody on this computer has accepted it. */
export const trustErrors = {
  'trust.project-not-accepted': {
    title: 'This project is not trusted on this computer',
    cause:
      'The folder came from elsewhere. Until you accept it, no endpoint is contacted, no program is started and no secret is used.',
    remedy: 'Review what the project reaches under Trust, then accept it.',
    retryable: false,
  },
  'trust.endpoint-not-accepted': {
    title: 'This endpoint is not trusted on this computer',
    cause: 'Its connection came with the project files and nobody has accepted it here.',
    remedy: 'Review the connection under Trust, then accept it.',
    retryable: false,
  },
  'trust.environment-not-accepted': {
    title: 'The environment uses an address or a secret that is not trusted on this computer',
    cause: 'A URL, a socket or a secret reference in the project files is new or was changed.',
    remedy: 'Review the change under Trust, then accept it.',
    retryable: false,
  },
  'trust.connection-missing': {
    title: 'The connection of this endpoint is not on this computer',
    cause: 'The project files name the endpoint without its addresses, and it was never entered here.',
    remedy: 'Open the endpoint, enter its connection and save it.',
    retryable: false,
  },
  'trust.unsafe-connection': {
    title: 'The connection of this endpoint is not safe',
    cause: 'It would send secrets unencrypted, start a program, or use a file from the shared project folder.',
    remedy: 'Open the endpoint and correct the field that the details name.',
    retryable: false,
  },
  'trust.changed-meanwhile': {
    title: 'The project changed while you reviewed it',
    cause: 'A project file was changed after the list was shown. Nothing was accepted.',
    remedy: 'Review the new list and accept it.',
    retryable: true,
  },
} as const satisfies ErrorTable;
