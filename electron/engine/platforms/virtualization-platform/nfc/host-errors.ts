import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { Classic } from './protocol.ts';

/** A refusal in the host's words. */
export class HostError extends Error {
  readonly number: number;

  constructor(number: number, text: string) {
    super(text);
    this.number = number;
  }
}

export function explainOpen(error: HostError, path: string): CausewayError {
  const evidence = `${path}: ${error.message}`;
  const details = { path, hostError: error.number };
  if (/allocate|memory/i.test(error.message)) return new CausewayError('source.host-busy', evidence, { details });
  if (error.number === 11 || /permission/i.test(error.message))
    return new CausewayError('source.disk-access-denied', evidence, { details });
  if (/cannot find|not found|no such file/i.test(error.message))
    return new CausewayError('source.disk-not-found', evidence, { details });
  if (/lock|multiwriter|16392/i.test(error.message))
    return new CausewayError('source.disk-locked', evidence, { details });
  return new CausewayError('source.request-refused', evidence, { details });
}

export function unreadable(piece: { readonly offset: number; readonly into: Uint8Array }, why: string): CausewayError {
  return new CausewayError('source.read-failed', `[${piece.offset}, +${piece.into.length}): ${why}`, {
    details: { offset: piece.offset, length: piece.into.length },
  });
}

/** The host ends the session instead of answering: with what it does not know, and with what it does not want. */
export function goodbye(due: number): CausewayError {
  const evidence = `the host ended the session where message ${due} was due`;
  return new CausewayError(due === Classic.aioOpen ? 'source.host-too-old' : 'source.data-session-refused', evidence, {
    details: { due },
  });
}

export function lost(why: string, cause?: unknown): CausewayError {
  return new CausewayError('source.connection-lost', `data port of the host: ${why}`, { cause });
}

export function closed(): CausewayError {
  return new CausewayError('source.connection-lost', 'the connection to the data port was closed');
}
