import type { ErrorTable } from './error-text.ts';

/** Codes that any part may raise. Codes of one part stand in the file of that part, beside this one. */
export const generalErrors = {
  'general.bug': {
    title: 'Causeway met a state that it does not expect',
    cause: 'This is a defect of Causeway, not of your input.',
    remedy: 'Keep the details and report them; the run can be started again and goes on from its last checkpoint.',
    retryable: false,
  },
  'general.cancelled': {
    title: 'Cancelled',
    cause: 'Somebody asked for the run to stop, or the process was asked to end.',
    remedy: 'Start it again when you are ready; what was made durable is kept.',
    retryable: true,
  },
  'general.deadline': {
    title: 'It took longer than its deadline',
    cause: 'The other side did not reach the expected state in time.',
    remedy: 'Look at the evidence for the last state seen, then start the run again.',
    retryable: true,
  },
  'general.invalid-input': {
    title: 'The input is not valid',
    cause: 'A value is missing or has the wrong form.',
    remedy: 'Correct the value that is named in the details.',
    retryable: false,
  },
  'general.sample-failed': {
    title: 'The sample did not start',
    cause: 'The lab that it stands on could not come up on this computer.',
    remedy: 'Read its last line in the evidence. In a terminal, "npm run lab" says all that it does.',
    retryable: true,
  },
} as const satisfies ErrorTable;
