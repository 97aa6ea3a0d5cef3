import { CausewayError } from '../../../shared/model/causeway-error.ts';
import type { ErrorCode } from '../../../shared/model/errors/catalogue.ts';
import { statuses } from './protocol.ts';

const codes: Readonly<Record<number, ErrorCode>> = {
  [statuses.BAD_FRAME]: 'transport.protocol',
  [statuses.BAD_REQUEST]: 'transport.request-refused',
  [statuses.OUT_OF_RANGE]: 'transport.out-of-range',
  [statuses.NOT_ALLOWED]: 'transport.device-refused',
  [statuses.IN_USE]: 'transport.device-in-use',
  [statuses.NO_DEVICE]: 'transport.device-refused',
  [statuses.IO_ERROR]: 'transport.write-failed',
  [statuses.DURABILITY_LOST]: 'transport.write-failed',
  [statuses.LOGIN_FAILED]: 'transport.login-failed',
};

/** The error for an answer's status; `text` is the agent's message. */
export function statusError(status: number, text: string, peer: string): CausewayError {
  return new CausewayError(codes[status] ?? 'transport.protocol', `${peer}: ${text}`, { details: { status } });
}
