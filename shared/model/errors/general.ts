import type { ErrorTable } from './error-text.ts';

/** Codes that any part may raise. Codes of one part stand in the file of that part, beside this one. */
export const generalErrors = {
  'general.bug': {
    title: 'Unexpected internal state',
    cause: 'This is a bug in Causeway, not a problem with your input.',
    remedy:
      'Report the problem with the details. You can start the execution again; it resumes from its last checkpoint.',
    retryable: false,
  },
  'general.cancelled': {
    title: 'Cancelled',
    cause: 'It was cancelled, or the process was asked to exit.',
    remedy: 'Start it again when you are ready. Data that was already written durably is kept.',
    retryable: true,
  },
  'general.deadline': {
    title: 'The operation timed out',
    cause: 'The expected state was not reached before the deadline.',
    remedy: 'Check the last reported state in the details, then start again.',
    retryable: true,
  },
  'general.invalid-input': {
    title: 'Invalid input',
    cause: 'A value is missing or has the wrong form.',
    remedy: 'Correct the value named in the details.',
    retryable: false,
  },
  'general.page-failed': {
    title: 'This page cannot be displayed',
    cause:
      'This is a bug in Causeway, not a problem with your input. Executions and deployments continue: they do not depend on the page.',
    remedy: 'Reload the page. If it fails again, copy the details and report the problem.',
    retryable: false,
  },
  'general.runtime-lacks': {
    title: 'This runtime lacks cryptography that Causeway needs',
    cause: 'Node or Electron was built with a library that does not have the algorithm named in the details.',
    remedy: 'Use the Node or Electron version that Causeway ships with.',
    retryable: false,
  },
  'general.sample-failed': {
    title: 'The sample did not start',
    cause: 'The lab that the sample needs could not start on this computer.',
    remedy: 'Check the last line of its output in the details. Run "npm run lab" in a terminal to see the full output.',
    retryable: true,
  },
} as const satisfies ErrorTable;
