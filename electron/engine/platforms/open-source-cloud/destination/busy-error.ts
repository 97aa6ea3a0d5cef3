import { CausewayError } from '../../../../../shared/model/causeway-error.ts';
import { isStatus } from '../../../http/http-error.ts';

/**
 * What the volume service answers to something that its volume's state does not allow now is a plain "bad request";
 * for us it is a conflict, which passes.
 */
export async function busyAsConflict<T>(attempt: Promise<T>): Promise<T> {
  try {
    return await attempt;
  } catch (error) {
    if (
      error instanceof CausewayError &&
      isStatus(error, 400) &&
      /invalid (volume|snapshot)|status must be|is already attached|invalid state/i.test(error.message)
    ) {
      throw new CausewayError('cloud.conflict', error.message, { details: error.details, cause: error });
    }
    throw error;
  }
}
