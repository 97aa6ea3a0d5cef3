import { CausewayError } from '../../shared/model/causeway-error.ts';
import type { KeyWrapper } from './key-wrapper.ts';

/**
 * A data key that another process unwrapped: the engine can't reach the key store itself, and gets the key when it
 * starts. It is kept in memory only, and can't wrap.
 */
export function releasedKey(kind: string, dataKey: Uint8Array): KeyWrapper {
  return {
    kind,
    wrap() {
      return Promise.reject(
        new CausewayError('general.bug', 'a released data key can open a vault but not create one'),
      );
    },
    // A copy: whoever gets it may overwrite it.
    unwrap: async () => Buffer.from(dataKey),
  };
}
