import type { ErrorTable } from './error-text.ts';

/** Codes of movers: engines on other computers, reached over SSH. */
export const moverErrors = {
  'mover.unknown': {
    title: 'No mover of this name',
    cause: 'No mover of this name was added on this computer, or it was removed.',
    remedy: 'Check the name, or add the mover.',
    retryable: false,
  },
  'mover.host-key-unknown': {
    title: 'The host key of the SSH server is not known',
    cause: 'This server is not in your known hosts file, and its key was not confirmed. Nothing was sent.',
    remedy:
      'Compare the fingerprint in the details with the one that the owner of the server gives you, and add the mover again with this fingerprint.',
    retryable: false,
  },
  'mover.host-key-repeated': {
    title: 'The server behind a jump host shows the host key of the jump host',
    cause:
      'The jump host answers in place of the server behind it, or both have the same host key, for example because one is a clone of the other. A confirmed key of a jump host is not accepted for another server. No user name or password was sent to it.',
    remedy:
      'Check the jump host. If both servers have this key, give one of them a new host key, or add the server to your known hosts file after its owner confirmed the fingerprint.',
    retryable: false,
  },
  'mover.unreachable': {
    title: 'The mover cannot be reached',
    cause:
      'The host or a jump host does not answer: it is off, its name is not known here, a firewall blocks the port, or there is no route to it.',
    remedy: 'Check with ssh from this computer that the address in the details answers, then try again.',
    retryable: true,
  },
  'mover.login-refused': {
    title: 'The mover rejected the sign-in',
    cause: 'The SSH server accepted neither a key of the SSH agent or of the key file, nor the password.',
    remedy:
      'Check the user name and the key. Jump hosts are signed in to by a key or the SSH agent, never by a password.',
    retryable: false,
  },
  'mover.platform': {
    title: 'A mover cannot run on this system',
    cause: 'Movers run on Linux for x86_64 and aarch64.',
    remedy: 'Choose another host.',
    retryable: false,
  },
  'mover.archive-missing': {
    title: 'The engine for the mover is missing',
    cause: 'This installation has no archive of the engine for the system and processor of the mover.',
    remedy:
      'In a checkout of the same version, `npm run package -- --engine` makes the archive. An installed application finds it by the variable CAUSEWAY_MOVER_ARCHIVE: set it to the path of the archive and start Causeway again.',
    retryable: false,
  },
  'mover.archive-damaged': {
    title: 'The engine was corrupted during upload to the mover',
    cause:
      'The digest of the file on the mover differs from the one on this computer, or it could not be unpacked: for example because the disk is full.',
    remedy: 'Check the free space in the home folder on the mover, then try again.',
    retryable: true,
  },
  'mover.start-failed': {
    title: 'The engine did not start on the mover',
    cause: 'The project cannot be opened there, or the host does not let the engine run.',
    remedy: 'See the details. The log is mover.log in the state folder of the project on the mover.',
    retryable: true,
  },
  'mover.connection-lost': {
    title: 'The connection to the mover was lost',
    cause: 'The network between this computer and the mover was interrupted, or the mover was shut down.',
    remedy:
      'Executions on the mover continue without this connection. Connect again, or run the command again, to see their state.',
    retryable: true,
  },
  'mover.service-ended': {
    title: 'The engine on the mover has ended',
    cause:
      'The mover can be reached, but the service of the project is no longer running: it was stopped, Causeway was removed from the mover, or the mover was restarted.',
    remedy:
      'Open the project again: this places the engine if it is missing, and starts the service. Executions that it interrupted can be resumed once the vault is unlocked.',
    retryable: true,
  },
  'mover.no-answer': {
    title: 'The engine on the mover does not answer',
    cause:
      'The mover can be reached, and the service of the project runs there, but it did not answer in time: it hangs, or the mover is overloaded.',
    remedy:
      'Check the load of the mover and try again. If that does not help, stop the service by the command for it and open the project again.',
    retryable: true,
  },
  'mover.version-differs': {
    title: 'The mover runs another version of Causeway',
    cause:
      'Its engine is busy with executions, or another workbench has started it since. Only opening the project replaces it, once nothing runs there.',
    remedy:
      'Wait until its executions have ended and open the project again, or use the version of Causeway that it was started with.',
    retryable: true,
  },
} as const satisfies ErrorTable;
