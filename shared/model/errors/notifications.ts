import type { ErrorTable } from './error-text.ts';

export const notificationErrors = {
  'notification.not-set-up': {
    title: 'This notification is not set up',
    cause: 'The address of the webhook, or the mail server and its password, are missing.',
    remedy: 'Complete the settings of notifications, then send a test.',
    retryable: false,
  },
  'notification.mail-refused': {
    title: 'The mail server refused the message',
    cause: 'It did not accept the sign-in, the sender, a recipient or the message. The details have its answer.',
    remedy: 'Check user name, password, sender and recipients in the settings of notifications.',
    retryable: false,
  },
  'notification.mail-not-sent': {
    title: 'The mail server cannot take the message now',
    cause: 'It could not be reached, closed the connection, or asked to try again later. The details have the reason.',
    remedy: 'Check host, port and encryption in the settings of notifications. It is tried again automatically.',
    retryable: true,
  },
  'notification.mail-unprotected': {
    title: 'The mail server offers no encryption',
    cause: 'The password would be sent readable for everybody on the way, so that nothing was sent.',
    remedy: 'Choose TLS or STARTTLS, or another port of the mail server.',
    retryable: false,
  },
} as const satisfies ErrorTable;
