import { useCallback, useState } from 'react';
import type { CausewayError } from '../../shared/model/causeway-error.ts';
import { asCausewayError } from './query-store.ts';

export interface Action<A extends readonly unknown[]> {
  /** Resolves when it is over, also when it failed: `error` says so. */
  run(...given: A): Promise<void>;
  readonly isBusy: boolean;
  readonly error: CausewayError | undefined;
  clear(): void;
}

/** Something that a button starts: busy while it goes on, with its error afterwards. */
export function useAction<A extends readonly unknown[]>(work: (...given: A) => Promise<unknown>): Action<A> {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<CausewayError>();
  const run = async (...given: A): Promise<void> => {
    setIsBusy(true);
    setError(undefined);
    try {
      await work(...given);
    } catch (thrown) {
      setError(asCausewayError(thrown));
    } finally {
      setIsBusy(false);
    }
  };
  const clear = useCallback(() => setError(undefined), []);
  return { run, isBusy, error, clear };
}
