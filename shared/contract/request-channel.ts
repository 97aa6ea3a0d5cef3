/**
 * The contract over plain requests, for browsers that are kept from opening WebSockets: `open` answers with the name of a channel, `send` takes
 * messages, `receive` waits for some, `close` ends it. All are POST requests with JSON.
 */
export const requestPaths = {
  open: '/contract/open',
  send: '/contract/send',
  receive: '/contract/receive',
  close: '/contract/close',
} as const;

/** Carries the page secret. No foreign page can send it: a browser asks before, and is refused. */
export const secretHeader = 'x-causeway-session';

/** How long `receive` waits for a message before it answers with none, in milliseconds: shorter than what closes quiet connections. */
export const receiveMs = 20_000;
